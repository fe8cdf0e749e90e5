"""Sending on what somebody answers to a post of ours (ActivityPub, section 7.1.2: Forwarding from Inbox).

Whoever answers does not know who follows our persona; their answer is for them all the same where they addressed it to
the collection of its followers. It goes on byte for byte, and only where its actor signed it within: nobody has to
believe us. Nothing of a post that is for named people or a circle goes on, and nothing that somebody else brought here:
so nothing goes in circles. Its edits, and its end, go to whoever got it; of whom the persona blocks by then, or whose
server is limited, the end alone.
"""

from typing import Any

from privapub.actors import blocks
from privapub.database.transaction import Transaction
from privapub.federation.delivery import deliver, sent
from privapub.federation.delivery.inboxes import SHARED, Target, of_followers
from privapub.federation.documents.properties import identity
from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.origin import origin, same_origin
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.signatures.signed_inside import LONGEST, signed_inside
from privapub.moderation.domain_rules import OPEN
from privapub.personas import read as personas
from privapub.personas.read import Persona
from privapub.posts import read as posts

SENT_ON = frozenset({"Create", "Update", "Delete"})


def may_be_sent_on(activity: Activity, document: dict[str, Any], original: bytes) -> bool:
    """Whether the bytes of what its actor brings are to be kept until it is handled (pure).

    Not where they are many, be it white space: each of our followers' servers would get them.
    """
    if (
        len(original) > LONGEST
        or activity.kind not in SENT_ON
        or activity.id is None
        or activity.object_id == activity.actor
    ):
        return False
    if activity.kind == "Create" and identity((activity.object or {}).get("inReplyTo")) is None:
        return False
    return any(same_origin(claim.key_id, activity.actor) for claim in signed_inside(document))


async def whose_thread(tx: Transaction, arrived: Arrived) -> Persona | None:
    """The persona whose post it answers, if it is theirs to send on; to be asked before it is taken in."""
    activity = arrived.activity
    if activity.kind == "Create":
        answered = await posts.by_uri(tx, identity((activity.object or {}).get("inReplyTo")) or "")
    else:
        post = await posts.by_uri(tx, activity.object_id or "")
        known = None if post is None or post.author_id != arrived.signer.id else post.in_reply_to_id
        answered = None if known is None else await posts.by_id(tx, known)
    if answered is None or not answered.local or answered.audience not in SHARED:
        return None
    persona = await personas.by_id(tx, answered.author_id)
    if persona is None or persona.closed_at is not None:
        return None
    if activity.kind == "Delete":
        return persona
    if activity.kind == "Create":
        wanted = persona.actor.followers in (*activity.to, *activity.cc, *activity.audience)
        if not wanted or answered.deleted_at is not None:
            return None
    if arrived.signer.standing != OPEN:
        return None
    return None if await blocks.either_way(tx, persona.id, [arrived.signer.id]) else persona


async def send_on(tx: Transaction, arrived: Arrived, original: bytes, persona: Persona, now: float) -> None:
    """Queue what was taken in for the followers of this persona, or, where it changes something, for whoever got that.

    Not for the server that it came from.
    """
    activity, signer = arrived.activity, arrived.signer
    post = await posts.by_uri(tx, activity.object_id or "")
    if post is None or post.author_id != signer.id or activity.id is None:
        return
    if activity.kind == "Create":
        found = await of_followers(tx, persona.id)
    else:
        found = await sent.targets_of(tx, post.id)
    await deliver.send_on(
        tx,
        persona.id,
        original,
        [target for target in found if not _is_at(target, signer.uri, signer.inbox)],
        activity_id=activity.id,
        about=post.uri,
        post_id=post.id,
        now=now,
    )


def _is_at(target: Target, *uris: str) -> bool:
    return origin(target.inbox) in {origin(uri) for uri in uris}
