"""Custom emojis of our posts and profiles (Mastodon: `toot:Emoji`)."""

from collections.abc import Mapping
from typing import Any


def emoji(tag: Mapping[str, Any]) -> dict[str, Any]:
    """The tag that brings the picture of a name, as a post or a profile keeps it."""
    # Without an id: at one on another host, where media may be, Fedify asks for a document, and drops the tag.
    icon = {"type": "Image", "mediaType": tag.get("media_type"), "url": tag["href"]}
    return {"type": "Emoji", "name": tag["name"], "icon": icon}
