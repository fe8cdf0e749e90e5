"""A persona puts on an avatar or a header that it uploaded, says what it shows, or takes it off."""

from sqlalchemy import and_, func, select, update

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.media.let_go import of_media
from privapub.media.read import READY, WAITING, Medium, Use
from privapub.media.tables import medium
from privapub.personas.edit import edit
from privapub.personas.read import alone


async def put_on(tx: Transaction, made: Medium, addresses: Addresses, now: float) -> None:
    """The persona, alone with this transaction, wears this upload; what it wore before is let go. Fact PersonaEdited.

    Where it wears one already that it uploaded after this one, it is this one that goes.
    """
    same = and_(medium.c.actor_id == made.actor_id, medium.c.use == made.use)
    later = select(medium.c.id).where(same, medium.c.id > made.id, medium.c.state == READY).limit(1)
    if await tx.first(later) is not None:
        await of_media(tx, medium.c.id == made.id)
        return
    await of_media(tx, and_(same, medium.c.id < made.id))
    file = made.file("original")
    address = "" if file is None else addresses.medium(str(file["name"]))
    await _edit(tx, made.actor_id, made.use, address, made.alt, now)


async def take_off(tx: Transaction, persona_id: int, use: Use, now: float) -> None:
    """The persona wears none any more, nor what it uploaded as one and is not ready; fact PersonaEdited if it did."""
    await alone(tx, persona_id)
    await of_media(tx, and_(medium.c.actor_id == persona_id, medium.c.use == use))
    await _edit(tx, persona_id, use, "", "", now)


async def describe(tx: Transaction, persona_id: int, use: Use, alt: str, now: float) -> None:
    """Say what its newest avatar or header shows: the one that is not ready yet, else the one that it wears.

    `alt` is as it is kept (`attach.described`). Fact PersonaEdited if what it wears has other words now.
    """
    await alone(tx, persona_id)
    newest = select(func.max(medium.c.id)).where(
        medium.c.actor_id == persona_id, medium.c.use == use, medium.c.state == WAITING
    )
    changed = await tx.execute(update(medium).where(medium.c.id == newest.scalar_subquery()).values(alt=alt))
    if not changed.rowcount:
        await _edit(tx, persona_id, use, None, alt, now)


async def _edit(tx: Transaction, persona_id: int, use: Use, address: str | None, alt: str, now: float) -> None:
    if use == "avatar":
        await edit(tx, persona_id, icon=address, icon_alt=alt, now=now)
    else:
        await edit(tx, persona_id, image=address, image_alt=alt, now=now)
