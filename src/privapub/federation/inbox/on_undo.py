"""Somebody takes back what they did before (ActivityPub, section 7.10): `undoings` says of which kinds, and how."""

from privapub.database.transaction import Transaction
from privapub.federation.documents.activity_kinds import named
from privapub.federation.documents.properties import identity, types
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.store import call_off, remember_undone
from privapub.federation.inbox.undoings import UNDOINGS, Undone, embedded
from privapub.federation.inbox.undone import undo_key


async def on_undo(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """The same actor, and nobody else of that host. Matched by what it embeds, or by the id, which may be bare.

    One that matches nothing is remembered for a while, since what it undoes may be on its way.
    """
    activity, signer = arrived.activity, arrived.signer
    document = activity.object or {}
    kind = next(iter(types(document)), "")
    if kind and kind not in UNDOINGS:
        return f"undo-of-{named(kind)}"
    if activity.object_id is None and not document:
        return "no-object"
    if identity(document.get("actor")) not in (None, signer.uri):
        return "not-theirs"
    if kind:
        undone = embedded(signer, document, activity.object_id)
    else:
        undone = Undone(signer, activity.object_id, identity(document.get("object")))
    key = undo_key(signer.uri, kind, undone.id, undone.about)
    await tx.alone(key)
    for undoing in [UNDOINGS[kind]] if kind else dict.fromkeys(UNDOINGS.values()):
        if await undoing(tx, undone, now):
            return None
    await remember_undone(tx, key, now)
    if undone.id is not None and kind in ("", "Announce"):
        # A boost may wait for its post for longer than an Undo is remembered; the others keep their order.
        await call_off(tx, undone.id, signer.id, "Announce", arrived.owner, now)
    return "nothing-to-undo"
