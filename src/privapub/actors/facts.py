"""What happened to actors."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ActorGone:
    """A remote actor is no more: its follows, in both directions, are to end."""

    actor_id: int
