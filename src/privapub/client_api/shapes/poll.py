"""Polls."""

from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.client_api.shapes.emoji import CustomEmoji
from privapub.markup.clean import plain
from privapub.posts.poll_read import Poll as OurPoll


class PollOption(Struct):
    """An answer, and how many chose it: null where nobody says, or it is told when the poll is over."""

    title: str
    votes_count: int | None


class Poll(Struct):
    """Entity `Poll`. What the reader chose is told to readers who signed in."""

    id: str
    expires_at: str | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int | None
    options: list[PollOption]
    emojis: list[CustomEmoji]
    voted: bool | UnsetType = UNSET
    own_votes: list[int] | UnsetType = UNSET


def poll(found: OurPoll, now: float, emojis: Sequence[CustomEmoji], chosen: Sequence[int] | None, *, own: bool) -> Poll:
    """A poll (pure). `chosen` is what the reader voted for, None for a stranger; `own`: it is the reader's poll."""
    shown = Poll(
        str(found.post_id),
        None if found.ends_at is None else clock.iso(found.ends_at),
        found.is_over(now),
        found.multiple,
        found.cast,
        found.voters,
        [PollOption(plain(option.name), option.votes) for option in found.options],
        list(emojis),
    )
    if chosen is not None:
        shown.voted, shown.own_votes = bool(chosen) or own, list(chosen)
    return shown
