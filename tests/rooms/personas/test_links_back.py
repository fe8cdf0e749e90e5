"""A link of a profile whose page leads back to it says so: checked after an edit, and never because somebody reads."""

from typing import Any

import pytest
from sqlalchemy import func, select

from fakes.world import World
from makers import ADDRESSES, facts
from privapub import clock
from privapub.actors.read import Actor
from privapub.actors.tables import actor
from privapub.client_api import show_accounts
from privapub.composing.profile import edit_profile
from privapub.federation.documents.write_actor import person
from privapub.jobs.tables import job
from privapub.personas import links_back
from privapub.personas.links_back import PROFILE_LINK, leads_back, link_of
from privapub.personas.read import known
from privapub.telemetry.tables import fetch

SITE = "https://peer.test/about"
ME = "https://sut.test/@alice"
ID = "https://sut.test/users/a1"


@pytest.fixture
async def alice(world: World) -> Actor:
    return await world.persona()


def serve(world: World, body: str, url: str = SITE, **page: Any) -> None:
    world.serve(url, body.encode(), **{"content_type": "text/html; charset=utf-8", **page})


def anchor(to: str) -> str:
    return f'<!doctype html><title>Alice</title><p><a class="x" rel="nofollow me" href="{to}">me</a>'


async def edited(world: World, who: Actor, *fields: tuple[str, str], **more: Any) -> list[str | None]:
    """What is told of the fields when all that follows from this edit is done."""
    await edit_profile(world.server, who.id, fields=fields or None, **more)
    await world.drain()
    return await told(world, who)


async def told(world: World, who: Actor) -> list[str | None]:
    async with world.database.read() as tx:
        shown = await show_accounts.one(tx, world.server, who.id)
    return [each.verified_at for each in shown.fields]


def today() -> str:
    return f"{clock.iso_day(clock.now())}T00:00:00.000Z"


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("https://a.test", "https://a.test"),
        (" https://a.test/b?c=d ", "https://a.test/b?c=d"),
        ("https://a.test/#me", "https://a.test/"),
        ("http://a.test", None),
        ("https://user@a.test", None),
        ("see https://a.test", None),
        ("https://a.test https://b.test", None),
        ("a.test", None),
        ("https://", None),
        ("", None),
    ],
)
def test_what_is_one_link_is_checked(typed: str, url: str | None) -> None:
    assert link_of(typed) == url


@pytest.mark.parametrize(
    ("page", "leads"),
    [
        (f'<a rel="me" href="{ME}">', True),
        (f"<A HREF='{ME}' REL='nofollow ME noopener'>", True),
        (f'<link rel=me href="{ME}">', True),
        (f'<a rel="me" href="{ID}">', True),
        ('<a rel="me" href=" HTTPS://SUT.test/@Alice ">', True),
        (f'<a rel="me" href="https://elsewhere.test/@bob"><a rel="me" href="{ME}">', True),
        ('<a rel="me" href="https://sut.test/&#64;alice">', True),
        (f'<a rel="friend" href="{ME}">', False),
        (f'<a rel="mes" href="{ME}">', False),
        (f'<a href="{ME}">', False),
        (f'<area rel="me" href="{ME}">', False),
        (f'<a rel="me" href="{ME}x">', False),
        ('<a rel="me" href="/@alice">', False),
        (f'<!-- <a rel="me" href="{ME}"> -->', False),
        (f'<script>"<a rel=me href={ME}>"</script>', False),
        (f'<p title="<a rel=me href={ME}>">', False),
        (ME, False),
        ("", False),
    ],
)
def test_which_page_leads_back(page: str, leads: bool) -> None:
    assert leads_back(page.encode(), frozenset({ME, ID})) is leads


@pytest.mark.parametrize("of", ["url", "uri"])
async def test_a_field_is_verified_by_its_page_and_shown_with_the_day_alone(
    world: World, alice: Actor, of: str
) -> None:
    serve(world, anchor(getattr(alice, of)))
    assert await edited(world, alice, ("Site", SITE), ("Born", "1980")) == [today(), None]
    page = (await world.get("/@alice", {})).body
    assert "leads back here" in page
    assert 'rel="me nofollow noopener noreferrer"><span class="invisible">https://</span>' in page
    async with world.database.read() as tx:
        me = await known(tx, alice.id)
    document = person(me.actor, [], ADDRESSES)
    assert all(set(each) == {"type", "name", "value"} for each in document["attachment"])


async def test_the_page_is_asked_by_the_server_and_told_nothing_of_whose_profile_it_is(
    world: World, alice: Actor
) -> None:
    serve(world, anchor(ME))
    bob = await world.persona("bob")
    await edited(world, alice, ("Site", SITE))
    await edited(world, bob, ("Site", SITE))
    first, second = world.asked("/about")  # one for each: what is known of one is not known of the other
    assert dict(first.headers) == dict(second.headers)
    names = {name.lower() for name in first.headers}
    assert not names & {"cookie", "referer", "signature", "authorization", "signature-input", "from"}
    assert first.headers["user-agent"] == "PrivaPub/test (+http://sut.test/)"
    assert (await told(world, alice), await told(world, bob)) == ([today()], [None])
    await world.server.fetches.flush()
    async with world.database.read() as tx:
        noted = {tuple(row) for row in await tx.all(select(fetch.c.purpose, fetch.c.trigger, fetch.c.host))}
    assert noted == {("profile-link", "profile_link", "peer.test")}


async def test_the_mark_goes_with_the_value_and_stays_with_it(world: World, alice: Actor) -> None:
    serve(world, anchor(ME))
    assert await edited(world, alice, ("Site", SITE)) == [today()]
    # Whatever cannot be known today leaves it as it is: another name, another place.
    serve(world, "", status=503)
    assert await edited(world, alice, ("Born", "1980"), ("Home", SITE)) == [None, today()]
    assert await edited(world, alice, ("Home", f"{SITE}#x")) == [None]
    serve(world, anchor(ME))
    clock.advance(60)  # the check that failed is tried again, and is the one of this edit
    assert await edited(world, alice, bio="I write.") == [today()]
    serve(world, "<p>somebody else lives here now")
    assert await edited(world, alice, bio="I wrote.") == [None]


@pytest.mark.parametrize("status", [404, 410, 403])
async def test_a_page_that_is_not_there_verifies_nothing_and_is_asked_once(
    world: World, alice: Actor, status: int
) -> None:
    serve(world, anchor(ME))
    await edited(world, alice, ("Site", SITE))
    serve(world, anchor(ME), status=status)
    assert await edited(world, alice, name="Alice") == [None]
    assert len(world.asked("/about")) == 2
    serve(world, anchor(ME))
    assert await edited(world, alice, name="Al") == [today()]  # although it failed a moment ago


async def test_a_redirect_is_judged_by_where_it_ends(world: World, alice: Actor) -> None:
    world.serve("https://peer.test/short", status=302, headers={"Location": SITE})
    serve(world, anchor(ME))
    assert await edited(world, alice, ("Site", "https://peer.test/short")) == [today()]
    world.serve("https://peer.test/short", status=302, headers={"Location": "https://peer.test/gone"})
    assert await edited(world, alice, name="Alice") == [None]


async def test_what_is_no_page_or_far_behind_its_beginning_verifies_nothing(world: World, alice: Actor) -> None:
    serve(world, anchor(ME), content_type="text/plain")
    assert await edited(world, alice, ("Site", SITE)) == [None]
    serve(world, "<p>" + "x" * (256 << 10) + anchor(ME))
    assert await edited(world, alice, name="Alice") == [None]


async def test_pages_of_this_server_and_texts_are_not_asked(world: World, alice: Actor) -> None:
    await world.persona("bob")
    assert await edited(world, alice, ("Bob", "https://sut.test/@bob"), ("Site", f"see {SITE}")) == [None, None]
    assert world.peer.received == []


async def test_no_reader_and_no_remote_profile_causes_a_check(world: World, alice: Actor) -> None:
    serve(world, anchor(ME))
    carol = world.person("https://peer.test/u/carol")
    carol.changes = {"attachment": [{"type": "PropertyValue", "name": "Site", "value": f'<a href="{SITE}">{SITE}</a>'}]}
    world.serve_person(carol)
    there = await world.learnt(carol)
    await edited(world, alice, ("Site", SITE))
    await world.get("/@alice", {})
    await world.drain()
    assert await told(world, there) == [None]
    assert len(world.asked("/about")) == 1


async def test_checks_that_wait_are_one_and_a_verified_field_tells_nobody(world: World, alice: Actor) -> None:
    serve(world, anchor(ME))
    await edit_profile(world.server, alice.id, fields=[("Site", SITE), ("Again", SITE)])
    async with world.database.write() as tx:
        for _ in range(3):
            await links_back.plan(tx, alice.id, clock.now())
        assert await tx.scalar(select(func.count()).where(job.c.kind == PROFILE_LINK)) == 1
        before = await tx.first(select(actor.c.updated_at).where(actor.c.id == alice.id))
    await world.drain()
    assert await told(world, alice) == [today(), today()]
    async with world.database.read() as tx:
        assert await tx.first(select(actor.c.updated_at).where(actor.c.id == alice.id)) == before
        assert len(await facts(tx, "persona_edited")) == 1
