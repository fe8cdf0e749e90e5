"""What happened to posts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PostPublished:
    """A persona wrote a post: it is to reach its recipients, here and elsewhere."""

    post_id: int


@dataclass(frozen=True)
class PostEdited:
    """A persona changed a post: whoever got it is to get the change."""

    post_id: int


@dataclass(frozen=True)
class PostDeleted:
    """A persona deleted a post (the row is a tombstone): whoever got it is to be told."""

    post_id: int


@dataclass(frozen=True)
class PostReceived:
    """A post came from elsewhere, or names more of us than before: it is to reach its recipients here.

    `quoted`: it was asked for because another one quotes it, and what it quotes itself is not asked for.
    """

    post_id: int
    quoted: bool = False


@dataclass(frozen=True)
class VoteCast:
    """A persona voted in a poll from elsewhere: its author is to be told."""

    post_id: int
    persona_id: int


@dataclass(frozen=True)
class PollCounted:
    """Votes came for a poll of ours: whoever got it is to get the counts. Told once for the votes of some minutes."""

    post_id: int


@dataclass(frozen=True)
class PollEnded:
    """The time of a poll in which one of ours votes, or that one of ours asks, is over."""

    post_id: int
    ends_at: float  # a poll that was asked anew ends at another time


@dataclass(frozen=True)
class PostPinned:
    """A persona put a post first in its profile, or took it off: its followers' servers are to be told."""

    post_id: int
    pinned: bool


@dataclass(frozen=True)
class ReactionAdded:
    """A persona, or somebody at a post of ours, likes it or reacted with an emoji (the row `reaction_id`)."""

    reaction_id: int


@dataclass(frozen=True)
class ReactionWithdrawn:
    """A persona, or somebody at a post of ours, took a like or a reaction back (the row is gone)."""

    actor_id: int
    post_id: int
    emoji: str
    picture: str | None
    uri: str  # the id of the activity that is undone


@dataclass(frozen=True)
class PostBoosted:
    """Somebody, here or elsewhere, boosted a post (the row `boost_id`): it is to reach their followers."""

    boost_id: int


@dataclass(frozen=True)
class BoostWithdrawn:
    """A persona, or somebody elsewhere, took a boost back (the row is gone)."""

    actor_id: int
    post_id: int
    audience: str
    uri: str  # the id of the Announce that is undone
    boosted_at: float


@dataclass(frozen=True)
class QuoteAsked:
    """A post of ours quotes one from elsewhere: its author is to be asked."""

    post_id: int


@dataclass(frozen=True)
class QuoteAnswered:
    """Somebody elsewhere asked (`request` is the id of their QuoteRequest) to quote a post of ours by `quoting`.

    `token` is that of the stamp, None where they may not.
    """

    post_id: int
    asker_id: int
    quoting: str
    request: str
    token: str | None


@dataclass(frozen=True)
class StampRevoked:
    """A persona takes its yes to a quote back: a Delete of the stamp is to be sent."""

    token: str
