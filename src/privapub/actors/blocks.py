"""Who blocks whom. What a block ends and what is told of it is for `follows.blocking`."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, case, delete, exists, or_, select, update

from privapub.actors.read import Actor
from privapub.actors.read import from_row as actor_from_row
from privapub.actors.tables import actor, block
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction


@dataclass(frozen=True)
class Block:
    """One row of `block`; `uri` is the id of the Block activity that is in force."""

    blocker_id: int
    blocked_id: int
    uri: str
    created_at: float


async def alone(tx: Transaction, one_id: int, other_id: int) -> None:
    """Nobody else makes a block or a follow between the two until the transaction is over."""
    first, second = sorted((one_id, other_id))
    await tx.alone(f"between {first} {second}")


async def keep(tx: Transaction, blocker_id: int, blocked_id: int, uri: str, now: float) -> bool:
    """Note the block; False where it stood already (it goes by its first uri)."""
    await alone(tx, blocker_id, blocked_id)
    row = tx.insert(block).values(blocker_id=blocker_id, blocked_id=blocked_id, uri=uri, created_at=now)
    kept = await tx.scalar(
        row.on_conflict_do_nothing(index_elements=[block.c.blocker_id, block.c.blocked_id]).returning(
            block.c.blocked_id
        )
    )
    return kept is not None


async def rename(tx: Transaction, blocker_id: int, blocked_id: int, uri: str) -> None:
    """The block goes by this uri from now on: a remote actor said it again."""
    await tx.execute(update(block).where(_pair(blocker_id, blocked_id)).values(uri=uri))


async def drop(tx: Transaction, blocker_id: int, blocked_id: int) -> Block | None:
    """Forget the block; what it was, or None where there was none."""
    row = await tx.first(delete(block).where(_pair(blocker_id, blocked_id)).returning(*block.c))
    return None if row is None else _block(row)


async def blocks(tx: Transaction, blocker_id: int, blocked_id: int) -> bool:
    """Whether the one blocks the other (not the other way round)."""
    return await tx.first(select(block.c.uri).where(_pair(blocker_id, blocked_id))) is not None


async def blocks_anybody(tx: Transaction, blocker_id: int) -> bool:
    """Whether there is anybody whom this actor blocks."""
    return await tx.first(select(block.c.uri).where(block.c.blocker_id == blocker_id).limit(1)) is not None


async def by_uri(tx: Transaction, uri: str, blocker_id: int) -> Block | None:
    """The block of this actor whose Block activity has this id: an id counts for one actor only."""
    row = await tx.first(select(block).where(block.c.blocker_id == blocker_id, block.c.uri == uri).limit(1))
    return None if row is None else _block(row)


async def either_way(tx: Transaction, actor_id: int, other_ids: Collection[int]) -> frozenset[int]:
    """Those of the others whom this actor blocks or who block it, in one question."""
    if not other_ids:
        return frozenset()
    rows = await tx.all(_EITHER_WAY, actor=actor_id, others=sorted(set(other_ids)))
    return frozenset(row.other_id for row in rows)


async def around(tx: Transaction, actor_id: int, other_ids: Collection[int]) -> tuple[frozenset[int], frozenset[int]]:
    """Those of the others whom this actor blocks, and those who block it, in one question."""
    which = sorted(set(other_ids))
    if not which:
        return frozenset(), frozenset()
    rows = await tx.all(
        select(block.c.blocker_id, block.c.blocked_id).where(
            or_(
                and_(block.c.blocker_id == actor_id, block.c.blocked_id.in_(which)),
                and_(block.c.blocked_id == actor_id, block.c.blocker_id.in_(which)),
            )
        )
    )
    return (
        frozenset(row.blocked_id for row in rows if row.blocker_id == actor_id),
        frozenset(row.blocker_id for row in rows if row.blocked_id == actor_id),
    )


_ACTOR, _OTHERS = bindparam("actor", type_=BigInteger), bindparam("others", type_=BigInteger, expanding=True)
_EITHER_WAY = select(
    case((block.c.blocker_id == _ACTOR, block.c.blocked_id), else_=block.c.blocker_id).label("other_id")
).where(
    or_(
        and_(block.c.blocker_id == _ACTOR, block.c.blocked_id.in_(_OTHERS)),
        and_(block.c.blocked_id == _ACTOR, block.c.blocker_id.in_(_OTHERS)),
    )
)


def between(one: Any, other: Any) -> ColumnElement[bool]:
    """Whether one of the two (columns or numbers) blocks the other: a condition for larger questions."""
    theirs = block.alias()
    return or_(
        exists().where(block.c.blocker_id == one, block.c.blocked_id == other).correlate_except(block),
        exists().where(theirs.c.blocker_id == other, theirs.c.blocked_id == one).correlate_except(theirs),
    )


async def of(tx: Transaction, blocker_id: int, window: Window) -> Page[Actor]:
    """Whom an actor blocks, the newest actors first."""
    statement = select(actor).join(block, block.c.blocked_id == actor.c.id).where(block.c.blocker_id == blocker_id)
    rows = await tx.all(window.of(statement, actor.c.id))
    return page_of(window, [actor_from_row(row) for row in rows], lambda one: one.id)


def _pair(blocker_id: int, blocked_id: int) -> ColumnElement[bool]:
    return and_(block.c.blocker_id == blocker_id, block.c.blocked_id == blocked_id)


def _block(row: Any) -> Block:
    return Block(row.blocker_id, row.blocked_id, row.uri, row.created_at)
