"""What happened to media."""

from dataclasses import dataclass

from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put_fact


@dataclass(frozen=True)
class MediaSettled:
    """Media of a post of this persona are ready, failed or gone: what waits for them may go."""

    persona_id: int


async def settled(tx: Transaction, persona_id: int) -> None:
    """Fact MediaSettled; what follows from those of one persona is done one after the other."""
    await put_fact(tx, MediaSettled(persona_id), about=f"media {persona_id}")
