"""What the operator tells everyone here. Who has read it, and what they think of it, is theirs."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, delete, func, or_, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput, NotFound
from privapub.moderation.tables import announcement, announcement_reaction, announcement_read
from privapub.stream import events

LONGEST = 5000
MOST_SHOWN = 50
MOST_REACTIONS = 8  # different ones, as on Mastodon


@dataclass(frozen=True)
class Announcement:
    """One of them; `text` as typed. It is shown until it ends, if it does."""

    id: int
    text: str
    published_at: float
    updated_at: float
    starts_at: float | None
    ends_at: float | None


@dataclass(frozen=True)
class Reaction:
    """An emoji under one, by how many, and whether the reader is one of them."""

    name: str
    count: int
    mine: bool


async def write(tx: Transaction, text: str, starts_at: float | None, ends_at: float | None, now: float) -> Announcement:
    """Tell everyone here; InvalidInput for what is empty, too long, or over before it begins."""
    text = text.strip()
    if not 0 < len(text) <= LONGEST:
        raise InvalidInput(f"An announcement has 1 to {LONGEST} characters.")
    if ends_at is not None and ends_at <= (now if starts_at is None else starts_at):
        raise InvalidInput("It would be over before it begins.")
    made = Announcement(identifiers.sortable(now), text, now, now, starts_at, ends_at)
    await tx.execute(announcement.insert().values(vars(made)))
    await events.say(tx, events.ANNOUNCEMENT, made.id)
    return made


async def edit(tx: Transaction, announcement_id: int, text: str, now: float) -> None:
    """Say it otherwise; who has read it may read it again."""
    if not 0 < len(text.strip()) <= LONGEST:
        raise InvalidInput(f"An announcement has 1 to {LONGEST} characters.")
    here = announcement.c.id == announcement_id
    if not (await tx.execute(update(announcement).where(here).values(text=text.strip(), updated_at=now))).rowcount:
        raise NotFound("There is no such announcement.")
    await tx.execute(delete(announcement_read).where(announcement_read.c.announcement_id == announcement_id))
    await events.say(tx, events.ANNOUNCEMENT, announcement_id)


async def remove(tx: Transaction, announcement_id: int) -> bool:
    """Take it back; whether there was one."""
    gone = bool((await tx.execute(delete(announcement).where(announcement.c.id == announcement_id))).rowcount)
    if gone:
        await events.say(tx, events.ANNOUNCEMENT_GONE, announcement_id)
    return gone


async def everyone(tx: Transaction) -> list[Announcement]:
    """All of them, the newest first (for the operator)."""
    return [_from(row) for row in await tx.all(select(announcement).order_by(announcement.c.id.desc()))]


async def shown(tx: Transaction, now: float) -> list[Announcement]:
    """Those that are not over, the newest first."""
    there = or_(announcement.c.ends_at.is_(None), announcement.c.ends_at > now)
    rows = await tx.all(select(announcement).where(there).order_by(announcement.c.id.desc()).limit(MOST_SHOWN))
    return [_from(row) for row in rows]


async def read_by(tx: Transaction, persona_id: int, ids: Collection[int]) -> set[int]:
    """Which of these a persona has put aside."""
    mine = announcement_read.c.persona_id == persona_id
    rows = await tx.all(
        select(announcement_read.c.announcement_id).where(mine, announcement_read.c.announcement_id.in_(sorted(ids)))
    )
    return {row.announcement_id for row in rows}


async def put_aside(tx: Transaction, persona_id: int, announcement_id: int) -> None:
    """A persona has read it; NotFound where there is none."""
    await _known(tx, announcement_id)
    await tx.execute(
        tx.insert(announcement_read)
        .values(announcement_id=announcement_id, persona_id=persona_id)
        .on_conflict_do_nothing(index_elements=list(announcement_read.primary_key))
    )


async def react(tx: Transaction, persona_id: int, announcement_id: int, name: str, now: float) -> None:
    """A persona puts an emoji under it.

    Raises NotFound where there is none, Conflict where there are as many different ones as may be.
    """
    await _known(tx, announcement_id)
    there = await tx.all(
        select(announcement_reaction.c.name)
        .where(announcement_reaction.c.announcement_id == announcement_id)
        .group_by(announcement_reaction.c.name)
    )
    if name not in {row.name for row in there} and len(there) >= MOST_REACTIONS:
        raise Conflict("Limit of different reactions reached")
    await tx.execute(
        tx.insert(announcement_reaction)
        .values(announcement_id=announcement_id, persona_id=persona_id, name=name, created_at=now)
        .on_conflict_do_nothing(index_elements=list(announcement_reaction.primary_key))
    )


async def take_back(tx: Transaction, persona_id: int, announcement_id: int, name: str) -> None:
    """A persona takes its emoji away again; NotFound where there is no such announcement."""
    await _known(tx, announcement_id)
    of = announcement_reaction.c
    await tx.execute(
        delete(announcement_reaction).where(
            of.announcement_id == announcement_id, of.persona_id == persona_id, of.name == name
        )
    )


async def reactions(tx: Transaction, persona_id: int, ids: Collection[int]) -> dict[int, list[Reaction]]:
    """The emojis under each of these, the first first, as a persona sees them."""
    found: dict[int, list[Reaction]] = {number: [] for number in ids}
    of = announcement_reaction.c
    mine = func.max(case((of.persona_id == persona_id, 1), else_=0)).label("mine")
    rows = await tx.all(
        select(of.announcement_id, of.name, func.count().label("number"), mine)
        .where(of.announcement_id.in_(sorted(ids)))
        .group_by(of.announcement_id, of.name)
        .order_by(func.min(of.created_at), of.name)
    )
    for row in rows:
        found[row.announcement_id].append(Reaction(row.name, row.number, bool(row.mine)))
    return found


async def _known(tx: Transaction, announcement_id: int) -> None:
    # The row is held until the commit, so that of two who react at once one counts the other.
    if await tx.first(select(announcement.c.id).where(announcement.c.id == announcement_id).with_for_update()) is None:
        raise NotFound("There is no such announcement.")


def _from(row: Any) -> Announcement:
    return Announcement(row.id, row.text, row.published_at, row.updated_at, row.starts_at, row.ends_at)
