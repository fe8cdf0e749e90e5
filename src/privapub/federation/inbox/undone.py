"""How an Undo that came too early is told from one that is about something else. Pure."""


def undo_keys(actor: str, kind: str, activity_id: str | None, object_id: str | None) -> tuple[str, ...]:
    """The names under which an activity may have been undone before it came: by its id, else by what it is about."""
    keys = []
    if activity_id:
        keys.append(undo_key(actor, kind, activity_id, None))
    if object_id:
        keys.append(undo_key(actor, kind, None, object_id))
    return tuple(keys)


def undo_key(actor: str, kind: str, activity_id: str | None, object_id: str | None) -> str:
    """The name under which an Undo is remembered: the id of what it undoes, or, where it has none, what that is about.

    By its id alone where it has one: who follows again, with another id, is not taken for the one who took it back.
    """
    return f"{actor} {kind} {activity_id}" if activity_id else f"{actor} {kind} of {object_id}"
