"""Somebody has another actor now (Mastodon, Misskey, GoToSocial; ActivityStreams Vocabulary: Move).

The actor itself says so, and nobody for it. Both sides must say it: the old one `movedTo` the new one, the new one
`alsoKnownAs` the old one, both in documents that are fetched afresh. Those of ours who follow the old one then ask the
new one, once.
"""

from privapub.actors.facts import ActorMoved
from privapub.database.transaction import Transaction
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.follows import read as follows
from privapub.jobs.enqueue import put_fact


async def on_move(tx: Transaction, arrived: Arrived, now: float) -> str | None:  # noqa: ARG001 - as all of these
    """The followers of ours move; fact ActorMoved. Without any, nothing is fetched and nothing happens."""
    wrong = _wrong(arrived)
    if wrong is not None:
        return wrong
    signer, target = arrived.signer, arrived.fetched.actor
    if target is None:
        return arrived.fetched.problem or "nobody-to-move"
    if target.uri != arrived.activity.target or target.is_gone or target.moved_to is not None:
        return "no-target"
    if signer.moved_to != target.uri or signer.uri not in target.also_known_as:
        return "not-both-ways"
    await put_fact(tx, ActorMoved(signer.id, target.id), about=f"actor {signer.id}")
    return None


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """Both documents, if anybody here follows the old actor."""
    if _wrong(arrived) is not None or not await follows.follower_ids(tx, arrived.signer.id):
        return None
    return Wanted("move", str(arrived.activity.target))


def _wrong(arrived: Arrived) -> str | None:
    activity, signer = arrived.activity, arrived.signer
    if activity.object_id != signer.uri:
        return "not-theirs"
    return "no-target" if activity.target in (None, signer.uri) else None
