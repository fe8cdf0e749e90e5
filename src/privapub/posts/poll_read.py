"""Looking up polls and who voted for what."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, func, select

from privapub.database.transaction import Transaction
from privapub.posts.tables import poll, poll_vote, post


@dataclass(frozen=True)
class Option:
    """One answer, and how many chose it: None where its origin does not say, or it is not told yet."""

    name: str
    votes: int | None


@dataclass(frozen=True)
class Poll:
    """The answers that can be chosen, one or several of them, and what was chosen.

    `voters` is how many people voted (None: unknown), and `cast` how many votes there are; `read_at` when the counts of
    a remote poll were last heard of. One of ours that `hides` says of no answer how many chose it until it is closed.
    """

    post_id: int
    options: tuple[Option, ...]
    multiple: bool
    voters: int | None
    ends_at: float | None
    closed_at: float | None
    read_at: float
    cast: int = 0
    hides: bool = False

    def is_over(self, now: float) -> bool:
        """Whether nobody can vote any more."""
        return self.closed_at is not None or (self.ends_at is not None and self.ends_at <= now)


async def of_posts(tx: Transaction, post_ids: Collection[int]) -> dict[int, Poll]:
    """The polls of those of these posts that have one, by post: ours counted here, others' as their origins count."""
    if not post_ids:
        return {}
    polls: dict[int, Any] = {}
    votes: dict[tuple[int, int], int] = {}
    for row in await tx.all(_OF_POSTS, posts=sorted(set(post_ids))):
        polls[row.post_id] = row
        votes[row.post_id, row.choice] = row.times
    found = {}
    for number, row in polls.items():
        counts = [
            votes.get((number, place), 0) if row.local else option["votes"] for place, option in enumerate(row.options)
        ]
        silent = row.hides and row.closed_at is None
        options = tuple(
            Option(option["name"], None if silent else count) for option, count in zip(row.options, counts, strict=True)
        )
        people = row.people if row.local else row.voters_elsewhere
        cast = sum(count or 0 for count in counts)
        moments = row.ends_at, row.closed_at, row.read_at
        found[number] = Poll(number, options, row.multiple, people, *moments, cast, bool(row.hides))
    return found


def _of_posts() -> Select[Any]:
    """Each poll once for each answer that somebody chose, and once where nobody did."""
    chosen = (
        select(poll_vote.c.post_id, poll_vote.c.choice, func.count().label("times"))
        .where(poll_vote.c.post_id.in_(bindparam("posts", type_=BigInteger, expanding=True)))
        .group_by(poll_vote.c.post_id, poll_vote.c.choice)
        .subquery()
    )
    who = poll_vote.alias()
    people = select(func.count(who.c.actor_id.distinct())).where(who.c.post_id == poll.c.post_id).scalar_subquery()
    return (
        select(poll, post.c.local, chosen.c.choice, chosen.c.times, people.label("people"))
        .join(post, post.c.id == poll.c.post_id)
        .outerjoin(chosen, chosen.c.post_id == poll.c.post_id)
        .where(poll.c.post_id.in_(bindparam("posts", type_=BigInteger, expanding=True)))
    )


_OF_POSTS = _of_posts()


async def choices(tx: Transaction, post_id: int, actor_id: int) -> tuple[int, ...]:
    """What somebody chose, as places among the options."""
    mine = select(poll_vote.c.choice).where(poll_vote.c.post_id == post_id, poll_vote.c.actor_id == actor_id)
    return tuple(row.choice for row in await tx.all(mine.order_by(poll_vote.c.choice)))


async def voter_ids(tx: Transaction, post_id: int) -> tuple[int, ...]:
    """The numbers of those who voted, as far as it is known here."""
    rows = await tx.all(select(poll_vote.c.actor_id).where(poll_vote.c.post_id == post_id).distinct())
    return tuple(sorted(row.actor_id for row in rows))
