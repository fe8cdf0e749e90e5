"""Looking up polls and who voted for what."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import func, select

from privapub.database.transaction import Transaction
from privapub.posts.tables import poll, poll_vote, post


@dataclass(frozen=True)
class Option:
    """One answer, and how many chose it: None where its origin does not say."""

    name: str
    votes: int | None


@dataclass(frozen=True)
class Poll:
    """The answers that can be chosen, one or several of them, and what was chosen.

    `voters` is how many people voted (None: unknown); `read_at` when the counts of a remote poll were last heard of.
    """

    post_id: int
    options: tuple[Option, ...]
    multiple: bool
    voters: int | None
    ends_at: float | None
    closed_at: float | None
    read_at: float

    def is_over(self, now: float) -> bool:
        """Whether nobody can vote any more."""
        return self.closed_at is not None or (self.ends_at is not None and self.ends_at <= now)


async def of_posts(tx: Transaction, post_ids: Collection[int]) -> dict[int, Poll]:
    """The polls of those of these posts that have one, by post: ours counted here, others' as their origins count."""
    if not post_ids:
        return {}
    wanted = sorted(set(post_ids))
    rows = await tx.all(
        select(poll, post.c.local).join(post, post.c.id == poll.c.post_id).where(poll.c.post_id.in_(wanted))
    )
    ours = [row.post_id for row in rows if row.local]
    votes, voters = await _counted(tx, ours)
    found = {}
    for row in rows:
        options = tuple(
            Option(option["name"], votes.get((row.post_id, place), 0) if row.local else option["votes"])
            for place, option in enumerate(row.options)
        )
        people = voters.get(row.post_id, 0) if row.local else row.voters_elsewhere
        found[row.post_id] = Poll(row.post_id, options, row.multiple, people, row.ends_at, row.closed_at, row.read_at)
    return found


async def choices(tx: Transaction, post_id: int, actor_id: int) -> tuple[int, ...]:
    """What somebody chose, as places among the options."""
    mine = select(poll_vote.c.choice).where(poll_vote.c.post_id == post_id, poll_vote.c.actor_id == actor_id)
    return tuple(row.choice for row in await tx.all(mine.order_by(poll_vote.c.choice)))


async def voter_ids(tx: Transaction, post_id: int) -> tuple[int, ...]:
    """The numbers of those who voted, as far as it is known here."""
    rows = await tx.all(select(poll_vote.c.actor_id).where(poll_vote.c.post_id == post_id).distinct())
    return tuple(sorted(row.actor_id for row in rows))


async def _counted(tx: Transaction, post_ids: Collection[int]) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    if not post_ids:
        return {}, {}
    theirs = poll_vote.c.post_id.in_(post_ids)
    each = select(poll_vote.c.post_id, poll_vote.c.choice, func.count().label("number")).where(theirs)
    rows = await tx.all(each.group_by(poll_vote.c.post_id, poll_vote.c.choice))
    people = select(poll_vote.c.post_id, func.count(poll_vote.c.actor_id.distinct()).label("number")).where(theirs)
    voters = await tx.all(people.group_by(poll_vote.c.post_id))
    return {(row.post_id, row.choice): row.number for row in rows}, {row.post_id: row.number for row in voters}
