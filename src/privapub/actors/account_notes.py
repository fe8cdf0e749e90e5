"""What a persona wrote down about somebody: for itself, and shown to nobody else."""

from collections.abc import Collection

from sqlalchemy import delete, select

from privapub.actors.read import by_id
from privapub.actors.tables import account_note
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound

LENGTH = 2000


async def write(tx: Transaction, persona_id: int, actor_id: int, text: str) -> None:
    """Write it in place of what was there; nothing takes it away. Raises NotFound, or InvalidInput for a long one."""
    if len(text) > LENGTH:
        raise InvalidInput(f"A note has up to {LENGTH} characters.")
    if await by_id(tx, actor_id) is None:
        raise NotFound("There is no such actor.")
    if not text.strip():
        await tx.execute(
            delete(account_note).where(account_note.c.persona_id == persona_id, account_note.c.actor_id == actor_id)
        )
        return
    row = tx.insert(account_note).values(persona_id=persona_id, actor_id=actor_id, text=text)
    await tx.execute(
        row.on_conflict_do_update(
            index_elements=[account_note.c.persona_id, account_note.c.actor_id], set_={"text": row.excluded.text}
        )
    )


async def of(tx: Transaction, persona_id: int, actor_ids: Collection[int]) -> dict[int, str]:
    """What this persona wrote about these actors, by number, in one question."""
    if not actor_ids:
        return {}
    rows = await tx.all(
        select(account_note.c.actor_id, account_note.c.text).where(
            account_note.c.persona_id == persona_id, account_note.c.actor_id.in_(sorted(set(actor_ids)))
        )
    )
    return {row.actor_id: row.text for row in rows}
