"""What happened to actors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ActorGone:
    """A remote actor is no more: its follows, in both directions, are to end."""

    actor_id: int


@dataclass(frozen=True)
class ActorBlocked:
    """A persona blocks a remote actor: a Block of this `uri` is to be sent."""

    blocker_id: int
    blocked_id: int
    uri: str


@dataclass(frozen=True)
class ActorUnblocked:
    """A persona blocks a remote actor no more (the row is gone): an Undo of the Block `uri` is to be sent."""

    blocker_id: int
    blocked_id: int
    uri: str


@dataclass(frozen=True)
class TagFeatured:
    """A persona shows a hashtag in its profile, or no more: its followers' servers are to be told."""

    persona_id: int
    name: str
    shown: bool


@dataclass(frozen=True)
class ActorMoved:
    """A remote actor has another actor now, and both say so: those of ours who follow it are to follow that one."""

    old_id: int
    new_id: int
