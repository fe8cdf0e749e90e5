"""Polls, as programs ask and answer them."""

from typing import Any

import pytest
from sqlalchemy import func, select

from makers import make_remote
from privapub import clock
from privapub.composing.compose import edit_post
from privapub.database.connect import Database
from privapub.emojis.keep import Emoji, add
from privapub.federation.documents.write_poll import question
from privapub.jobs.tables import job
from privapub.posts.poll_read import of_posts
from privapub.posts.polls import READ_POLL, NewPoll, ToldPoll, close
from privapub.posts.receive import ReceivedPost, receive
from program import Program, town

NOT_FOUND = (404, "Record not found")


async def ask(app: Program, *, multiple: bool = False, **given: Any) -> Any:
    poll = {"options": ["tea", "coffee", "milk"], "expires_in": 600, "multiple": multiple}
    return (await app.told("POST", "/api/v1/statuses", {"status": "which?", "poll": poll, **given}))["poll"]


async def reads(database: Database) -> int:
    async with database.read() as tx:
        return int(await tx.scalar(select(func.count()).where(job.c.kind == READ_POLL)))


def votes(poll: Any) -> list[int | None]:
    return [each["votes_count"] for each in poll["options"]]


async def test_votes_are_counted_and_ones_own_are_told(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        asked = await ask(app, multiple=True)
        voted = await bob.told("POST", f"/api/v1/polls/{asked['id']}/votes", {"choices": ["0", 2]})
        assert (votes(voted), voted["voters_count"], voted["own_votes"], voted["voted"]) == ([1, 0, 1], 1, [0, 2], True)
        seen = await sut.stranger.get(f"/api/v1/polls/{asked['id']}")
        assert (votes(seen), "own_votes" in seen) == ([1, 0, 1], False)
        mine = await app.get(f"/api/v1/polls/{asked['id']}")
        assert (mine["own_votes"], mine["voted"]) == ([], True)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ([], "The chosen vote option does not exist"),
        (["3"], "The chosen vote option does not exist"),
        (["x"], "The chosen vote option does not exist"),
        (["0", "1"], "You have already voted on this poll"),
    ],
)
async def test_what_is_no_answer_does_not_count(database: Database, choices: list[str], words: str) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        asked = await ask(app)
        path = f"/api/v1/polls/{asked['id']}/votes"
        assert await bob.refused("POST", path, {"choices": choices}) == (422, f"Validation failed: {words}")
        assert votes(await bob.get(f"/api/v1/polls/{asked['id']}")) == [0, 0, 0]


async def test_what_a_poll_hides_is_told_nobody_until_it_is_over(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        poll = {"options": ["tea", "milk"], "expires_in": 600, "hide_totals": True}
        asked = (await app.told("POST", "/api/v1/statuses", {"status": "which?", "poll": poll}))["poll"]
        path = f"/api/v1/polls/{asked['id']}"
        voted = await bob.told("POST", f"{path}/votes", {"choices": ["1"]})
        assert (votes(voted), voted["own_votes"], voted["votes_count"], voted["voters_count"]) == (
            [None, None], [1], 1, 1,
        )  # fmt: skip
        assert votes(await app.get(path)) == votes(await sut.stranger.get(path)) == [None, None]
        async with database.read() as tx:
            kept = (await of_posts(tx, [int(asked["id"])]))[int(asked["id"])]
        document = question(kept)
        assert kept.ends_at is not None
        assert [each["replies"] for each in document["oneOf"]] == [{"type": "Collection"}] * 2
        clock.advance(601)
        async with database.write() as tx:
            assert await close(tx, int(asked["id"]), kept.ends_at)
        assert votes(await sut.stranger.get(path)) == [0, 1]


async def test_an_edit_says_whether_a_poll_hides_and_keeps_its_votes(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        asked = await ask(app)
        path, at = f"/api/v1/polls/{asked['id']}", f"/api/v1/statuses/{asked['id']}"
        await bob.told("POST", f"{path}/votes", {"choices": ["1"]})
        poll = {"options": ["tea", "coffee", "milk"], "expires_in": 600}
        await app.told("PUT", at, {"status": "which?", "poll": {**poll, "hide_totals": True}})
        assert votes(await bob.get(path)) == [None, None, None]
        same = NewPoll(("tea", "coffee", "milk"))
        await edit_post(sut.sut.server, alice.id, int(asked["id"]), "which then?", poll=same)
        assert votes(await bob.get(path)) == [None, None, None]
        await app.told("PUT", at, {"status": "which?", "poll": poll})
        assert votes(await bob.get(path)) == [0, 1, 0]


async def test_one_votes_once_not_in_ones_own_and_not_too_late(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        _, eve = await sut.program("eve")
        path = f"/api/v1/polls/{(await ask(app))['id']}/votes"
        given = {"choices": ["1"]}
        assert await app.refused("POST", path, given) == (
            422, "Validation failed: You cannot vote in your own polls",
        )  # fmt: skip
        await bob.told("POST", path, given)
        again = (422, "Validation failed: You have already voted on this poll")
        assert await bob.refused("POST", path, given) == again
        clock.advance(601)
        assert await eve.refused("POST", path, given) == (422, "Validation failed: The poll has already ended")


async def test_a_poll_that_may_not_be_seen_is_none(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        _, bob = await sut.program("bob")
        asked = await ask(app, visibility="private")
        plain = await app.told("POST", "/api/v1/statuses", {"status": "no poll"})
        for number in (asked["id"], plain["id"], "7"):
            assert await bob.refused("GET", f"/api/v1/polls/{number}") == NOT_FOUND
            assert await bob.refused("POST", f"/api/v1/polls/{number}/votes", {"choices": [0]}) == NOT_FOUND


async def test_the_counts_of_a_poll_elsewhere_are_asked_for(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        async with database.write() as tx:
            carol = await make_remote(tx)
            told = ToldPoll((("tea", 3), ("coffee", None)), voters=3, ends_at=clock.now() + 900)
            record = ReceivedPost(uri="https://peer.test/q", content="<p>which?</p>", kind="Question", poll=told)
            number = await receive(tx, record, carol.id, "public", (), clock.now())
        clock.advance(200)
        shown = await app.get(f"/api/v1/polls/{number}")
        assert (votes(shown), shown["voters_count"]) == ([3, None], 3)
        assert await reads(database) == 1
        await sut.stranger.get(f"/api/v1/polls/{number}")
        assert await reads(database) == 1


async def test_answers_keep_their_emojis_when_the_text_is_edited(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        async with database.write() as tx:
            await add(tx, Emoji("blobcat", "b" * 22 + ".webp", "image/webp", 1, "", clock.now()))
        poll = {"options": [":blobcat:", "none"], "expires_in": 600}
        made = await app.told("POST", "/api/v1/statuses", {"status": "which", "poll": poll})
        edited = await edit_post(sut.sut.server, alice.id, int(made["id"]), "which one")
        assert [tag["name"] for tag in edited.tags] == [":blobcat:"]
