"""What a signed activity may claim, as far as the document alone tells: what it names is on its host. Pure."""

from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.origin import same_origin

# The ids of these are on their actor's host; those of relationships are opaque and count per actor.
OF_ITS_HOST = frozenset({"Create", "Update", "Delete", "Announce"})
OBJECT_OF_ITS_HOST = frozenset({"Create", "Update", "Delete"})


def misplaced(activity: Activity) -> str | None:
    """Why this activity cannot be its actor's to send: `id-elsewhere`, `object-elsewhere`, `no-object`; else None."""
    if activity.kind in OF_ITS_HOST and activity.id is not None and not same_origin(activity.id, activity.actor):
        return "id-elsewhere"
    if activity.kind in OBJECT_OF_ITS_HOST:
        if activity.object_id is None:
            return "no-object"
        if not same_origin(activity.object_id, activity.actor):
            return "object-elsewhere"
    return None


def deletes_itself(activity: Activity) -> bool:
    """Whether an actor says that it is no more."""
    return activity.kind == "Delete" and activity.object_id == activity.actor
