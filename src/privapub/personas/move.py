"""A persona has another actor, there or here: aliases that both sides name, and the move itself (Mastodon)."""

from sqlalchemy import update

from privapub.actors.read import Actor
from privapub.actors.read import by_id as actor_by_id
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.jobs.enqueue import put_fact
from privapub.personas.facts import PersonaEdited, PersonaMoved
from privapub.personas.read import known

MOST_ALIASES = 10


async def add_alias(tx: Transaction, persona_id: int, uri: str, now: float) -> bool:
    """The persona says that it is also the actor with this uri; fact PersonaEdited, and True where it did not yet.

    Everybody can read it. Raises NotFound for no persona, InvalidInput for itself and for more than ten.
    """
    known = await _persona(tx, persona_id)
    if uri == known.uri:
        raise InvalidInput("A persona is itself without saying so.")
    if uri in known.also_known_as:
        return False
    if len(known.also_known_as) >= MOST_ALIASES:
        raise InvalidInput(f"A persona names {MOST_ALIASES} others at most.", "Remove one of them first.")
    await _change(tx, known, now, also_known_as=[*known.also_known_as, uri])
    return True


async def remove_alias(tx: Transaction, persona_id: int, uri: str, now: float) -> bool:
    """The persona says so no more; fact PersonaEdited, and True where it did. Raises NotFound for no persona."""
    known = await _persona(tx, persona_id)
    if uri not in known.also_known_as:
        return False
    await _change(tx, known, now, also_known_as=[each for each in known.also_known_as if each != uri])
    return True


async def move(tx: Transaction, persona_id: int, target_id: int, now: float) -> bool:
    """The persona has moved to the target: facts PersonaEdited and PersonaMoved; False where it had already.

    Raises NotFound for no persona or target, InvalidInput for itself, NotAllowed where the target does not name the
    persona among its aliases.
    """
    known, target = await _persona(tx, persona_id), await actor_by_id(tx, target_id)
    if target is None or target.is_gone:
        raise NotFound("There is no such actor.")
    if target.id == known.id:
        raise InvalidInput("A persona is where it is already.")
    if known.uri not in target.also_known_as:
        raise NotAllowed(
            f"@{target.address} does not say that it is also {known.uri}.",
            "Add that as an alias there first: nobody moves somewhere without being awaited.",
        )
    if known.moved_to == target.uri:
        return False
    await _change(tx, known, now, moved_to=target.uri)
    await put_fact(tx, PersonaMoved(persona_id, target_id), about=f"actor {persona_id}")
    return True


async def stay(tx: Transaction, persona_id: int, now: float) -> bool:
    """The persona has not moved after all: fact PersonaEdited; False where it did not say so. Raises NotFound."""
    known = await _persona(tx, persona_id)
    if known.moved_to is None:
        return False
    await _change(tx, known, now, moved_to=None)
    return True


async def _persona(tx: Transaction, persona_id: int) -> Actor:
    return (await known(tx, persona_id)).actor


async def _change(tx: Transaction, known: Actor, now: float, **values: object) -> None:
    # A moment that was not told before, so that no peer takes the change for an old one.
    updated_at = max(now, (known.updated_at or 0) + 0.001)
    await tx.execute(update(actor).where(actor.c.id == known.id).values(**values, updated_at=updated_at))
    await put_fact(tx, PersonaEdited(known.id), about=f"actor {known.id}")
