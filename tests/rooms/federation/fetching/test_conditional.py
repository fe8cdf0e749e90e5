"""An actor who is known is asked for only if their document has changed."""

from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import select, update

from fakes.activities import follow_of
from fakes.world import Person, World
from privapub import clock, scope
from privapub.actors import remote
from privapub.actors.read import Actor
from privapub.actors.tables import actor
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.fetching.actor import fetch_actor, learn
from privapub.outbound.answers import FetchProblem

URI = "https://peer.test/u/carol"
LONG_AGO = "Sun, 01 Nov 2020 12:00:00 GMT"


def carol_at(world: World, **headers: str) -> Person:
    """Carol, whose document comes with these headers, and with 304 to whom knows it."""
    carol = world.person(URI)
    tell(world, carol, **headers)
    return carol


def tell(world: World, carol: Person, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def requires(request: web.Request) -> int:
        said = request.headers
        same = said.get("If-None-Match", "-") == named.get("ETag")
        return 304 if same or said.get("If-Modified-Since", "-") == named.get("Last-Modified") else 0

    world.serve_person(carol)
    page = world.pages[URI]
    page.headers, page.requires = named, requires


async def again(world: World, *, fresh: bool = True, pages: bool = False) -> Actor:
    with scope.trigger("inbox"):
        return await fetch_actor(world.server, URI, fresh=fresh, pages=pages)


def asked_with(world: World) -> list[tuple[str | None, str | None]]:
    found = world.asked("/u/carol")
    return [(each.headers.get("if-none-match"), each.headers.get("if-modified-since")) for each in found]


async def row(world: World) -> Any:
    async with world.database.read() as tx:
        return await tx.first(select(actor).where(actor.c.uri == URI))


async def set_row(world: World, **values: object) -> None:
    async with world.database.write() as tx:
        await tx.execute(update(actor).where(actor.c.uri == URI).values(**values))


@pytest.mark.parametrize(
    ("headers", "question"),
    [
        ({"ETag": 'W/"1"', "Last_Modified": LONG_AGO}, ('W/"1"', None)),
        ({"Last_Modified": LONG_AGO}, (None, LONG_AGO)),
    ],
)
async def test_the_same_still_counts_as_fetched_and_changes_nothing_else(
    world: World, headers: dict[str, str], question: tuple[str | None, str | None]
) -> None:
    await world.learnt(carol_at(world, **headers))
    await set_row(world, fetched_at=5.0, name="As kept")
    before = await row(world)
    known = await again(world)
    after = await row(world)
    assert known.name == "As kept"
    assert asked_with(world) == [question]
    assert after.fetched_at > clock.now() - 60
    assert {**before._mapping, "fetched_at": 0.0} == {**after._mapping, "fetched_at": 0.0}
    assert (await again(world, fresh=False)).id == known.id
    assert len(asked_with(world)) == 1


async def test_another_document_is_read_and_its_validators_take_the_place(world: World) -> None:
    carol = carol_at(world, ETag='"1"')
    await world.learnt(carol)
    carol.changes["name"] = "Caroline"
    tell(world, carol, ETag='"2"')
    assert (await again(world)).name == "Caroline"
    await again(world)
    assert asked_with(world) == [('"1"', None), ('"2"', None)]
    tell(world, carol)
    await again(world)
    assert ((await row(world)).etag, (await row(world)).last_modified) == (None, None)


async def test_the_same_still_is_a_failure_where_nothing_was_held(world: World) -> None:
    await world.learnt(carol_at(world))
    world.pages[URI].requires = lambda _: 304
    with pytest.raises(FetchProblem, match="304"):
        await again(world)


async def test_what_came_in_another_way_than_a_fetch_has_no_validators(world: World) -> None:
    carol = carol_at(world, ETag='"1"')
    await world.learnt(carol)
    with scope.trigger("inbox"):
        await learn(world.server, read_actor(carol.document()))
    assert (await row(world)).etag is None


async def test_a_page_is_never_asked_for_with_them(world: World) -> None:
    await world.learnt(carol_at(world, ETag='"1"'))
    await set_row(world, fetched_at=5.0)
    await again(world, pages=True)
    assert asked_with(world) == [(None, None)]


async def test_who_was_gone_or_has_lost_an_inbox_is_read_whole(world: World) -> None:
    known = await world.learnt(carol_at(world, ETag='"1"'))
    async with world.database.write() as tx:
        await remote.mark_gone(tx, known.id, clock.now())
    assert not (await again(world)).is_gone
    async with world.database.write() as tx:
        await remote.inbox_gone(tx, URI, known.inbox, clock.now())
    await again(world)
    assert (await row(world)).inbox_gone_at is None
    assert asked_with(world) == [(None, None)] * 2


async def test_a_peer_that_denies_every_change_hides_no_new_key(world: World) -> None:
    alice, carol = await world.persona(), carol_at(world, ETag='"1"')
    await world.learnt(carol)
    renewed = Person(URI, "carol", key_name="another")
    tell(world, renewed, ETag='"1"')
    said = await world.post(alice.inbox, follow_of(renewed, alice), by=renewed)
    assert said.status == 202
    assert asked_with(world) == [(None, None)]


async def test_validators_of_a_key_that_was_fetched_are_kept_too(world: World) -> None:
    alice, carol = await world.persona(), carol_at(world, ETag='"1"')
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await again(world)
    assert asked_with(world) == [(None, None), ('"1"', None)]
