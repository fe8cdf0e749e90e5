"""What the cases say of programs that say something again, because they never heard the answer."""

import asyncio
from typing import Any

import pytest

from cases import clients
from cases.given import DO
from cases.on_answers import choices
from cases.play import MUST, MUST_NOT, Play, Reply
from cases.setup import follows
from cases.stage import allowed
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing import once
from privapub.composing.once import LIFE
from privapub.database.connect import Opening
from privapub.database.transaction import Transaction

PATH = "/api/v1/statuses"
SLOW = 0.02  # for each second of a commit of which the case speaks: all times of it are scaled by it
AHEAD = 1800.0  # seconds until what is written for later
TEXT = "said again"


async def _says(play: Play, key: str, text: str = TEXT, who: Actor | None = None, **more: str) -> Reply:
    """One POST; carol, who follows whoever writes, hears of what comes of it."""
    who = who or play.on.alice
    given = {"status": text, **more}
    reply = await clients.ask(play.world, who, "POST", PATH, given, headers={"Idempotency-Key": key})
    play.replies.append(reply)
    play.notes.setdefault("said", []).append((who, reply))
    return reply


async def _heard(play: Play, *names: str) -> None:
    for name in names or ("alice",):
        await follows(play, "carol", name)
    play.forget_what_was_received()


@DO.on(r"POST twice, key (\w+)")
async def twice(play: Play, key: str) -> None:
    await _heard(play)
    for _ in range(2):
        await _says(play, key)


@DO.on(r"(\d+) parallel POSTs, key (\w+), with the database slowed to (\d+) s per commit")
async def at_once(play: Play, count: str, key: str, seconds: str) -> None:
    await _heard(play)
    await clients.token(play.world, play.on.alice)
    commit = Opening._commit

    async def slowly(self: Opening) -> None:
        await asyncio.sleep(int(seconds) * SLOW)
        await commit(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Opening, "_commit", slowly)
        await asyncio.gather(*(_says(play, key) for _ in range(int(count))))


@DO.on(r"POST key (\w+); server killed after commit and before the answer; restart; POST again")
async def killed(play: Play, key: str) -> None:
    """Whoever handles the request ends with the commit of the post, and nobody hears what that was."""
    await _heard(play)
    await clients.token(play.world, play.on.alice)
    before = await play.on.state("post")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(once, "remember", _ending(asyncio.CancelledError(), committed=True))
        await clients.ask(play.world, play.on.alice, "POST", PATH, {"status": TEXT}, headers={"Idempotency-Key": key})
    assert len((await play.on.state("post"))["post"]) == len(before["post"]) + 1, "it was killed before its commit"
    await play.world.restart()
    for _ in range(2):
        await _says(play, key)


def _ending(error: BaseException, *, committed: bool) -> Any:
    """The transaction that remembers a key ends in this: just after its commit, or without one."""
    remember = once.remember

    async def ending(tx: Transaction, *given: Any) -> None:
        await remember(tx, *given)
        if not committed:
            raise error
        tx.after_commit(die)

    def die() -> None:
        raise error

    return ending


@DO.on(r"POST twice with scheduled_at, key (\w+)")
async def for_later(play: Play, key: str) -> None:
    await _heard(play)
    at = clock.iso(clock.now() + AHEAD)
    for _ in range(2):
        await _says(play, key, scheduled_at=at)
    play.notes["scheduled"] = await clients.get(play.world, play.on.alice, "/api/v1/scheduled_statuses")
    clock.advance(AHEAD + 1)


@DO.on(r"(bob|alice's second persona) uses (\w+)")
async def somebody_else(play: Play, who: str, key: str) -> None:
    """Which alice had used."""
    other = play.on.ours["bob"] if who == "bob" else await play.on.make_persona("night")
    await _heard(play, "alice", other.handle)
    await _says(play, key)
    await _says(play, key, who=other)


@DO.on(r"(\w+) with another text")
async def another_text(play: Play, key: str) -> None:
    await _heard(play)
    await _says(play, key)
    await _says(play, key, "something else")


@DO.on(r"first POST fails with (\d+), then corrected POST, key (\w+)")
async def corrected(play: Play, status: str, key: str) -> None:
    await _heard(play)
    assert (await _says(play, key, "")).status == int(status)
    play.notes["said"].clear()
    await _says(play, key)


@DO.on(r"(\w+) again after the documented time(?: \(for example \d+ h\))?")
async def long_after(play: Play, key: str) -> None:
    await _heard(play)
    await _says(play, key)
    clock.advance(LIFE + 1)
    await _says(play, key)
    assert len(_ids(play)) == 2, "it was not said anew"


@DO.on(r"key of (\d+) characters")
async def long_key(play: Play, length: str) -> None:
    """Two that differ in the last of them alone are two."""
    await _heard(play)
    key = "k" * int(length)
    for each in (key, key, key[:-1] + "l"):
        await _says(play, each)
    assert len(_ids(play)) == 2


def _ids(play: Play) -> set[str]:
    return {reply.json["id"] for _, reply in play.notes["said"]}


@MUST.on(r"one status; each repeat answers (\d+) with the same id", r"one scheduled status()")
async def one_status(play: Play, said: str) -> None:
    assert len(play.notes["said"]) > 1
    for _, reply in play.notes["said"]:
        assert allowed(reply.status, said or "200"), f"{reply.status}: {reply.body}"
    assert len(_ids(play)) == 1
    if "scheduled" in play.notes:
        assert {each["id"] for each in play.notes["scheduled"]} == _ids(play)
        return
    assert await _statuses(play, play.on.alice) == _ids(play)


async def _statuses(play: Play, who: Actor) -> set[str]:
    return {each["id"] for each in await clients.get(play.world, who, f"/api/v1/accounts/{who.id}/statuses")}


@MUST.on(r"independent statuses")
async def independent(play: Play) -> None:
    whose = {who.id: reply.json["account"]["id"] for who, reply in play.notes["said"]}
    assert len(whose) == len(_ids(play)) == 2
    assert whose == {number: str(number) for number in whose}


@MUST.on(r"the first status, or (\d+) as a documented choice")
async def the_first(play: Play, status: str) -> None:
    (_, first), (_, again) = play.notes["said"]
    assert first.status == 200
    assert again.status == int(status) or again.json["id"] == first.json["id"]
    assert await _statuses(play, play.on.alice) == {first.json["id"]}


@MUST.on(r"status is created")
async def created(play: Play) -> None:
    ((_, reply),) = play.notes["said"]
    assert reply.status == 200
    assert await _statuses(play, play.on.alice) == {reply.json["id"]}


@MUST.on(r"federation gets one Create")
async def one_create(play: Play) -> None:
    """Of each status that there is, and of nothing else."""
    sent = [each.json["object"]["id"] for each in play.sent("Create", host="peer.test")]
    who = {who.id: who for who, _ in play.notes["said"]}
    there = set()
    for each in who.values():
        found = await clients.get(play.world, each, f"/api/v1/accounts/{each.id}/statuses")
        there |= {status["uri"] for status in found}
    assert there
    assert sorted(sent) == sorted(there)


@MUST_NOT.on(r"(\d{3}) on the repeat")
async def not_on_the_repeat(play: Play, said: str) -> None:
    for _, reply in play.notes["said"]:
        assert not allowed(reply.status, choices(said)), reply.body


@MUST_NOT.on(r"store the key outside the transaction that creates the status")
async def in_one_transaction(play: Play) -> None:
    """Where that is undone, the key is as new: what is said again is done then, and once."""
    await clients.token(play.world, play.on.alice)
    before = await _statuses(play, play.on.alice)
    key = {"Idempotency-Key": "undone"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(once, "remember", _ending(OSError("the disk is full"), committed=False))
        lost = await clients.ask(play.world, play.on.alice, "POST", PATH, {"status": TEXT}, headers=key)
    assert lost.status == 500
    assert await _statuses(play, play.on.alice) == before
    said = [await clients.ask(play.world, play.on.alice, "POST", PATH, {"status": TEXT}, headers=key) for _ in "ab"]
    assert [reply.status for reply in said] == [200, 200]
    assert await _statuses(play, play.on.alice) == before | {said[0].json["id"]} == before | {said[1].json["id"]}
