"""Our likes and reactions as documents (ActivityStreams Vocabulary: Like; FEP-c0e0 for those with an emoji).

A reaction is a Like with `content`, as Misskey writes it, and not an EmojiReact: Mastodon and others that know no
reactions read a like, Pleroma, Akkoma, Misskey and Mitra the emoji.
"""

from typing import Any

from privapub.federation.documents import context
from privapub.federation.documents.write_activity import undo
from privapub.markup.reactions import LIKE, is_short_name

_OF_REACTION: list[Any] = [
    context.ACTIVITYSTREAMS,
    {
        "toot": "http://joinmastodon.org/ns#",
        "Emoji": "toot:Emoji",
        "misskey": "https://misskey-hub.net/ns#",
        "_misskey_reaction": "misskey:_misskey_reaction",
    },
]


def like(uri: str, actor: str, post: str, author: str, emoji: str = LIKE, picture: str | None = None) -> dict[str, Any]:
    """The Like of a post, to its author; with an `emoji` a reaction, with a `picture` where that is a `:name:`."""
    document: dict[str, Any] = {
        "@context": context.PLAIN,
        "id": uri,
        "type": "Like",
        "actor": actor,
        "object": post,
        "to": [author],
    }
    if emoji == LIKE:
        return document
    document |= {"@context": _OF_REACTION, "content": emoji, "_misskey_reaction": emoji}
    if is_short_name(emoji) and picture is not None:
        # Without an id: the picture is on another host, and Fedify would ask for a document there.
        icon = {"type": "Image", "url": picture}
        document["tag"] = [{"type": "Emoji", "name": emoji, "icon": icon}]
    return document


def undo_like(uri: str, liked: dict[str, Any]) -> dict[str, Any]:
    """The Undo of it, which embeds it whole, to the same one."""
    return {**undo(uri, liked["actor"], liked), "@context": liked["@context"], "to": liked["to"]}
