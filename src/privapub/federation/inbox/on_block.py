"""Somebody blocks one of ours (ActivityPub, section 6.9; sent between servers as Mastodon does).

Anybody may block anybody. Each sees nothing of the other from then on, and no follow between them remains.
"""

from privapub.database.transaction import Transaction
from privapub.federation.inbox.arrived import Arrived
from privapub.follows import blocking
from privapub.personas import read as personas


async def on_block(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """State, not history: a second one (Friendica sends all with one id) is the same block."""
    activity, signer = arrived.activity, arrived.signer
    blocked = None if activity.object_id is None else await personas.by_uri(tx, activity.object_id)
    if blocked is None:
        return "nobody-to-block"
    await blocking.receive_block(tx, signer.id, blocked.id, activity.id or "", now)
    return None
