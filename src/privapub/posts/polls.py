"""Polls: asked here, told from elsewhere, voted in, closed.

Votes in a poll of ours are counted here. What a remote poll counts is its origin's word; of its votes only those of our
own personas are known.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update

from privapub import identifiers
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.jobs.enqueue import fact_kind, put, put_fact
from privapub.jobs.job import FACTS, NewJob
from privapub.markup.clean import plain
from privapub.posts import audience, read
from privapub.posts.facts import PollCounted, PollEnded, VoteCast
from privapub.posts.poll_read import choices, voter_ids
from privapub.posts.read import Post
from privapub.posts.tables import poll, poll_vote

FEWEST_OPTIONS, MOST_OPTIONS, OPTION_LENGTH = 2, 10, 100
SHORTEST, LONGEST = 300.0, 366 * 86400.0  # seconds
# How often counts go out, and how often those of others are asked for.
EVERY = 180.0
READ_POLL = "read_poll"  # the kind of the job that asks a poll's origin for its counts


@dataclass(frozen=True)
class NewPoll:
    """A poll that somebody here asks: its answers, whether several may be chosen, and how long it lasts (seconds).

    `hides`: how often each was chosen is told nobody, its author neither, until it is over; None: as of one that asked
    the same before, and a new one tells.
    """

    options: tuple[str, ...]
    multiple: bool = False
    lasts: float = 86400.0
    hides: bool | None = None


@dataclass(frozen=True)
class ToldPoll:
    """What a poll's origin says of it: each answer with its votes or None; `closed`: it is over, no moment is said."""

    options: tuple[tuple[str, int | None], ...]
    multiple: bool = False
    voters: int | None = None
    ends_at: float | None = None
    closed: bool = False


def checked(wanted: NewPoll) -> NewPoll:
    """The poll with its answers as they are compared later; InvalidInput for one that cannot be (pure)."""
    options = tuple(plain(option) for option in wanted.options)
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise InvalidInput(f"A poll has {FEWEST_OPTIONS} to {MOST_OPTIONS} answers.")
    if any(not option or len(option) > OPTION_LENGTH for option in options):
        raise InvalidInput(f"Each answer of a poll has 1 to {OPTION_LENGTH} characters.")
    if len(set(options)) < len(options):
        raise InvalidInput("Two answers of this poll are the same.")
    if not SHORTEST <= wanted.lasts <= LONGEST:
        raise InvalidInput("A poll lasts from five minutes to a year.")
    return NewPoll(options, wanted.multiple, wanted.lasts, wanted.hides)


async def ask(tx: Transaction, post_id: int, wanted: NewPoll, now: float) -> None:
    """A post of ours asks this, instead of what it asked before; votes for other answers are forgotten.

    Where it asks the same, votes and end stay. Raises InvalidInput for a poll that cannot be.
    """
    wanted = checked(wanted)
    this = update(poll).where(poll.c.post_id == post_id)
    if await _same(tx, post_id, wanted.options, wanted.multiple):
        if wanted.hides is not None:
            await tx.execute(this.values(hides=wanted.hides))
        return
    ends_at = now + wanted.lasts
    await _replace(tx, post_id, [{"name": name, "votes": None} for name in wanted.options], wanted.multiple, now)
    await tx.execute(this.values(ends_at=ends_at, hides=bool(wanted.hides)))
    await _end_later(tx, post_id, ends_at)


async def learn(tx: Transaction, post_id: int, told: ToldPoll | None, now: float) -> None:
    """A remote post asks this now, or nothing. Votes stay where the answers are the same."""
    if told is None:
        await forget(tx, [post_id])
        return
    if not await _same(tx, post_id, [name for name, _ in told.options], told.multiple):
        await _replace(tx, post_id, _as_told(told), told.multiple, now)
    before = await tx.scalar(select(poll.c.ends_at).where(poll.c.post_id == post_id))
    await _keep(tx, post_id, _as_told(told), told.voters, _end(told, before, now), now)


async def recount(tx: Transaction, post_id: int, told: ToldPoll, now: float) -> bool:
    """The counts of a remote poll, whose answers stay; whether any is higher, or its end is another.

    Counts only grow: they come in any order, and nobody takes a vote back. False where the answers are others.
    """
    await alone(tx, post_id)
    row = await tx.first(select(poll).where(poll.c.post_id == post_id))
    if row is None or not _is_same(row, [name for name, _ in told.options], told.multiple):
        return False
    options = [
        {"name": name, "votes": _higher(votes, before["votes"])}
        for (name, votes), before in zip(told.options, row.options, strict=True)
    ]
    voters = _higher(told.voters, row.voters_elsewhere)
    ends_at = _end(told, row.ends_at, now)
    await _keep(tx, post_id, options, voters, ends_at, now)
    return (options, voters, ends_at) != (row.options, row.voters_elsewhere, row.ends_at)


async def alone(tx: Transaction, post_id: int) -> None:
    """Nobody else votes in this poll, counts in it or changes what it asks, until the transaction is over."""
    # Not by a lock of its row: another question has another one.
    await tx.alone(f"poll {post_id}")


async def cast(tx: Transaction, post_id: int, persona_id: int, chosen: Collection[int], now: float) -> None:
    """A persona votes, for the answers at these places; fact VoteCast where the poll is another's, else PollCounted.

    Raises NotFound where it may not see such a poll, InvalidInput for a poll that is over or its own, for answers that
    there are not, several where one may be chosen, and a second time.
    """
    await alone(tx, post_id)
    post = await audience.seen(tx, post_id, persona_id)
    if post.poll is None:
        raise NotFound("This post has no poll.")
    places = sorted(set(chosen))
    if post.author_id == persona_id:
        raise InvalidInput("Nobody votes in a poll of their own.")
    if post.poll.is_over(now):
        raise InvalidInput("This poll is over.")
    if not places or not all(0 <= place < len(post.poll.options) for place in places):
        raise InvalidInput("There is no such answer.", f"The poll has {len(post.poll.options)}.")
    if len(places) > 1 and not post.poll.multiple:
        raise InvalidInput("One answer can be chosen.")
    if await choices(tx, post_id, persona_id):
        raise InvalidInput("You have voted in this poll.", "A vote is neither changed nor taken back.")
    me = await known(tx, persona_id)
    uris = {place: None if post.local else f"{me.uri}#votes/{identifiers.token()}" for place in places}
    await tx.execute(
        poll_vote.insert(),
        [
            {"post_id": post_id, "actor_id": persona_id, "choice": place, "uri": uris[place], "at": now}
            for place in places
        ],
    )
    if post.local:
        await count_later(tx, post_id, now)
        return
    await put_fact(tx, VoteCast(post_id, persona_id), about=f"post {post_id}")
    if post.poll.ends_at is not None:
        await _end_later(tx, post_id, post.poll.ends_at)


async def take_vote(tx: Transaction, asked: Post, voter_id: int, name: str, uri: str, now: float) -> str | None:
    """Somebody elsewhere votes in a poll of ours, for the answer of this name; the reason where it does not count.

    Only who may see the poll may vote, once for each answer, and once where only one may be chosen. What counts is the
    poll as it is now, whatever was read before.
    """
    await alone(tx, asked.id)
    post = await read.held(tx, asked.id)
    if post is None or post.poll is None or not post.local or not await audience.may_see_now(tx, post, voter_id):
        return "no-poll"
    if post.author_id == voter_id:
        return "own-poll"
    if post.poll.is_over(now):
        return "poll-over"
    place = next((place for place, option in enumerate(post.poll.options) if option.name == name), None)
    if place is None:
        return "no-such-answer"
    before = await choices(tx, post.id, voter_id)
    if place in before or (before and not post.poll.multiple):
        return "voted-before"
    await tx.execute(poll_vote.insert().values(post_id=post.id, actor_id=voter_id, choice=place, uri=uri, at=now))
    await count_later(tx, post.id, now)
    return None


async def count_later(tx: Transaction, post_id: int, now: float) -> None:
    """The counts of a poll of ours will be told to whoever has it, together with those that come meanwhile."""
    await _fact_once(tx, PollCounted(post_id), now + EVERY, f"poll counted {post_id}", while_waiting=True)


async def read_later(tx: Transaction, post: Post, now: float, *, trigger: str = "") -> bool:
    """Ask the origin of a remote poll for its counts, unless that was done within a few minutes; whether it will be.

    `trigger` is "request" where a reader's look is the cause. What was read after its end changes no more.
    """
    asked = post.poll
    if asked is None or post.local or post.deleted_at is not None or asked.read_at > now - EVERY:
        return False
    if asked.ends_at is not None and asked.read_at > asked.ends_at:
        return False
    job = NewJob(
        READ_POLL, READ_POLL, {"post": post.id},
        dedupe_key=f"{READ_POLL} {post.id}", unique_while_waiting=True, trigger=trigger,
    )  # fmt: skip
    return await put(tx, [job]) > 0


async def close(tx: Transaction, post_id: int, ends_at: float) -> bool:
    """The poll that was to end then is over; False where it ends at another time, or was closed before."""
    await alone(tx, post_id)
    closed = await tx.execute(
        update(poll)
        .where(poll.c.post_id == post_id, poll.c.ends_at == ends_at, poll.c.closed_at.is_(None))
        .values(closed_at=ends_at)
    )
    return closed.rowcount > 0


async def votes_of(tx: Transaction, post_id: int, actor_id: int) -> list[tuple[int, str]]:
    """What somebody chose and the id of each vote on the wire."""
    mine = select(poll_vote.c.choice, poll_vote.c.uri).where(
        poll_vote.c.post_id == post_id, poll_vote.c.actor_id == actor_id, poll_vote.c.uri.is_not(None)
    )
    return [(row.choice, row.uri) for row in await tx.all(mine.order_by(poll_vote.c.choice))]


async def forget(tx: Transaction, post_ids: Collection[int]) -> None:
    """These posts ask nothing any more."""
    for table in (poll_vote, poll):
        await tx.execute(delete(table).where(table.c.post_id.in_(sorted(post_ids))))


async def _replace(tx: Transaction, post_id: int, options: list[dict[str, Any]], multiple: bool, now: float) -> None:
    await forget(tx, [post_id])
    await tx.execute(poll.insert().values(post_id=post_id, multiple=multiple, options=options, read_at=now))


async def _keep(
    tx: Transaction,
    post_id: int,
    options: list[dict[str, Any]],
    voters: int | None,
    ends_at: float | None,
    now: float,
) -> None:
    values: dict[str, Any] = {"options": options, "voters_elsewhere": voters, "ends_at": ends_at, "read_at": now}
    await tx.execute(update(poll).where(poll.c.post_id == post_id).values(**values))
    if ends_at is not None and await voter_ids(tx, post_id):
        # Who voted here is told of the end, which may be another than they were told.
        await _end_later(tx, post_id, ends_at)


def _end(told: ToldPoll, before: float | None, now: float) -> float | None:
    """When it ends: what is over without a moment is so since now at the latest (pure)."""
    if told.ends_at is None and told.closed:
        return now if before is None else min(before, now)
    return before if told.ends_at is None else told.ends_at


async def _same(tx: Transaction, post_id: int, names: Iterable[str], multiple: bool) -> bool:
    await alone(tx, post_id)
    row = await tx.first(select(poll).where(poll.c.post_id == post_id))
    return row is not None and _is_same(row, names, multiple)


def _is_same(row: Any, names: Iterable[str], multiple: bool) -> bool:
    return row.multiple == multiple and [option["name"] for option in row.options] == list(names)


def _as_told(told: ToldPoll) -> list[dict[str, Any]]:
    return [{"name": name, "votes": votes} for name, votes in told.options]


def _higher(one: int | None, other: int | None) -> int | None:
    return max((count for count in (one, other) if count is not None), default=None)


async def _end_later(tx: Transaction, post_id: int, ends_at: float) -> None:
    await _fact_once(tx, PollEnded(post_id, ends_at), ends_at, f"poll ended {post_id} {ends_at}", while_waiting=False)


async def _fact_once(tx: Transaction, fact: Any, run_at: float, key: str, *, while_waiting: bool) -> None:
    args = {name: getattr(fact, name) for name in fact.__dataclass_fields__}
    await put(
        tx,
        [
            NewJob(
                fact_kind(type(fact)), FACTS, args,
                run_at=run_at, dedupe_key=key, unique_while_waiting=while_waiting,
            )
        ],
    )  # fmt: skip
