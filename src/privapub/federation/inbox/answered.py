"""Which of our follows an Accept or a Reject answers."""

from typing import Any

from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import identity
from privapub.federation.documents.read_activity import Activity
from privapub.follows import read as follows
from privapub.follows.read import Follow


async def answered_follow(tx: Transaction, activity: Activity, signer: Actor) -> Follow | None:
    """Our follow of the signer that this answers, or None.

    An embedded Follow is found by its actor and object, whatever its id: servers rewrite it. A bare id must be the one
    that our own Follow had. Only whom we asked may answer: else anybody could make our personas their followers.
    """
    embedded = activity.object
    if embedded is not None and _is_whole(embedded):
        if identity(embedded.get("object")) != signer.uri:
            return None
        asker = await actors.by_uri(tx, str(identity(embedded.get("actor"))))
        return None if asker is None or not asker.local else await follows.between(tx, asker.id, signer.id)
    if activity.object_id is None:
        return None
    found = await follows.by_uri(tx, activity.object_id, followed_id=signer.id)
    asker = None if found is None else await actors.by_id(tx, found.follower_id)
    return found if asker is not None and asker.local else None


def _is_whole(embedded: dict[str, Any]) -> bool:
    return identity(embedded.get("actor")) is not None and identity(embedded.get("object")) is not None
