"""Hashtags, as programs show them. What they are called by is their key (`markup.hashtags.tag_key`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from privapub.markup.hashtags import tag_address, tag_key


class Tag(Struct):
    """Entity `Tag`. Nothing is counted of it: `history` is empty. What it is to the reader is told to readers alone."""

    id: str
    name: str
    url: str
    history: list[Mapping[str, Any]] = []
    following: bool | UnsetType = UNSET
    featuring: bool | UnsetType = UNSET


class FeaturedTag(Struct):
    """Entity `FeaturedTag`; its count is text."""

    id: str
    name: str
    url: str
    statuses_count: str
    last_status_at: str | None


@dataclass(frozen=True)
class Used:
    """How often somebody wrote a tag for everybody, and when last (UTC day)."""

    times: int = 0
    last_at: str | None = None


def tag(name: str, base_url: str, *, following: bool | None = None, featuring: bool | None = None) -> Tag:
    """A hashtag (pure); the last two are None for a stranger."""
    shown = Tag(tag_key(name), name, tag_address(f"{base_url}/tags", name))
    if following is not None:
        shown.following = following
    if featuring is not None:
        shown.featuring = featuring
    return shown


def featured(name: str, base_url: str, handle: str, used: Used) -> FeaturedTag:
    """A hashtag in a profile (pure); `handle` is empty for somebody elsewhere."""
    at = tag_address(f"{base_url}/@{handle}/tagged" if handle else f"{base_url}/tags", name)
    return FeaturedTag(tag_key(name), name, at, str(used.times), used.last_at)
