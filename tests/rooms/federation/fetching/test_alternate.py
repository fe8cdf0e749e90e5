"""From a page for people to the document behind it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.activities import note, post_at
from fakes.world import Page, World
from privapub import scope
from privapub.actors.read import Actor
from privapub.composing.find import find
from privapub.errors import InvalidInput, NotFound
from privapub.federation.fetching.alternate import alternate, resolved
from privapub.outbound.answers import LD_JSON, FetchProblem
from privapub.outbound.client import PAGE_LIMIT
from privapub.posts.read import Post

TYPE = "application/activity+json"
LINK = f'<link rel="alternate" type="{TYPE}" href="/n/5">'


@pytest.mark.parametrize(
    ("page", "href"),
    [
        (LINK, "/n/5"),
        (f"<!doctype html><html><head><title>a <b></title>{LINK}</head>", "/n/5"),
        (f"<LINK HREF='/n/5' TYPE='{TYPE}' REL='nofollow ALTERNATE' />", "/n/5"),
        (f"<link rel=alternate type={TYPE} href=/n/5>", "/n/5"),
        (f'<link\nrel = "alternate"\ttype= "{TYPE}" href ="/n/5"/>', "/n/5"),
        (f"<link rel=alternate href='/n?a=1&amp;b=2' type='{TYPE}; charset=utf-8'>", "/n?a=1&b=2"),
        (f"<link rel=alternate href=/a type='{LD_JSON}'>", "/a"),
        (f"<link rel=alternate href=/a type='application/ld+json'>{LINK}", "/n/5"),
        (f"<link rel=alternate href=/a type='application/rss+xml'>{LINK}", "/n/5"),
        (f"<link rel=stylesheet href=/a type='{TYPE}'>{LINK}", "/n/5"),
        (f"<link rel=alternate type='{TYPE}'>{LINK}", "/n/5"),
        (f"<link rel=alternate type='{TYPE}' href=/a href=/b>", "/a"),
        (f"<a>{LINK}<link rel=alternate type='{TYPE}' href=/z>", "/n/5"),
        (f"\u0130\u0130<title>\u0130</title>{LINK}", "/n/5"),
        (f"<!-- {LINK} -->", None),
        (f"<script>'{LINK}'</script>", None),
        (f"<script>{LINK}", None),
        (f"<template>{LINK}</template>", None),
        (f"<p title='{LINK}", None),
        (f"<p title='{LINK}'>", None),
        (LINK[:-1], None),
        (f"<links rel=alternate type='{TYPE}' href=/a>", None),
        ("", None),
        ("<", None),
        ("< >", None),
        ("<a b=", None),
        ("<link " + "rel=alternate " * 1000, None),
        ("<a " + '"' * 1000, None),
    ],
)
def test_which_link_is_taken(page: str, href: str | None) -> None:
    assert alternate(page.encode()) == href


@given(st.text(alphabet=st.sampled_from("<>/!-='\" \nlinkscrpteahfyo\u0130\u212a")))
def test_no_page_breaks_the_reading(page: str) -> None:
    assert alternate(page.encode()) is None  # none of them can be long enough to be one
    assert alternate(page.replace("<", "").encode() + LINK.encode()) == "/n/5"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/n/5", "https://peer.test/n/5"),
        ("n/5#x", "https://peer.test/page/n/5"),
        ("//other.test/x", "https://other.test/x"),
        ("https://other.test/x", "https://other.test/x"),
        ("javascript:alert(1)", None),
        ("data:application/activity+json,{}", None),
        ("file:///etc/passwd", None),
        ("https://a@b.test/", None),
        ("//[", None),
    ],
)
def test_where_a_link_leads(href: str, url: str | None) -> None:
    assert resolved(href, "https://peer.test/page/1") == url


async def search(world: World, what: str) -> Actor | Post:
    with scope.trigger("inbox"):
        return await find(world.server, what)


async def reason(world: World, what: str) -> str:
    with pytest.raises(FetchProblem) as caught:
        await search(world, what)
    return caught.value.reason


async def test_a_page_leads_to_its_post_in_two_requests(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    world.serve("https://peer.test/n/5", note(carol, "https://peer.test/n/5"))
    page = world.pages["https://peer.test/@carol/5"] = Page(LINK.encode(), content_type="text/html; charset=utf-8")
    found = await search(world, "https://peer.test/@carol/5")
    assert isinstance(found, Post)
    assert found.uri == "https://peer.test/n/5"
    assert [each.path for each in world.peer.received] == ["/@carol/5", "/n/5"]
    assert "text/html;q=0.1" in world.peer.received[0].headers["Accept"]
    assert "text/html" not in world.peer.received[1].headers["Accept"]
    page.body = LINK.replace("/n/5", "/u/carol").encode()
    somebody = await search(world, "https://peer.test/@carol/5")
    assert isinstance(somebody, Actor)
    assert somebody.uri == carol.uri


async def test_no_more_of_a_page_is_read_than_its_first_part(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    for length, found in ((PAGE_LIMIT - len(LINK), True), (PAGE_LIMIT - len(LINK) + 1, False)):
        url = f"https://peer.test/@carol/{length}"
        world.pages[url] = Page(b" " * length + LINK.encode() + b" " * 10 * PAGE_LIMIT, content_type="text/html")
        world.serve("https://peer.test/n/5", note(carol, "https://peer.test/n/5"))
        if found:
            assert (await search(world, url)).uri == "https://peer.test/n/5"
        else:
            assert await reason(world, url) == "content-type"


async def test_a_foreign_link_is_judged_by_the_id_of_what_it_leads_to(world: World) -> None:
    dave = world.person("https://other.test/u/dave")
    link = LINK.replace("/n/5", "https://other.test/n/7")
    for page in ("/1", "/2"):
        world.pages[f"https://peer.test/page{page}"] = Page(link.encode(), content_type="text/html")
    world.serve("https://other.test/n/7", note(dave, "https://other.test/n/7"))
    assert (await search(world, "https://peer.test/page/1")).uri == "https://other.test/n/7"
    # And what lies about itself is not asked for once more: there is one fetch behind a page.
    world.serve("https://other.test/n/7", note(dave, "https://peer.test/n/8"))
    world.serve("https://peer.test/n/8", note(world.person("https://peer.test/u/carol"), "https://peer.test/n/8"))
    assert await reason(world, "https://peer.test/page/2") == "bad-redirect"
    assert await post_at(world, "https://peer.test/n/8") is None
    assert world.asked("/n/8") == []


async def test_a_page_behind_a_page_is_no_document(world: World) -> None:
    for path in ("/1", "/n/5"):
        world.pages[f"https://peer.test{path}"] = Page(LINK.encode(), content_type="text/html")
    assert await reason(world, "https://peer.test/1") == "content-type"
    assert len(world.peer.received) == 2


async def test_a_page_that_leads_to_us_asks_us_nothing(world: World) -> None:
    alice = await world.persona()
    link = LINK.replace("/n/5", alice.uri)
    world.pages["https://peer.test/1"] = Page(link.encode(), content_type="text/html")
    assert await reason(world, "https://peer.test/1") == "disallowed"


async def test_only_what_somebody_pastes_may_be_a_page(world: World) -> None:
    """An id that a server names leads to a document and to nothing else."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    world.serve("https://peer.test/n/5", note(carol, "https://peer.test/n/5"))
    world.pages["https://peer.test/n/6"] = Page(LINK.encode(), content_type="text/html")
    activity = {"type": "Create", "id": "https://peer.test/a/1", "actor": carol.uri, "object": "https://peer.test/n/6"}
    await world.post(alice.inbox, json.dumps(activity).encode(), by=carol)
    await world.drain()
    assert world.asked("/n/5") == []
    assert await post_at(world, "https://peer.test/n/5") is None


async def test_what_is_neither_a_post_nor_a_profile_is_said_to_be_none(world: World) -> None:
    world.serve("https://peer.test/c", {"type": "Collection", "id": "https://peer.test/c", "items": []})
    with pytest.raises(InvalidInput, match="neither a post nor a profile"):
        await search(world, "https://peer.test/c")
    alice = await world.persona()
    assert (await search(world, alice.uri)).uri == alice.uri
    with pytest.raises(NotFound):
        await search(world, "https://sut.test/actors/nobody")
