"""Whole servers that a persona wants nothing of: its own choice, known to nobody else.

A domain is that of somebody's address or id, itself and not what is below it, as on Mastodon.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select

from privapub import identifiers
from privapub.actors.tables import actor, domain_block
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput

MOST = 5000  # of one persona


async def keep(tx: Transaction, persona_id: int, domain: str, now: float) -> bool:
    """Note it; False where it stood already. Raises InvalidInput where there are very many."""
    number = await tx.scalar(
        select(func.count()).select_from(domain_block).where(domain_block.c.persona_id == persona_id)
    )
    if number >= MOST:
        raise InvalidInput(f"A persona blocks up to {MOST} domains.", "Take one of them off first.")
    row = tx.insert(domain_block).values(persona_id=persona_id, domain=domain, id=identifiers.sortable(now))
    kept = await tx.execute(
        row.on_conflict_do_nothing(index_elements=[domain_block.c.persona_id, domain_block.c.domain])
    )
    return bool(kept.rowcount)


async def drop(tx: Transaction, persona_id: int, domain: str) -> bool:
    """Forget it; False where it was not blocked."""
    gone = await tx.execute(
        delete(domain_block).where(domain_block.c.persona_id == persona_id, domain_block.c.domain == domain)
    )
    return bool(gone.rowcount)


async def of(tx: Transaction, persona_id: int, window: Window) -> Page[str]:
    """Which domains a persona blocks, the last first."""
    statement = select(domain_block.c.id, domain_block.c.domain).where(domain_block.c.persona_id == persona_id)
    page = page_of(window, await tx.all(window.of(statement, domain_block.c.id)), lambda row: int(row.id))
    return Page(tuple(row.domain for row in page.items), page.older, page.newer)


async def covered(tx: Transaction, persona_id: int, actor_ids: Collection[int]) -> frozenset[int]:
    """Those of these actors whose server this persona blocks, in one question."""
    if not actor_ids:
        return frozenset()
    rows = await tx.all(
        select(actor.c.id).where(actor.c.id.in_(sorted(set(actor_ids))), covers(persona_id, actor.c.id))
    )
    return frozenset(row.id for row in rows)


def covers(persona: Any, who: Any) -> ColumnElement[bool]:
    """Whether a persona blocks somebody's server (columns or numbers): a condition for larger questions."""
    this, theirs, some = domain_block.alias(), actor.alias(), domain_block.alias()
    found = exists().where(
        theirs.c.id == who,
        ~theirs.c.local,
        this.c.persona_id == persona,
        or_(this.c.domain == theirs.c.host, this.c.domain == theirs.c.origin),
    )
    # Nearly nobody blocks any: that is asked once, and not for each row.
    return and_(
        exists().where(some.c.persona_id == persona).correlate_except(some), found.correlate_except(this, theirs)
    )
