"""What is between a persona and others made ready to be shown, many at once: a few questions, none for each."""

from collections.abc import Collection

from privapub.actors import account_notes, blocks, domain_blocks, mutes
from privapub.client_api.shapes.relationship import Relationship, relationship
from privapub.database.transaction import Transaction
from privapub.follows import read as follows


async def of(tx: Transaction, persona_id: int, actor_ids: Collection[int], now: float) -> list[Relationship]:
    """What is between this persona and these actors, in their order."""
    ids = list(dict.fromkeys(actor_ids))
    between = await follows.around(tx, persona_id, ids)
    muted = await mutes.among(tx, persona_id, ids, now)
    blocking, blocked_by = await blocks.around(tx, persona_id, ids)
    domains = await domain_blocks.covered(tx, persona_id, ids)
    notes = await account_notes.of(tx, persona_id, ids)
    return [
        relationship(
            each,
            between.get((persona_id, each)),
            between.get((each, persona_id)),
            muted.get(each),
            blocking=each in blocking,
            blocked_by=each in blocked_by,
            domain_blocking=each in domains,
            note=notes.get(each, ""),
        )
        for each in ids
    ]


async def one(tx: Transaction, persona_id: int, actor_id: int, now: float) -> Relationship:
    """What is between this persona and this actor."""
    return (await of(tx, persona_id, [actor_id], now))[0]
