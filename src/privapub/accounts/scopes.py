"""What a token allows, in the words of Mastodon's documentation (pure).

A scope is a word such as `read`, or a part of one such as `read:statuses`; the word allows all its parts. `follow` is
the old name for what may be read and written of follows, blocks and mutes.
"""

from collections.abc import Iterable

from privapub.errors import InvalidInput

_OF = {
    "read": (
        "accounts", "blocks", "bookmarks", "collections", "favourites", "filters", "follows", "lists", "mutes",
        "notifications", "search", "statuses",
    ),
    "write": (
        "accounts", "blocks", "bookmarks", "collections", "conversations", "favourites", "filters", "follows", "lists",
        "media", "mutes", "notifications", "reports", "statuses",
    ),
}  # fmt: skip
_FOLLOW = frozenset(f"{way}:{what}" for way in _OF for what in ("blocks", "follows", "mutes"))
EVERY = (
    *(scope for way, parts in _OF.items() for scope in (way, *(f"{way}:{part}" for part in parts))),
    "follow",
    "push",
    "profile",
)
DEFAULT = "read"


def read(text: str) -> tuple[str, ...]:
    """The scopes that a text names, each once, in its order; InvalidInput for one that there is not."""
    found = tuple(dict.fromkeys(text.replace("+", " ").split()))
    for scope in found:
        if scope not in EVERY:
            raise InvalidInput(f"There is no scope {scope[:40]!r}.", f"There are {', '.join(EVERY)}.")
    return found


def allows(held: Iterable[str], needed: str) -> bool:
    """Whether one of these scopes is the needed one, or holds it."""
    return any(
        scope == needed or needed.startswith(f"{scope}:") or (scope == "follow" and needed in _FOLLOW) for scope in held
    )


def within(asked: Iterable[str], held: Iterable[str]) -> bool:
    """Whether all that is asked for is held."""
    held = tuple(held)
    return all(allows(held, scope) for scope in asked)
