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
    """A post came from elsewhere, or names more of us than before: it is to reach its recipients here."""

    post_id: int
