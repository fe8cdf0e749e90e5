"""A persona puts on an avatar or a header that it uploaded, or takes it off."""

from sqlalchemy import and_, select

from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.media.let_go import of_media
from privapub.media.read import READY, Medium, Use
from privapub.media.tables import medium
from privapub.personas.edit import edit
from privapub.personas.read import alone

_COLUMNS = {"avatar": "icon", "header": "image"}


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
    await edit(tx, made.actor_id, now=now, **{_COLUMNS[made.use]: address})  # type: ignore[arg-type]  # two of its names


async def take_off(tx: Transaction, persona_id: int, use: Use, now: float) -> None:
    """The persona wears none any more, nor what it uploaded as one and is not ready; fact PersonaEdited if it did."""
    await alone(tx, persona_id)
    await of_media(tx, and_(medium.c.actor_id == persona_id, medium.c.use == use))
    await edit(tx, persona_id, now=now, **{_COLUMNS[use]: ""})  # type: ignore[arg-type]  # two of its names
