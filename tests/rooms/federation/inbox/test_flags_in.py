"""Reports on the wire, theirs and ours."""

from typing import Any

import pytest

from fakes.activities import kept_out, note, of
from fakes.world import CONTEXT, World
from makers import make_post
from privapub import scope
from privapub.composing.report import report
from privapub.errors import InvalidInput
from privapub.moderation import reports
from privapub.moderation.reports import Report


async def kept(world: World) -> list[Report]:
    async with world.database.read() as tx:
        return await reports.newest(tx)


async def test_a_report_of_a_persona_and_its_posts_is_kept_once(world: World) -> None:
    """Mastodon: the actor of its server says it, and names the persona first."""
    alice, server = await world.persona(), world.person("https://peer.test/actor")
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
    said = {**of("Flag", server, [alice.uri, post.uri], "https://peer.test/flags/1"), "content": "<b>spam</b> &amp; so"}
    await world.post("https://sut.test/inbox", said, by=server)
    await world.drain()
    await world.post("https://sut.test/inbox", {**said, "to": [alice.uri]}, by=server)
    await world.drain()
    assert await kept_out(world) == [None, "reported-before"]
    (found,) = await kept(world)
    assert (found.target_id, found.post_uris, found.comment) == (alice.id, (post.uri,), "spam & so")
    assert (found.uri, found.local) == ("https://peer.test/flags/1", False)


async def test_a_report_of_a_post_alone_is_one_of_its_author(world: World) -> None:
    """Lemmy: the object is the post, the reason stands in `summary`."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
    said = {**of("Flag", carol, post.uri, "https://peer.test/flags/1"), "summary": "rude"}
    await world.post(alice.inbox, said, by=carol)
    await world.drain()
    (found,) = await kept(world)
    assert (found.target_id, found.post_uris, found.comment) == (alice.id, (post.uri,), "rude")


@pytest.mark.parametrize(
    "objects",
    [
        ["https://sut.test/actors/nobody"],
        ["https://sut.test/actors/application"],
        ["https://peer.test/u/carol", "https://peer.test/n/1"],
    ],
)
async def test_a_report_of_nobody_here_is_kept_out(world: World, objects: Any) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, of("Flag", carol, objects, "https://peer.test/flags/1"), by=carol)
    await world.drain()
    assert await kept_out(world) == ["nobody-to-report"]
    assert await kept(world) == []


async def test_an_id_counts_for_its_actor_alone(world: World) -> None:
    alice = await world.persona()
    for name in ("carol", "dave"):
        by = world.person(f"https://peer.test/u/{name}")
        await world.post(alice.inbox, of("Flag", by, alice.uri, "https://other.test/flags/1"), by=by)
    await world.drain()
    assert len(await kept(world)) == 2


async def test_our_report_is_sent_by_the_server_and_does_not_tell_who_reports(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    known = await world.learnt(carol)
    world.serve("https://peer.test/n/1", {"@context": CONTEXT, **note(carol)})
    with scope.trigger("inbox"):
        filed = await report(world.server, alice.id, known, ["https://peer.test/n/1"], "look")
    await world.drain()
    (request,) = [each for each in world.peer.received if each.method == "POST"]
    assert request.path == "/u/carol/inbox"
    said = request.json
    assert (said["type"], said["id"], said["actor"]) == ("Flag", filed.uri, "https://sut.test/actors/application")
    assert said["object"] == [carol.uri, "https://peer.test/n/1"]
    assert said["content"] == "look"
    assert "actors/application#main-key" in request.headers["Signature"]
    assert alice.uri not in request.body.decode()
    assert (await kept(world))[0].forwarded_at is not None


async def test_a_report_of_one_of_ours_stays_here(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    await report(world.server, alice.id, bob)
    await world.drain()
    assert [(each.target_id, each.forwarded_at) for each in await kept(world)] == [(bob.id, None)]


async def test_posts_of_somebody_else_are_no_part_of_a_report(world: World) -> None:
    alice, bob = await world.persona(), await world.persona("bob")
    async with world.database.write() as tx:
        own = await make_post(tx, alice.id)
    with pytest.raises(InvalidInput):
        await report(world.server, alice.id, bob, [own.uri])
    assert await kept(world) == []


async def test_more_reports_than_anybody_looks_at_are_not_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_BY_HOST", 1)
    alice, carol, dave = await world.persona(), *(world.person(f"https://peer.test/u/{name}") for name in "cd")
    for who in (carol, dave):
        await world.post(alice.inbox, of("Flag", who, alice.uri, f"{who.uri}/flag"), by=who)
        await world.drain()
    assert await kept_out(world) == [None, "too-many-reports"]
    assert len(await kept(world)) == 1
