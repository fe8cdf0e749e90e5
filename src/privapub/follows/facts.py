"""What happened to follows. Between two of our own personas there is nothing to send: only Followed is told."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FollowAsked:
    """A persona asks a remote actor: a Follow with the row's `uri` is to be sent."""

    follow_id: int


@dataclass(frozen=True)
class FollowAnswered:
    """A persona answers a remote follower: an Accept or a Reject of the Follow `uri` is to be sent."""

    follower_id: int
    followed_id: int
    uri: str  # the id of the Follow that is answered, verbatim
    accepted: bool


@dataclass(frozen=True)
class FollowWithdrawn:
    """A persona follows a remote actor no more (the row is gone): an Undo of the Follow `uri` is to be sent."""

    follower_id: int
    followed_id: int
    uri: str


@dataclass(frozen=True)
class Followed:
    """Somebody asks to follow a persona of ours, or follows it now: it is to be told."""

    follow_id: int


@dataclass(frozen=True)
class RelayAsked:
    """The admin subscribed to a relay: a Follow is to be sent to it."""

    relay_id: int


@dataclass(frozen=True)
class RelayLeft:
    """The admin left a relay (the row is gone): an Undo of the Follow is to be sent to it."""

    inbox: str
    actor_uri: str  # "" where it was never known
    object: str
    follow_uri: str
