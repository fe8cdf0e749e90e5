"""How much is written here, in numbers that name nobody."""

from collections.abc import Sequence

from sqlalchemy import exists, func, select

from privapub.database.transaction import Transaction
from privapub.personas.tables import persona
from privapub.posts.read import PUBLIC
from privapub.posts.tables import post


async def active(tx: Transaction, since: float) -> int:
    """How many personas have written something for everyone since then."""
    wrote = exists().where(
        post.c.author_id == persona.c.id,
        post.c.published_at >= since,
        post.c.audience == PUBLIC,
        post.c.deleted_at.is_(None),
    )
    return int(await tx.scalar(select(func.count()).select_from(persona).where(wrote)))


async def in_times(tx: Transaction, begins: Sequence[float], length: float) -> list[int]:
    """How many public posts were written here in each of these times."""
    ours = select(func.count()).select_from(post).join(persona, persona.c.id == post.c.author_id)
    alive = ours.where(post.c.audience == PUBLIC, post.c.deleted_at.is_(None))
    return [
        int(await tx.scalar(alive.where(post.c.published_at >= begin, post.c.published_at < begin + length)))
        for begin in begins
    ]
