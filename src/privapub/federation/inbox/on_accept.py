"""Somebody lets one of ours follow them (ActivityPub, section 7.6), or quote them (FEP-044f)."""

from privapub.database.transaction import Transaction
from privapub.federation.inbox import relaying
from privapub.federation.inbox.answered import answered_follow
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.quote_answered import answered_quote, take_answer
from privapub.follows import follow
from privapub.follows.read import ACCEPTED


async def on_accept(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Counts only for a Follow that we sent, and only from whom we asked; a second one changes nothing."""
    activity, signer = arrived.activity, arrived.signer
    if (quoting := await answered_quote(tx, arrived)) is not None:
        return await take_answer(tx, arrived, quoting, now)
    if await relaying.take_answer(tx, arrived, accepted=True, now=now):
        return None
    found = await answered_follow(tx, activity, signer)
    if found is None:
        return "no-such-follow"
    if found.state == ACCEPTED or await follow.accepted(tx, found.follower_id, found.followed_id, now):
        return None
    return "not-asked-any-more"
