"""What somebody brings that somebody else did: believed by its own signature, else its origin is asked."""

from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, kept_out, note, of, post_at, rows
from fakes.vouched import linked, proven, proving
from fakes.world import PUBLIC, Person, World
from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.inbox import ask_origin
from privapub.federation.inbox.ask_origin import ASK_ORIGIN
from privapub.follows import follow
from privapub.jobs.tables import job

INBOX = "https://sut.test/inbox"
CAROL, DAVE = "https://peer.test/u/carol", "https://other.test/u/dave"
NOTE = "https://other.test/n/9"


async def thread(world: World) -> tuple[Actor, Person, Person, dict[str, Any]]:
    """Alice follows Carol, who wrote a post; Dave of another server, whom nobody here knows, answers it."""
    alice, carol, dave = await world.persona(), world.person(CAROL), proving(world, DAVE)
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await follow.ask(tx, alice.id, theirs.id, "https://sut.test/f/1", clock.now())
        await follow.accepted(tx, alice.id, theirs.id, clock.now())
    await world.post(INBOX, create(carol, note(carol)), by=carol)
    await world.drain()
    world.peer.received.clear()
    world.other.received.clear()
    world.server.arrivals._counts.clear()
    answer = note(dave, NOTE, inReplyTo="https://peer.test/n/1", to=[PUBLIC], cc=[CAROL, f"{CAROL}/followers"])
    return alice, carol, dave, create(dave, answer, "https://other.test/a/9")


async def questions(world: World) -> int:
    """How many questions to origins there are or were."""
    async with world.database.read() as tx:
        return len(await tx.all(select(job.c.id).where(job.c.kind == ASK_ORIGIN)))


@pytest.mark.parametrize("vouched", [proven, linked])
async def test_what_its_actor_signed_is_taken_from_whoever_brings_it_and_not_asked_for(
    world: World, vouched: Any
) -> None:
    _, carol, dave, activity = await thread(world)
    assert (await world.post(INBOX, vouched(activity, dave), by=carol)).status == 202
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>hi</p>"
    assert world.asked("/n/9", world.other) == []
    assert await questions(world) == 0
    assert await kept_out(world) == [None, None]


async def test_what_is_not_signed_is_read_at_its_origin_and_never_as_it_came(world: World) -> None:
    _, carol, _, activity = await thread(world)
    world.serve(NOTE, activity["object"])
    forged = {**activity, "object": {**activity["object"], "content": "<p>buy this</p>"}}
    assert (await world.post(INBOX, forged, by=carol)).status == 202
    assert await rows(world) == 1  # nothing of it is kept
    async with world.database.read() as tx:
        arguments = [str(row.args) for row in await tx.all(select(job.c.args))]
    assert not any("buy this" in text for text in arguments)
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>hi</p>"
    assert world.arrivals()["other.test", "handled", "Create"] == 1


@pytest.mark.parametrize("vouched", [proven, linked])
async def test_what_was_changed_after_it_was_signed_is_read_at_its_origin(world: World, vouched: Any) -> None:
    _, carol, dave, activity = await thread(world)
    world.serve(NOTE, activity["object"])
    changed = vouched(activity, dave)
    changed["object"] = {**changed["object"], "content": "<p>buy this</p>"}
    assert (await world.post(INBOX, changed, by=carol)).status == 202
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>hi</p>"


async def test_nobody_elses_signature_vouches(world: World) -> None:
    """Carol signs what she says that Dave said."""
    _, _, _, activity = await thread(world)
    carol = proving(world, CAROL)
    for vouched in (proven, linked):
        assert (await world.post(INBOX, vouched(activity, carol), by=carol)).status == 202
    await world.drain()
    assert await post_at(world, NOTE) is None
    assert await rows(world) == 1


async def test_a_key_elsewhere_than_at_its_actors_host_is_not_even_asked_for(world: World) -> None:
    _, carol, _, activity = await thread(world)
    world.serve(NOTE, activity["object"])
    erin = proving(world, "https://peer.test/u/erin")
    assert (await world.post(INBOX, proven(activity, erin), by=carol)).status == 202
    assert world.asked("/u/erin") == []
    assert await questions(world) == 1


async def test_what_the_origin_does_not_know_does_not_come_in(world: World) -> None:
    _, carol, _, activity = await thread(world)
    await world.post(INBOX, activity, by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is None
    assert world.arrivals()["other.test", "kept-out", "not-fetched: 404"] == 1


async def test_what_concerns_nobody_here_costs_neither_a_fetch_nor_a_row(world: World) -> None:
    _, carol, dave, _ = await thread(world)
    activity = create(dave, note(dave, NOTE), "https://other.test/a/9")
    for document in (activity, proven(activity, dave)):
        assert (await world.post(INBOX, document, by=carol)).status == 202
    await world.drain()
    assert world.other.received == []
    assert await rows(world) == 1
    assert world.arrivals()["peer.test", "dropped", "not-for-us"] == 2


async def test_what_came_already_is_a_copy(world: World) -> None:
    _, carol, dave, activity = await thread(world)
    signed = proven(activity, dave)
    for _ in range(2):
        await world.post(INBOX, signed, by=carol)
    assert await rows(world) == 2
    await world.drain()
    await world.post(INBOX, signed, by=carol)
    await world.post(INBOX, activity, by=carol)
    assert await rows(world) == 2
    assert world.arrivals()["peer.test", "copy", ""] == 3
    assert await questions(world) == 0


async def test_relations_are_brought_by_who_has_them_alone(world: World) -> None:
    alice, carol, dave, _ = await thread(world)
    follows = of("Follow", dave, alice.uri, "https://other.test/f/1")
    for kind in ("Follow", "Undo", "Block", "Like", "Announce"):
        signed = proven({**follows, "type": kind}, dave)
        assert (await world.post(alice.inbox, signed, by=carol)).status == 401
    assert world.arrivals()["", "refused", "signer-is-not-actor"] == 5
    assert world.other.received == []


async def test_what_is_brought_to_somebodys_own_inbox_is_not_for_them_by_that(world: World) -> None:
    """Carol shows Alice what Dave wrote to Carol alone."""
    alice, carol, dave, activity = await thread(world)
    private = {"to": [CAROL], "cc": []}
    shown = {**activity, **private, "object": {**activity["object"], **private}}
    assert (await world.post(alice.inbox, proven(shown, dave), by=carol)).status == 202
    await world.drain()
    assert await post_at(world, NOTE) is None
    assert (await kept_out(world))[1:] == ["not-for-us"]


async def test_a_vote_is_nobody_elses_to_bring(world: World) -> None:
    _, carol, dave, activity = await thread(world)
    vote = {**activity["object"], "name": "yes", "content": ""}
    await world.post(INBOX, proven({**activity, "object": vote}, dave), by=carol)
    await world.drain()
    assert (await kept_out(world))[1:] == ["vote"]


async def taken_in(world: World) -> tuple[Actor, Person, Person, dict[str, Any]]:
    """The thread, and Dave's answer is here."""
    alice, carol, dave, activity = await thread(world)
    await world.post(INBOX, proven(activity, dave), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is not None
    return alice, carol, dave, activity


async def test_an_edit_is_taken_signed_or_from_its_origin(world: World) -> None:
    _, carol, dave, activity = await taken_in(world)
    first = {**activity["object"], "content": "<p>one</p>", "updated": "2026-03-01T11:00:00Z"}
    second = {**first, "content": "<p>two</p>", "updated": "2026-03-01T12:00:00Z"}
    await world.post(INBOX, proven(of("Update", dave, first, "https://other.test/a/10"), dave), by=carol)
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>one</p>"
    world.serve(NOTE, second)
    lie = {**second, "content": "<p>three</p>"}
    await world.post(INBOX, of("Update", dave, lie, "https://other.test/a/11"), by=carol)
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.content == "<p>two</p>"


async def test_a_signed_delete_is_believed(world: World) -> None:
    _, carol, dave, _ = await taken_in(world)
    await world.post(INBOX, proven(of("Delete", dave, NOTE, "https://other.test/a/12"), dave), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is None


@pytest.mark.parametrize("answer", [404, 410, "Tombstone"])
async def test_a_delete_without_a_proof_holds_if_the_origin_says_so(world: World, answer: int | str) -> None:
    _, carol, dave, _ = await taken_in(world)
    if isinstance(answer, int):
        world.serve(NOTE, status=answer)
    else:
        world.serve(NOTE, {"id": NOTE, "type": "Tombstone"})
    await world.post(INBOX, of("Delete", dave, NOTE, "https://other.test/a/12"), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is None


@pytest.mark.parametrize("answer", [200, 403, 500])
async def test_a_delete_that_the_origin_does_not_confirm_changes_nothing(world: World, answer: int) -> None:
    _, carol, dave, activity = await taken_in(world)
    world.serve(NOTE, activity["object"], status=answer)
    await world.post(INBOX, of("Delete", dave, NOTE, "https://other.test/a/12"), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is not None


async def test_that_nothing_is_there_says_little_of_what_was_not_for_everybody(world: World) -> None:
    _, carol, dave, activity = await thread(world)
    closed = {"to": [f"{DAVE}/followers"], "cc": [CAROL]}
    await world.post(INBOX, proven({**activity, **closed, "object": {**activity["object"], **closed}}, dave), by=carol)
    await world.drain()
    post = await post_at(world, NOTE)
    assert post is not None
    assert post.audience == "followers"
    world.serve(NOTE, status=404)
    await world.post(INBOX, of("Delete", dave, NOTE, "https://other.test/a/12"), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is not None
    world.serve(NOTE, status=410)
    await world.post(INBOX, of("Delete", dave, NOTE, "https://other.test/a/13"), by=carol)
    await world.drain()
    assert await post_at(world, NOTE) is None


async def test_a_delete_of_what_is_not_here_asks_nobody(world: World) -> None:
    _, carol, dave, _ = await thread(world)
    deleted = of("Delete", dave, NOTE, "https://other.test/a/12")
    for sent in (deleted, proven(deleted, dave)):
        assert (await world.post(INBOX, sent, by=carol)).status == 202
    await world.drain()
    assert world.other.received == []
    assert world.arrivals()["peer.test", "dropped", "nothing-to-delete"] == 2


async def test_a_profile_is_read_at_its_origin_however_its_change_was_signed(world: World) -> None:
    """What was signed once may be old."""
    _, carol, dave, _ = await taken_in(world)
    old = {**dave.document(), "name": "old"}
    dave.changes["name"] = "new"
    world.serve_person(dave)
    await world.post(INBOX, proven(of("Update", dave, old, "https://other.test/a/14"), dave), by=carol)
    await world.drain()
    actor = await world.actor(DAVE)
    assert actor is not None
    assert actor.name == "new"


async def test_one_host_has_so_many_questions_waiting_and_one_a_second(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask_origin, "WAITING_FOR_ONE", 3)
    _, carol, dave, activity = await thread(world)
    answers = []
    for number in range(4):
        uri = f"https://other.test/n/{number}"
        document = create(dave, {**activity["object"], "id": uri}, f"https://other.test/a/{number}")
        answers.append(await world.post(INBOX, document, by=carol))
    assert [answer.status for answer in answers] == [202, 202, 202, 503]
    assert "retry-after" in answers[3].headers
    await world.drain()
    assert len([each for each in world.other.received if each.path.startswith("/n/")]) == 1
    clock.advance(1)
    await world.drain()
    assert len([each for each in world.other.received if each.path.startswith("/n/")]) == 2


async def test_what_a_host_does_not_answer_now_is_asked_again(world: World) -> None:
    _, carol, _, activity = await thread(world)
    world.serve(NOTE, status=503)
    await world.post(INBOX, activity, by=carol)
    await world.drain()
    world.serve(NOTE, activity["object"])
    clock.advance(3600)
    await world.drain()
    assert await post_at(world, NOTE) is not None


# Actors who are no more


async def known(world: World) -> Person:
    """Dave is known, has a post here, and his key is forgotten; so it has to be asked for."""
    _, _, dave, _ = await taken_in(world)
    return dave


@pytest.mark.parametrize("answer", [410, "Tombstone"])
async def test_who_is_gone_with_their_key_is_gone_if_their_host_says_so(world: World, answer: int | str) -> None:
    dave = await known(world)
    dave.fragment = "#new-key"  # it is not the one that is known
    if isinstance(answer, int):
        world.serve(DAVE, status=answer)
    else:
        world.serve(DAVE, {"id": DAVE, "type": "Tombstone"})
    assert (await world.post(INBOX, of("Delete", dave, DAVE, f"{DAVE}#delete"), by=dave)).status == 202
    await world.drain()
    actor = await world.actor(DAVE)
    assert actor is not None
    assert actor.is_gone
    assert await post_at(world, NOTE) is None


@pytest.mark.parametrize("answer", [200, 404, 500])
async def test_who_is_only_said_to_be_gone_stays(world: World, answer: int) -> None:
    dave = await known(world)
    served = dave.document()
    world.serve(DAVE, served, status=answer)
    refused = await world.post(
        INBOX, of("Delete", dave, DAVE, f"{DAVE}#delete"), by=dave, key_id=f"{DAVE}#new-key", key_name="another"
    )
    assert refused.status == (503 if answer == 500 else 401)
    await world.drain()
    actor = await world.actor(DAVE)
    assert actor is not None
    assert not actor.is_gone
    assert await post_at(world, NOTE) is not None


async def test_a_key_of_another_host_that_is_gone_says_nothing_of_an_actor(world: World) -> None:
    dave = await known(world)
    gone = "https://peer.test/u/gone"
    world.serve(gone, status=410)
    world.serve(DAVE, status=410)
    answer = await world.post(INBOX, of("Delete", dave, DAVE, f"{DAVE}#delete"), by=dave, key_id=f"{gone}#main-key")
    assert answer.status == 401
    assert await questions(world) == 0


async def test_a_forwarded_delete_of_an_actor_asks_the_origin(world: World) -> None:
    _, carol, dave, _ = await taken_in(world)
    deleted = proven(of("Delete", dave, DAVE, f"{DAVE}#delete"), dave)
    await world.post(INBOX, deleted, by=carol)
    await world.drain()
    actor = await world.actor(DAVE)
    assert actor is not None
    assert not actor.is_gone
    world.serve(DAVE, status=410)
    await world.post(INBOX, deleted, by=carol)
    await world.drain()
    actor = await world.actor(DAVE)
    assert actor is not None
    assert actor.is_gone
