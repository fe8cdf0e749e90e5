"""What a program may do, in words for a person (pure)."""

from collections.abc import Iterable

_WHOLE = {
    "read": "see everything of this persona: posts, timelines, private messages, notifications, lists",
    "write": "change everything of this persona: write and delete posts, follow and block, edit its profile",
    "follow": "see and change whom this persona follows, blocks and mutes",
    "push": "be told at once when this persona is notified of something",
    "profile": "see the name and the picture of this persona",
}
_OF = {
    "accounts": ("see accounts", "edit the profile of this persona"),
    "blocks": ("see whom it blocks", "block, and stop blocking"),
    "bookmarks": ("see its bookmarks", "bookmark posts"),
    "collections": ("see its collections", "change its collections"),
    "conversations": ("", "mark conversations as read, and remove them"),
    "favourites": ("see which posts it liked", "like posts"),
    "filters": ("see its filters", "change its filters"),
    "follows": ("see whom it follows", "follow, and stop following"),
    "lists": ("see its lists", "change its lists"),
    "media": ("", "upload pictures, films and sounds"),
    "mutes": ("see whom it mutes", "mute, and stop muting"),
    "notifications": ("see its notifications", "clear its notifications"),
    "reports": ("", "report others"),
    "search": ("search as this persona", ""),
    "statuses": ("see its posts and timelines", "write, edit and delete posts"),
}


def in_words(scopes: Iterable[str]) -> list[str]:
    """A line for each scope, without those that another one holds."""
    given = set(scopes)
    return [line(scope) for scope in sorted(given) if ":" not in scope or scope.partition(":")[0] not in given]


def line(scope: str) -> str:
    """What this scope allows."""
    way, _, what = scope.partition(":")
    return _OF[what][way == "write"] if what else _WHOLE[way]
