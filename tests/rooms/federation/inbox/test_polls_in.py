"""Polls over real sockets: votes in and out, counts sent again, counts that come, the end."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from fakes.activities import create, kept_out, of, post_at
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import make_follow
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing.compose import edit_post, write_post
from privapub.notifications.tables import notification
from privapub.posts import polls
from privapub.posts.polls import NewPoll
from privapub.posts.read import Post, by_id
from privapub.posts.tables import post as posts

HOUR = 3600.0
QUESTION = "https://peer.test/n/q"
FOR_FOLLOWERS = {"interactionPolicy": {"canQuote": {"automaticApproval": "https://peer.test/u/carol/followers"}}}


def vote(carol: Person, asked: str, name: str, number: int, author: Actor) -> dict[str, Any]:
    uri = f"https://peer.test/v/{number}"
    note = {"type": "Note", "id": f"{uri}/n", "attributedTo": carol.uri, "inReplyTo": asked, "name": name}
    return {**create(carol, {**note, "to": [author.uri]}, uri), "to": [author.uri]}


def question(carol: Person, a: int = 0, b: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "@context": CONTEXT,
        "type": "Question",
        "id": QUESTION,
        "attributedTo": carol.uri,
        "content": "<p>?</p>",
        "to": [PUBLIC],
        "cc": [f"{carol.uri}/followers"],
        "published": clock.iso(clock.now() - 60),
        "endTime": clock.iso(clock.now() + HOUR),
        "oneOf": [
            {"type": "Note", "name": name, "replies": {"type": "Collection", "totalItems": votes}}
            for name, votes in (("a", a), ("b", b))
        ],
        "votersCount": a + b,
        **changes,
    }


async def asked_here(world: World) -> tuple[Actor, Person, Post]:
    """Alice asks, and carol, who follows her, has her poll."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, theirs.id, alice.id)
    post = await write_post(world.server, alice.id, "Which?", "public", poll=NewPoll(("a", "b"), lasts=HOUR))
    await world.drain()
    return alice, carol, post


async def asked_there(world: World, changes: Mapping[str, Any] = {}) -> tuple[Actor, Person, Post]:
    """Carol, whom alice follows, asks."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, theirs.id)
    asked = question(carol, 3, 1, **changes)
    world.serve(QUESTION, asked)
    await world.post("https://sut.test/inbox", create(carol, asked), by=carol)
    await world.drain()
    world.peer.received.clear()
    post = await post_at(world, QUESTION)
    assert post is not None
    return alice, carol, post


async def counts(world: World, post: Post) -> tuple[list[int | None], int | None]:
    async with world.database.read() as tx:
        found = await by_id(tx, post.id)
    assert found is not None
    assert found.poll is not None
    return [option.votes for option in found.poll.options], found.poll.voters


async def told_of_the_end(world: World) -> list[int]:
    async with world.database.read() as tx:
        rows = await tx.all(select(notification.c.persona_id).where(notification.c.kind == "poll"))
    return sorted(row.persona_id for row in rows)


async def test_a_poll_goes_out_as_a_question(world: World) -> None:
    alice, _, post = await asked_here(world)
    (asked,) = [said["object"] for said in world.sent() if said["type"] == "Create"]
    assert (asked["type"], asked["id"], asked["attributedTo"]) == ("Question", post.uri, alice.uri)
    assert [(option["name"], option["replies"]["totalItems"]) for option in asked["oneOf"]] == [("a", 0), ("b", 0)]
    assert asked["votersCount"] == 0
    assert "closed" not in asked
    assert asked["endTime"] == clock.iso(post.published_at + HOUR)
    several = await write_post(world.server, alice.id, "?", "public", poll=NewPoll(("a", "b"), multiple=True))
    said = await world.get(
        several.uri.removeprefix("https://sut.test"), {"Host": "sut.test", "Accept": "application/activity+json"}
    )
    assert '"anyOf"' in said.body
    assert '"Question"' in said.body


async def test_votes_are_counted_kept_as_no_post_and_told_together(world: World) -> None:
    alice, carol, post = await asked_here(world)
    dave = world.person("https://peer.test/u/dave")
    world.peer.received.clear()
    for each in (
        (carol, vote(carol, post.uri, "a", 1, alice)),
        (carol, vote(carol, post.uri, "b", 2, alice)),
        (dave, vote(dave, post.uri, "b", 3, alice)),
        (dave, vote(dave, post.uri, "c", 4, alice)),
    ):
        assert (await world.post(alice.inbox, each[1], by=each[0])).status == 202
        await world.drain()
    assert await kept_out(world) == [None, "voted-before", None, "no-such-answer"]
    assert await counts(world, post) == ([1, 1], 2)
    async with world.database.read() as tx:
        assert len(await tx.all(select(posts.c.id))) == 1
    assert world.sent() == []
    clock.advance(polls.EVERY + 1)
    await world.drain()
    (update,) = world.sent()
    assert (update["type"], update["object"]["votersCount"]) == ("Update", 2)
    assert [option["replies"]["totalItems"] for option in update["object"]["oneOf"]] == [1, 1]
    assert "updated" not in update["object"]


async def test_the_end_closes_tells_and_counts_no_more(world: World) -> None:
    alice, carol, post = await asked_here(world)
    bob = await world.persona("bob")
    async with world.database.write() as tx:
        await polls.cast(tx, post.id, bob.id, [0], clock.now())
    await world.drain()
    world.peer.received.clear()
    clock.advance(HOUR + 1)
    await world.drain()
    last = world.sent()[-1]
    assert last["object"]["closed"] == last["object"]["endTime"]
    assert last["object"]["votersCount"] == 1
    assert await told_of_the_end(world) == sorted((alice.id, bob.id))
    await world.post(alice.inbox, vote(carol, post.uri, "a", 1, alice), by=carol)
    await world.drain()
    assert await kept_out(world) == ["poll-over"]
    assert await counts(world, post) == ([1, 0], 1)


async def test_an_edit_with_other_answers_is_an_update_without_votes(world: World) -> None:
    alice, carol, post = await asked_here(world)
    await world.post(alice.inbox, vote(carol, post.uri, "a", 1, alice), by=carol)
    await world.drain()
    world.peer.received.clear()
    await edit_post(world.server, alice.id, post.id, "Which now?")
    await world.drain()
    assert world.sent()[-1]["object"]["votersCount"] == 1
    await edit_post(world.server, alice.id, post.id, "Which now?", poll=NewPoll(("c", "d")))
    await world.drain()
    changed = world.sent()[-1]["object"]
    assert (changed["votersCount"], [option["name"] for option in changed["oneOf"]]) == (0, ["c", "d"])


async def test_our_vote_goes_to_the_author_alone_and_the_counts_are_asked_for(world: World) -> None:
    alice, carol, post = await asked_there(world)
    assert await counts(world, post) == ([3, 1], 4)
    clock.advance(polls.EVERY + 1)
    async with world.database.write() as tx:
        await polls.cast(tx, post.id, alice.id, [1], clock.now())
    world.serve(QUESTION, question(carol, 3, 2))
    await world.drain()
    (sent,) = [request for request in world.peer.received if request.method == "POST"]
    assert sent.path == "/u/carol/inbox"
    said = sent.json
    assert (said["type"], said["actor"], said["to"]) == ("Create", alice.uri, [carol.uri])
    assert said["object"] == {
        "id": said["object"]["id"],
        "type": "Note",
        "attributedTo": alice.uri,
        "to": [carol.uri],
        "inReplyTo": QUESTION,
        "name": "b",
    }
    assert len(world.asked("/n/q")) == 1
    assert await counts(world, post) == ([3, 2], 5)


async def test_counts_that_come_are_no_edit(world: World) -> None:
    alice, carol, post = await asked_there(world)
    ends = clock.iso(post.poll.ends_at) if post.poll and post.poll.ends_at else ""
    same = {"published": clock.iso(post.published_at), "endTime": ends}
    for number, (a, b) in enumerate(((5, 1), (4, 1))):
        news = of("Update", carol, question(carol, a, b, **same), f"https://peer.test/up/{number}")
        await world.post("https://sut.test/inbox", {**news, "to": [PUBLIC]}, by=carol)
        await world.drain()
    assert await counts(world, post) == ([5, 1], 6)
    assert await kept_out(world) == [None, None, "not-newer"]
    found = await post_at(world, QUESTION)
    assert found is not None
    assert found.edited_at is None
    assert alice.local


async def test_the_end_of_a_poll_elsewhere_is_told_to_ours_who_voted(world: World) -> None:
    alice, carol, post = await asked_there(world)
    async with world.database.write() as tx:
        await polls.cast(tx, post.id, alice.id, [0], clock.now())
    await world.drain()
    world.serve(QUESTION, question(carol, 9, 1, endTime=clock.iso(post.poll.ends_at or 0) if post.poll else None))
    clock.advance(HOUR + 1)
    await world.drain()
    assert await told_of_the_end(world) == [alice.id]
    assert await counts(world, post) == ([9, 1], 10)


async def test_counts_are_taken_from_whoever_asked_and_nobody_else_of_their_host(world: World) -> None:
    alice, _carol, post = await asked_there(world)
    mallory = world.person("https://peer.test/u/mallory")
    world.serve(QUESTION, question(mallory, 40, 1, content="<p>another</p>", updated="2026-03-02T10:00:00Z"))
    clock.advance(polls.EVERY + 1)
    async with world.database.write() as tx:
        assert await polls.read_later(tx, post, clock.now())
    await world.drain()
    found = await post_at(world, QUESTION)
    assert found is not None
    assert found.content == post.content
    assert await counts(world, post) == ([3, 1], 4)
    assert alice.local


async def test_a_poll_whose_origin_is_gone_stays_as_it_is(world: World) -> None:
    alice, _, post = await asked_there(world)
    world.serve(QUESTION, status=404)
    clock.advance(polls.EVERY + 1)
    async with world.database.write() as tx:
        assert await polls.read_later(tx, post, clock.now())
    await world.drain()
    assert await counts(world, post) == ([3, 1], 4)
    assert alice.local


async def test_who_may_quote_a_poll_stays_as_it_is_when_its_counts_are_read(world: World) -> None:
    alice, carol, post = await asked_there(world, FOR_FOLLOWERS)
    assert post.quote_policy == "followers"
    ends = clock.iso(post.poll.ends_at) if post.poll and post.poll.ends_at else ""
    world.serve(QUESTION, question(carol, 4, 1, endTime=ends, **FOR_FOLLOWERS))
    clock.advance(polls.EVERY + 1)
    async with world.database.write() as tx:
        assert await polls.read_later(tx, post, clock.now())
    await world.drain()
    assert await counts(world, post) == ([4, 1], 5)
    found = await post_at(world, QUESTION)
    assert found is not None
    assert found.quote_policy == "followers"
    assert alice.local


async def test_an_answer_with_a_name_and_a_picture_is_no_vote(world: World) -> None:
    alice, carol, post = await asked_here(world)
    picture = {"type": "Document", "mediaType": "image/png", "url": "https://peer.test/x.png", "name": "a cat"}
    answer = {**vote(carol, post.uri, "a", 1, alice)["object"], "attachment": [picture]}
    assert (await world.post(alice.inbox, create(carol, answer), by=carol)).status == 202
    await world.drain()
    assert await post_at(world, answer["id"]) is not None
    assert (await counts(world, post))[1] == 0
