"""Custom emojis."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from privapub.client_api.shapes.pictures import Pictures
from privapub.emojis.keep import Emoji


class CustomEmoji(Struct):
    """Entity `CustomEmoji`."""

    shortcode: str
    url: str
    static_url: str
    visible_in_picker: bool = True
    category: str | None = None


def of_tags(tags: Iterable[Mapping[str, Any]], pictures: Pictures) -> list[CustomEmoji]:
    """Those that something from elsewhere brought along, shown from here (pure)."""
    found = []
    for tag in tags:
        url = pictures.emoji(str(tag.get("href") or "")) if tag.get("type") == "Emoji" else ""
        if url:
            found.append(CustomEmoji(str(tag.get("name", "")).strip(":"), url, url, visible_in_picker=False))
    return found


def ours(emoji: Emoji, pictures: Pictures) -> CustomEmoji:
    """One of this server's own (pure)."""
    url = pictures.ours(emoji.file)
    return CustomEmoji(emoji.shortcode, url, url, category=emoji.category or None)
