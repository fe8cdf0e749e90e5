"""What may be asked with later, and what is answered then."""

import pytest
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy

from fakes.asking import get, problem
from fakes.internet import Internet, Noted, Site
from privapub.outbound.client import Door
from privapub.outbound.validators import NONE, Validators, given

DATE = ("Date", "Tue, 01 Dec 2026 12:00:00 GMT")
OLD = "Mon, 30 Nov 2026 12:00:00 GMT"


def of(*pairs: tuple[str, str]) -> Validators:
    return given(CIMultiDictProxy(CIMultiDict([DATE, *pairs])))


@pytest.mark.parametrize("tag", ['"a"', 'W/"a"', '""', f'"{"x" * 254}"'])
def test_a_tag_is_kept_as_it_came(tag: str) -> None:
    assert of(("ETag", tag)) == Validators(tag, None)
    assert of(("ETag", tag), ("Last-Modified", OLD)).headers == (("If-None-Match", tag),)


@pytest.mark.parametrize("tag", ["a", '"a', 'w/"a"', '"a b"', '"a\x7f"', '"é"', '"a"b"', "*", f'"{"x" * 255}"', ""])
def test_what_is_no_tag_or_too_long_is_not_kept(tag: str) -> None:
    assert of(("ETag", tag)) == NONE


def test_of_two_tags_none_is_kept() -> None:
    assert of(("ETag", '"a"'), ("ETag", '"b"')) == NONE


def test_a_time_is_kept_that_lies_back() -> None:
    assert of(("Last-Modified", OLD)) == Validators(None, OLD)
    assert of(("Last-Modified", OLD)).headers == (("If-Modified-Since", OLD),)
    assert given(CIMultiDictProxy(CIMultiDict([("Last-Modified", OLD)]))) == NONE


@pytest.mark.parametrize("time", ["Tue, 01 Dec 2026 11:59:01 GMT", "yesterday", "", OLD + " " * 300])
def test_a_time_just_now_and_what_is_no_time_is_not_kept(time: str) -> None:
    assert of(("Last-Modified", time)) == NONE


async def answered(internet: Internet, *statuses: int) -> Site:
    """peer.test answers with these, one after the other, and sends on from there to itself."""
    left = list(statuses)

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(status=left.pop(0), headers={"Location": "/next", "Content-Type": "text/plain"})

    return await internet.site("peer.test", answer)


async def test_the_same_still_is_an_answer_without_content(internet: Internet, door: Door, noted: Noted) -> None:
    await answered(internet, 304)

    def never(_: bytes) -> object:
        raise AssertionError

    answer = await get(door, "http://peer.test/a", held=Validators('"1"'), read=never)
    assert (answer.status, answer.body, answer.content) == (304, b"", None)
    assert [(note["outcome"], note["reason"], note["status"]) for note in noted.notes] == [("ok", "", 304)]


async def test_the_same_still_is_a_failure_where_that_was_not_the_question(internet: Internet, door: Door) -> None:
    await answered(internet, 304)
    assert (await problem(door, "http://peer.test/a")).reason == "304"


async def test_where_a_redirect_leads_nothing_is_held(internet: Internet, door: Door) -> None:
    peer = await answered(internet, 302, 304)
    assert (await problem(door, "http://peer.test/a", held=Validators('"1"'))).reason == "304"
    assert [each.headers.get("if-none-match") for each in peer.received] == ['"1"', None]
