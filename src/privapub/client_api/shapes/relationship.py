"""What is between the reader and somebody else, and what it wants of them."""

from msgspec import Struct

from privapub import clock
from privapub.actors.mutes import Mute
from privapub.follows.read import ACCEPTED, PENDING, Follow


class Relationship(Struct, kw_only=True):
    """Entity `Relationship`."""

    id: str
    following: bool = False
    showing_reblogs: bool = False
    notifying: bool = False
    languages: list[str] | None = None
    followed_by: bool = False
    blocking: bool = False
    blocked_by: bool = False
    muting: bool = False
    muting_notifications: bool = False
    muting_expires_at: str | None = None
    requested: bool = False
    requested_by: bool = False
    domain_blocking: bool = False
    endorsed: bool = False
    note: str = ""


def relationship(
    actor_id: int,
    mine: Follow | None,
    theirs: Follow | None,
    mute: Mute | None,
    *,
    blocking: bool,
    blocked_by: bool,
    domain_blocking: bool,
    note: str,
) -> Relationship:
    """What is between a reader and an actor (pure). `mine` is the reader's follow, `theirs` the other way round."""
    shown = Relationship(
        id=str(actor_id),
        followed_by=theirs is not None and theirs.state == ACCEPTED,
        requested_by=theirs is not None and theirs.state == PENDING,
        blocking=blocking,
        blocked_by=blocked_by,
        domain_blocking=domain_blocking,
        note=note,
    )
    if mine is not None and mine.state in {ACCEPTED, PENDING}:
        shown.following, shown.requested = mine.state == ACCEPTED, mine.state == PENDING
        shown.showing_reblogs, shown.notifying = mine.boosts, mine.notify
        shown.languages = list(mine.languages) or None
        shown.endorsed = mine.endorsed and mine.state == ACCEPTED
    if mute is not None:
        shown.muting, shown.muting_notifications = True, mute.notifications
        shown.muting_expires_at = None if mute.ends_at is None else clock.iso(mute.ends_at)
    return shown
