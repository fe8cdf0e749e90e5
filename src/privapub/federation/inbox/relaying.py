"""What relays say to us of ourselves: that they let us in, or not, and that they follow us too."""

from privapub.actors import application
from privapub.actors.read import by_uri
from privapub.database.transaction import Transaction
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived
from privapub.follows import relays
from privapub.follows.facts import FollowAnswered
from privapub.jobs.enqueue import put_fact


async def take_answer(tx: Transaction, arrived: Arrived, *, accepted: bool, now: float) -> bool:
    """Whether this answers our Follow of a relay: by its id, and from the relay's own host; then it is noted."""
    activity, signer = arrived.activity, arrived.signer
    relay = None if activity.object_id is None else await relays.by_follow(tx, activity.object_id)
    if relay is None or not same_origin(relay.inbox, signer.uri) or relay.actor_uri not in (None, signer.uri):
        return False
    await relays.answered(tx, relay.id, signer.uri, accepted=accepted, now=now)
    return True


async def let_follow(tx: Transaction, arrived: Arrived) -> bool:
    """Whether a relay that we are with follows the application actor, as LitePub's do; then it may, and is told so."""
    activity, signer = arrived.activity, arrived.signer
    followed = None if activity.object_id is None else await by_uri(tx, activity.object_id)
    if followed is None or not followed.local or followed.kind != application.KIND:
        return False
    if not await relays.is_known(tx, signer.uri):
        return False
    answer = FollowAnswered(signer.id, followed.id, activity.id or "", accepted=True)
    await put_fact(tx, answer, about=f"follow {signer.id} {followed.id}")
    return True
