"""Somebody wants to follow one of ours (ActivityPub, section 7.5)."""

from privapub.actors import blocks, domain_blocks
from privapub.database.transaction import Transaction
from privapub.federation.inbox import relaying
from privapub.federation.inbox.arrived import Arrived
from privapub.follows import follow
from privapub.personas import read as personas


async def on_follow(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """The persona's lock decides, after its blocks. The object may be an embedded Person: its id counts."""
    activity, signer = arrived.activity, arrived.signer
    followed = None if activity.object_id is None else await personas.by_uri(tx, activity.object_id)
    if followed is None and await relaying.let_follow(tx, arrived):
        return None
    if followed is None or followed.closed_at is not None:
        return "nobody-to-follow"
    if await blocks.either_way(tx, followed.id, [signer.id]) or await domain_blocks.covered(
        tx, followed.id, [signer.id]
    ):
        return "blocked"
    await follow.receive(tx, signer.id, followed.id, activity.id or "", now)
    return None
