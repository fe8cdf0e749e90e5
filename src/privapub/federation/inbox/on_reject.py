"""Somebody does not let one of ours follow them, or no longer (ActivityPub, section 7.7); or quote them (FEP-044f)."""

from privapub.database.transaction import Transaction
from privapub.federation.inbox import relaying
from privapub.federation.inbox.answered import answered_follow
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.quote_answered import answered_quote, take_answer
from privapub.follows import follow
from privapub.follows.read import REJECTED


async def on_reject(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Ends the follow, whether it waited or was accepted; a second one changes nothing."""
    activity, signer = arrived.activity, arrived.signer
    if (quoting := await answered_quote(tx, arrived)) is not None:
        return await take_answer(tx, arrived, quoting, now)
    if await relaying.take_answer(tx, arrived, accepted=False, now=now):
        return None
    found = await answered_follow(tx, activity, signer)
    if found is None:
        return "no-such-follow"
    if found.state != REJECTED:
        await follow.rejected(tx, found.follower_id, found.followed_id, now)
    return None
