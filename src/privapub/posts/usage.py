"""How much is written here, in numbers that name nobody. A post's number tells when it was written."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, select

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.posts.read import PUBLIC
from privapub.posts.tables import post


async def active(tx: Transaction, since: float) -> int:
    """How many personas have written something for everyone since then."""
    return int(await tx.scalar(select(func.count(post.c.author_id.distinct())).where(_written(since))))


async def in_times(tx: Transaction, begins: Sequence[float], length: float) -> list[int]:
    """How many public posts were written here in each of these times."""
    counted = select(func.count()).select_from(post)
    return [int(await tx.scalar(counted.where(_written(begin, begin + length)))) for begin in begins]


def _written(since: float, until: float | None = None) -> ColumnElement[bool]:
    """Posts for everyone, of here, of this time: what the index of them holds in its order."""
    before = [] if until is None else [post.c.id < identifiers.first(until)]
    return and_(
        post.c.local,
        post.c.audience == PUBLIC,
        post.c.id >= identifiers.first(since),
        *before,
        post.c.deleted_at.is_(None),
    )
