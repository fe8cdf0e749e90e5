"""Programs in a browser, on pages of another origin: from the first question to the last, on two libraries.

The page is at another host than the server, so that the browser lets it read nothing that the server does not allow.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page

from fakes import packages
from fakes.certificates import Authority
from fakes.chromium import House, house, visiting
from fakes.internet import Site, reply
from makers import make_follow, make_persona
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing.compose import write_post
from privapub.personas.read import by_handle
from privapub.posts.delete import delete
from somebody import make_ann, sign_in

PAGE = b"""<!doctype html><meta charset=utf-8><title>A program</title><link rel=icon href="data:,">
<script src="/program.js"></script>"""


@pytest.fixture(scope="module")
def program() -> bytes:
    return packages.program().encode()


@asynccontextmanager
async def front(program: bytes) -> AsyncIterator[str]:
    """The page of the program; its origin."""
    page, script = reply(PAGE, content_type="text/html"), reply(program, content_type="text/javascript; charset=utf-8")

    async def answer(request: web.Request) -> web.StreamResponse:
        return await (script if request.path == "/program.js" else page)(request)

    async with Site(answer) as site:
        yield site.url


async def make_people(sut: House) -> tuple[Actor, Actor]:
    """Ann, of whose personas one follows bob, and none carol; these two."""
    await make_ann(sut)
    async with sut.server.database.write() as tx:
        night = await by_handle(tx, "night")
        assert night is not None
        bob, carol = [(await make_persona(tx, handle)).actor for handle in ("bob", "carol")]
        await make_follow(tx, night.id, bob.id)
    return bob, carol


async def heard(page: Page, *events: list[str]) -> None:
    """Every way of listening has told of these, in some order, and of nothing else."""
    told = await page.wait_for_function(
        "count => Object.values(fronts.heard).every(each => each.length >= count) && fronts.heard", arg=len(events)
    )
    assert {way: sorted(each) for way, each in (await told.json_value()).items()} == dict.fromkeys(
        ("socket", "fetched", "source"), sorted(events)
    )
    await page.evaluate("Object.values(fronts.heard).forEach(each => each.splice(0))")


@pytest.mark.parametrize("library", ["masto", "megalodon"])
async def test_from_the_first_question_to_the_last(
    library: str, program: bytes, chromium: Browser, database_url: str, tmp_path: Path, authority: Authority
) -> None:
    async with (
        house(database_url, tmp_path, authority) as sut,
        front(program) as origin,
        visiting(chromium) as context,
    ):
        bob, carol = await make_people(sut)
        elsewhere = await write_post(sut.server, carol.id, "somewhere else", "public")
        page = await context.new_page()
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))

        await page.goto(origin)
        asked = await page.evaluate("([library, url]) => fronts.begin(library, url)", [library, sut.url])
        await page.goto(asked)
        await sign_in(page)
        await page.get_by_label("@night@").check()
        await page.get_by_role("button", name="Allow").click()
        await page.wait_for_url(f"{origin}/?*")
        me = await page.evaluate("fronts.comeBack()")
        assert (me["acct"], me["issued"]) == ("night", True)
        assert await page.evaluate("address => fronts.mayRead(address)", me["avatar"])

        sockets: list[Any] = []
        page.on("websocket", lambda each: sockets.append(each))  # noqa: PLW0108 - Playwright takes no built-in
        assert await page.evaluate("fronts.listen()") == [200, "text/event-stream; charset=utf-8"]
        assert {urlsplit(each.url).scheme for each in sockets} == {"wss"}

        theirs = await write_post(sut.server, bob.id, "hello, @night", "public")
        await heard(page, ["update", str(theirs.id)], ["notification", str(theirs.id)])
        mine = await page.evaluate("fronts.write('look at this')")
        assert (mine["acct"], mine["content"]) == ("night", "<p>look at this</p>")
        assert await page.evaluate("address => fronts.mayRead(address)", mine["pictures"][0])
        await heard(page, ["update", mine["id"]])
        boosted = await page.evaluate("id => fronts.boost(id)", str(elsewhere.id))
        assert boosted["boosts"]["acct"] == "carol"
        await heard(page, ["update", boosted["id"]])
        read = await page.evaluate("fronts.home()")
        assert [each["id"] for each in read] == [boosted["id"], mine["id"], str(theirs.id)]
        async with sut.server.database.write() as tx:
            await delete(tx, theirs.id, bob.id, clock.now())
        await heard(page, ["delete", str(theirs.id)])

        assert int(await page.evaluate("fronts.remaining()")) > 0
        assert complaints == []
        assert await page.evaluate("fronts.signOut()") == 401
        await page.wait_for_function("fronts.over.fetched && fronts.source.readyState === EventSource.CLOSED")
        assert all(each.is_closed() for each in sockets)
