"""Polls of ours and of others: asked, voted in, counted, closed."""

import json
from dataclasses import dataclass, replace
from typing import Any

import anyio
import pytest
from sqlalchemy import select
from sqlalchemy import text as sql

from fakes.at_once import Verb, at_once
from makers import ADDRESSES, make_persona, make_post, make_remote
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.jobs.tables import job
from privapub.personas.read import Persona
from privapub.posts import delete, polls, read
from privapub.posts.edit import edit
from privapub.posts.poll_read import Poll, choices, voter_ids
from privapub.posts.polls import NewPoll, ToldPoll
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive, receive_edit
from privapub.posts.tables import poll, poll_vote

NOW = 1_800_000_000.0
HOUR = 3600.0
TOLD = ToldPoll((("a", 3), ("b", 1)), voters=4, ends_at=NOW + HOUR)
RECORD = ReceivedPost(uri="https://peer.test/n/q", content="<p>?</p>", kind="Question", poll=TOLD, published_at=NOW)


@dataclass
class World:
    alice: Persona
    bob: Persona
    carol: Actor


@pytest.fixture
async def world(database: Database) -> World:
    async with database.write() as tx:
        return World(await make_persona(tx, "alice"), await make_persona(tx, "bob"), await make_remote(tx))


async def asked(tx: Transaction, by: Persona, audience: str = "public", **changes: Any) -> Post:
    wanted = replace(NewPoll(("a", "b"), lasts=HOUR), **changes)
    post_id = await publish(
        tx,
        author_id=by.id,
        audience=audience,
        source="?",
        content_html="<p>?</p>",
        poll=wanted,
        addresses=ADDRESSES,
        now=NOW,
    )
    return await again(tx, post_id)


async def told(tx: Transaction, by: Actor, record: ReceivedPost = RECORD) -> Post:
    post_id = await receive(tx, record, by.id, "public", (), NOW)
    assert post_id is not None
    return await again(tx, post_id)


async def again(tx: Transaction, post_id: int) -> Post:
    found = await read.by_id(tx, post_id)
    assert found is not None
    return found


def counts(post: Post) -> tuple[list[int | None], int | None]:
    assert isinstance(post.poll, Poll)
    return [option.votes for option in post.poll.options], post.poll.voters


async def jobs(tx: Transaction, kind: str) -> list[dict[str, Any]]:
    rows = await tx.all(select(job.c.args, job.c.run_at).where(job.c.kind == kind).order_by(job.c.id))
    return [{**json.loads(row.args), "run_at": row.run_at} for row in rows]


async def test_a_poll_is_a_question_that_ends_by_a_job(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        assert post.kind == "Question"
        assert counts(post) == ([0, 0], 0)
        assert post.poll is not None
        assert (post.poll.ends_at, post.poll.multiple) == (NOW + HOUR, False)
        (end,) = await jobs(tx, "poll_ended")
        assert end == {"post_id": post.id, "ends_at": NOW + HOUR, "run_at": NOW + HOUR}


async def test_a_note_has_no_poll(database: Database, world: World) -> None:
    async with database.write() as tx:
        assert (await make_post(tx, world.alice.id)).poll is None


@pytest.mark.parametrize(
    "wanted",
    [
        NewPoll(()),
        NewPoll(("a",)),
        NewPoll(tuple(str(number) for number in range(11))),
        NewPoll(("a", " ")),
        NewPoll(("a", "x" * 101)),
        NewPoll(("a", "a ")),
        NewPoll(("a", "b"), lasts=10),
        NewPoll(("a", "b"), lasts=float("inf")),
    ],
)
def test_what_cannot_be_a_poll(wanted: NewPoll) -> None:
    with pytest.raises(InvalidInput):
        polls.checked(wanted)


async def test_a_vote_counts_once(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        assert await polls.take_vote(tx, post, world.carol.id, "a", "https://peer.test/v/1", NOW) is None
        assert await polls.take_vote(tx, post, world.carol.id, "a", "https://peer.test/v/1", NOW) == "voted-before"
        assert await polls.take_vote(tx, post, world.carol.id, "b", "https://peer.test/v/2", NOW) == "voted-before"
        assert counts(await again(tx, post.id)) == ([1, 0], 1)
        assert await voter_ids(tx, post.id) == (world.carol.id,)
        (later,) = await jobs(tx, "poll_counted")
        assert later["run_at"] == NOW + polls.EVERY


async def test_several_answers_of_one_voter_are_one_voter(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice, multiple=True)
        for name in ("a", "b"):
            assert await polls.take_vote(tx, post, world.carol.id, name, f"https://peer.test/v/{name}", NOW) is None
        assert counts(await again(tx, post.id)) == ([1, 1], 1)


async def test_votes_that_do_not_count(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        followers = await asked(tx, world.alice, "followers")
        note = await make_post(tx, world.alice.id)
        vote = "https://peer.test/v/1"
        assert await polls.take_vote(tx, post, world.carol.id, "A", vote, NOW) == "no-such-answer"
        assert await polls.take_vote(tx, post, world.carol.id, "c", vote, NOW) == "no-such-answer"
        assert await polls.take_vote(tx, post, world.alice.id, "a", vote, NOW) == "own-poll"
        assert await polls.take_vote(tx, post, world.carol.id, "a", vote, NOW + HOUR) == "poll-over"
        assert await polls.take_vote(tx, followers, world.carol.id, "a", vote, NOW) == "no-poll"
        assert await polls.take_vote(tx, note, world.carol.id, "a", vote, NOW) == "no-poll"
        assert counts(await again(tx, post.id)) == ([0, 0], 0)
        assert await jobs(tx, "poll_counted") == []


async def test_two_votes_at_once_are_one(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
    said: list[str | None] = []

    async def one(name: str) -> None:
        async with database.write() as tx:
            said.append(await polls.take_vote(tx, post, world.carol.id, name, f"https://peer.test/v/{name}", NOW))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(one, "a")
            group.start_soon(one, "b")
    assert sorted(said, key=str) == [None, "voted-before"]


async def test_ours_vote_in_a_poll_of_ours(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        await polls.cast(tx, post.id, world.bob.id, [1], NOW)
        assert counts(await again(tx, post.id)) == ([0, 1], 1)
        assert await choices(tx, post.id, world.bob.id) == (1,)
        assert await jobs(tx, "vote_cast") == []


@pytest.mark.parametrize("chosen", [[], [0, 1], [5], [-1]])
async def test_votes_that_cannot_be(database: Database, world: World, chosen: list[int]) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        with pytest.raises(InvalidInput):
            await polls.cast(tx, post.id, world.bob.id, chosen, NOW)
        assert counts(await again(tx, post.id)) == ([0, 0], 0)


async def test_nobody_votes_twice_late_in_their_own_or_unseen(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        hidden = await asked(tx, world.alice, "followers")
        await polls.cast(tx, post.id, world.bob.id, [0], NOW)
        for voter, at in ((world.bob, NOW), (world.alice, NOW), (world.bob, NOW + HOUR)):
            with pytest.raises(InvalidInput):
                await polls.cast(tx, post.id, voter.id, [1], at)
        note = await make_post(tx, world.alice.id)
        for post_id in (hidden.id, note.id, 1):
            with pytest.raises(NotFound):
                await polls.cast(tx, post_id, world.bob.id, [0], NOW)


async def test_a_vote_elsewhere_is_told_to_its_author_and_counted_there(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await told(tx, world.carol)
        assert counts(post) == ([3, 1], 4)
        await polls.cast(tx, post.id, world.bob.id, [1], NOW)
        assert counts(await again(tx, post.id)) == ([3, 1], 4)
        ((place, uri),) = await polls.votes_of(tx, post.id, world.bob.id)
        assert place == 1
        assert uri.startswith(world.bob.actor.uri + "#votes/")
        assert [(fact["post_id"], fact["persona_id"]) for fact in await jobs(tx, "vote_cast")] == [
            (post.id, world.bob.id)
        ]
        assert [fact["ends_at"] for fact in await jobs(tx, "poll_ended")] == [NOW + HOUR]


async def test_an_edit_of_the_text_keeps_votes_and_one_of_the_answers_does_not(
    database: Database, world: World
) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        await polls.cast(tx, post.id, world.bob.id, [0], NOW)
        said: dict[str, Any] = {"source": "??", "content_html": "<p>??</p>"}
        await edit(tx, post.id, world.alice.id, **said, now=NOW + 1)
        assert counts(await again(tx, post.id)) == ([1, 0], 1)
        same = NewPoll(("a", "b"), lasts=2 * HOUR)
        assert not await edit(tx, post.id, world.alice.id, **said, poll=same, now=NOW + 2)
        assert counts(await again(tx, post.id)) == ([1, 0], 1)
        other = NewPoll(("a", "c"), lasts=2 * HOUR)
        assert await edit(tx, post.id, world.alice.id, **said, poll=other, now=NOW + 3)
        changed = await again(tx, post.id)
        assert counts(changed) == ([0, 0], 0)
        assert changed.poll is not None
        assert changed.poll.ends_at == NOW + 3 + 2 * HOUR
        assert await choices(tx, post.id, world.bob.id) == ()
        assert not await polls.close(tx, post.id, NOW + HOUR)
        assert await polls.close(tx, post.id, NOW + 3 + 2 * HOUR)
        assert not await polls.close(tx, post.id, NOW + 3 + 2 * HOUR)


async def test_counts_from_elsewhere_are_no_edit_and_only_grow(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await told(tx, world.carol)
        more = replace(RECORD, content="<p>other</p>", poll=replace(TOLD, options=(("a", 5), ("b", 1)), voters=6))
        assert await receive_edit(tx, more, world.carol.id, (), NOW + 1)
        assert not await receive_edit(tx, more, world.carol.id, (), NOW + 2)
        assert not await receive_edit(tx, RECORD, world.carol.id, (), NOW + 3)
        kept = await again(tx, post.id)
        assert counts(kept) == ([5, 1], 6)
        assert (kept.content, kept.edited_at) == ("<p>?</p>", None)
        strange = replace(RECORD, poll=ToldPoll((("x", 9), ("b", 1))))
        assert not await receive_edit(tx, strange, world.carol.id, (), NOW + 4)
        assert not await receive_edit(tx, replace(more, poll=None), world.carol.id, (), NOW + 4)
        assert counts(await again(tx, post.id)) == ([5, 1], 6)


async def test_other_answers_from_elsewhere_begin_anew(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await told(tx, world.carol)
        await polls.cast(tx, post.id, world.bob.id, [0], NOW)
        other = replace(RECORD, updated_at=NOW + 5, poll=ToldPoll((("x", 0), ("y", 0)), voters=0))
        assert await receive_edit(tx, other, world.carol.id, (), NOW + 6)
        assert counts(await again(tx, post.id)) == ([0, 0], 0)
        assert await choices(tx, post.id, world.bob.id) == ()
        gone = replace(RECORD, kind="Note", updated_at=NOW + 7, poll=None)
        assert await receive_edit(tx, gone, world.carol.id, (), NOW + 8)
        assert (await again(tx, post.id)).poll is None


@pytest.mark.parametrize(
    ("news", "ends_at"),
    [
        (replace(TOLD, ends_at=NOW + 60), NOW + 60),
        (replace(TOLD, ends_at=None, closed=True), NOW + 9),
        (TOLD, NOW + HOUR),
    ],
)
async def test_who_voted_is_told_of_another_end(
    database: Database, world: World, news: ToldPoll, ends_at: float
) -> None:
    async with database.write() as tx:
        post = await told(tx, world.carol)
        await polls.cast(tx, post.id, world.bob.id, [0], NOW)
        assert await polls.recount(tx, post.id, news, NOW + 9) is (ends_at != NOW + HOUR)
        ends = [fact["ends_at"] for fact in await jobs(tx, "poll_ended")]
        assert ends == ([NOW + HOUR] if ends_at == NOW + HOUR else [NOW + HOUR, ends_at])
        assert await polls.close(tx, post.id, ends_at)
        changed = await again(tx, post.id)
        assert changed.poll is not None
        assert changed.poll.is_over(ends_at)


async def test_the_origin_is_asked_at_most_every_few_minutes(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await told(tx, world.carol)
        assert not await polls.read_later(tx, post, NOW + 1)
        assert await polls.read_later(tx, post, NOW + polls.EVERY + 1, trigger="request")
        assert not await polls.read_later(tx, post, NOW + polls.EVERY + 2)
        ours = await asked(tx, world.alice)
        assert not await polls.read_later(tx, ours, NOW + HOUR)
        await tx.execute(poll.update().values(read_at=NOW + 2 * HOUR))
        assert not await polls.read_later(tx, await again(tx, post.id), NOW + 9 * HOUR)
        assert [row.trigger for row in await tx.all(sql("SELECT trigger FROM job WHERE kind = 'read_poll'"))] == [
            "request"
        ]


async def test_a_deleted_poll_leaves_nothing(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
        await polls.cast(tx, post.id, world.bob.id, [0], NOW)
        await delete.delete(tx, post.id, world.alice.id, NOW)
        assert (await again(tx, post.id)).poll is None
        assert await tx.all(select(poll_vote)) == []
        assert await tx.all(select(poll)) == []


async def test_a_vote_that_was_read_before_an_edit_counts_for_no_other_answer(database: Database, world: World) -> None:
    async with database.write() as tx:
        stale = await asked(tx, world.alice, options=("a", "b", "c"))

    async def asks_otherwise(tx: Transaction) -> None:
        wanted = NewPoll(("d", "e"))
        await edit(tx, stale.id, world.alice.id, source="?", content_html="<p>?</p>", poll=wanted, now=NOW)

    async def votes_elsewhere(tx: Transaction) -> None:
        said = await polls.take_vote(tx, stale, world.carol.id, "a", "https://peer.test/v/1", NOW)
        assert said == "no-such-answer"

    async def votes(tx: Transaction) -> None:
        with pytest.raises(InvalidInput, match="no such answer"):
            await polls.cast(tx, stale.id, world.bob.id, [2], NOW)

    await at_once(database, asks_otherwise, votes_elsewhere)
    async with database.read() as tx:
        assert counts(await again(tx, stale.id)) == ([0, 0], 0)
    async with database.write() as tx:
        wanted = NewPoll(("a", "b", "c"))
        await edit(tx, stale.id, world.alice.id, source="?", content_html="<p>?</p>", poll=wanted, now=NOW)
    await at_once(database, asks_otherwise, votes)
    async with database.read() as tx:
        assert counts(await again(tx, stale.id)) == ([0, 0], 0)


async def test_two_votes_of_one_voter_at_once_are_one(database: Database, world: World) -> None:
    async with database.write() as tx:
        post = await asked(tx, world.alice)
    said: list[str | None] = []

    def voting(name: str) -> Verb:
        async def vote(tx: Transaction) -> None:
            said.append(await polls.take_vote(tx, post, world.carol.id, name, f"https://peer.test/v/{name}", NOW))

        return vote

    await at_once(database, voting("a"), voting("b"))
    assert said == [None, "voted-before"]
    async with database.read() as tx:
        assert counts(await again(tx, post.id)) == ([1, 0], 1)
