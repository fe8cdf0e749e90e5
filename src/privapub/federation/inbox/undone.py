"""How an Undo that came too early is told from one that is about something else, and what it swallows."""

from privapub.database.transaction import Transaction
from privapub.federation.documents.read_activity import Activity
from privapub.federation.inbox.on_like import emoji_of
from privapub.federation.inbox.store import RELATIONSHIPS, was_undone
from privapub.markup.reactions import LIKE


def undo_keys(actor: str, kind: str, activity_id: str | None, object_id: str | None) -> tuple[str, ...]:
    """The names under which an activity may have been undone before it came: by its id, else by what it is about.

    (Pure.) By its id alone, too, whatever its kind: an Undo may hold nothing else.
    """
    keys = []
    if activity_id:
        keys += [undo_key(actor, kind, activity_id, None), undo_key(actor, "", activity_id, None)]
    if object_id:
        keys.append(undo_key(actor, kind, None, object_id))
    return tuple(keys)


def undo_key(actor: str, kind: str, activity_id: str | None, object_id: str | None) -> str:
    """The name under which an Undo is remembered: the id of what it undoes, or, where it has none, what that is about.

    (Pure.) By its id alone where it has one: who follows again, with another id, is not taken for the one who took it
    back. The kind is "" where the Undo does not tell it.
    """
    return f"{actor} {kind} {activity_id}" if activity_id else f"{actor} {kind} of {object_id}"


def about(activity: Activity) -> str | None:
    """What an Undo of it that has no id is about: its object, and of a reaction the emoji too (pure)."""
    if activity.object_id is None or activity.kind not in ("Like", "EmojiReact"):
        return activity.object_id
    return f"{activity.object_id} {emoji_of(activity) or LIKE}".rstrip()


async def swallowed(tx: Transaction, activity: Activity, now: float) -> bool:
    """Whether this was taken back before it came, by an Undo that so has done its work."""
    keys = sorted(undo_keys(activity.actor, activity.kind, activity.id, about(activity)))
    if activity.kind not in RELATIONSHIPS:
        # Nothing keeps it in order with its Undo, which may be handled at once: it finds this, or is found here.
        for key in keys:
            await tx.alone(key)
    return await was_undone(tx, keys, now)
