"""The directory: those who ask to be found, here and elsewhere."""

from sqlalchemy import func, select

from privapub.actors import blocks
from privapub.actors.read import Actor, from_row
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.follows.search import discoverable
from privapub.personas.tables import persona
from privapub.posts.read import PUBLIC
from privapub.posts.tables import post


async def directory(
    tx: Transaction, reader_id: int | None, *, local: bool, by_age: bool, limit: int, offset: int
) -> list[Actor]:
    """Some of them: who wrote last first, or (`by_age`) who came last. Nobody whom a block parts from the reader.

    It has a thousand people at most, the last who came (or, with `local`, those of ours).
    """
    some = discoverable.where(actor.c.id.in_(select(persona.c.id))) if local else discoverable
    statement = select(actor).where(actor.c.id.in_(select(some.subquery().c.id)))
    if reader_id is not None:
        statement = statement.where(~blocks.between(reader_id, actor.c.id))
    if by_age:
        statement = statement.order_by(actor.c.id.desc())
    else:
        last = (
            select(func.max(post.c.id))
            .where(post.c.author_id == actor.c.id, post.c.audience == PUBLIC, post.c.deleted_at.is_(None))
            .correlate(actor)
            .scalar_subquery()
        )
        statement = statement.order_by(func.coalesce(last, 0).desc(), actor.c.id.desc())
    return [from_row(row) for row in await tx.all(statement.limit(limit).offset(offset))]
