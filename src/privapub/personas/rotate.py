"""A persona gets other keys: those before may be known to somebody who should not have them."""

from sqlalchemy import update

from privapub.actors import keys as actor_keys
from privapub.actors.keys import PrivateKeys
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put_fact
from privapub.personas.facts import KeysRotated
from privapub.personas.read import known


async def rotate_keys(tx: Transaction, persona_id: int, keys: PrivateKeys, now: float) -> None:
    """From now on all that the persona sends is signed with these, under the same ids; fact KeysRotated.

    The keys come from `keys.make`, called in a thread before the transaction. Raises NotFound for no persona.
    """
    me = await known(tx, persona_id)
    await actor_keys.replace(tx, persona_id, me.actor.uri, keys, now)
    updated_at = max(now, (me.actor.updated_at or 0) + 0.001)
    await tx.execute(update(actor).where(actor.c.id == persona_id).values(updated_at=updated_at))
    await put_fact(tx, KeysRotated(persona_id), about=f"actor {persona_id}")
