"""Somebody likes a post or reacts to it with an emoji.

ActivityPub, section 7.9 (Like); FEP-c0e0 and Litepub (EmojiReact); Misskey (a Like with `content`, or with the
`_misskey_reaction` of older ones). The id of these is opaque and counts per actor.
"""

from privapub.database.transaction import Transaction
from privapub.federation.documents.read_activity import Activity
from privapub.federation.inbox.arrived import Arrived
from privapub.markup.reactions import LIKE, emoji_in, is_short_name
from privapub.posts import audience, react, read


async def on_like(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """Of a post that we have and that the signer may see; nothing is fetched for it.

    A Like whose content is no emoji is a plain like, an EmojiReact without one is nothing.
    """
    activity, signer = arrived.activity, arrived.signer
    if activity.object_id is None:
        return "no-object"
    emoji = emoji_of(activity)
    if emoji is None:
        return "no-emoji"
    post = await read.by_uri(tx, activity.object_id)
    if post is None or not await audience.may_see_now(tx, post, signer.id):
        return "no-such-post"
    picture = picture_of(activity, emoji)
    if not await react.receive(tx, signer.id, post.id, emoji, picture, activity.id or "", now):
        return "too-many-reactions"
    return None


def emoji_of(activity: Activity) -> str | None:
    """What they react with: "" for a plain like, None for no emoji where there must be one (pure)."""
    emoji = emoji_in(activity.content)
    if activity.kind == "EmojiReact":
        return emoji or None
    if emoji is None or (is_short_name(emoji) and not activity.content.strip().startswith(":")):
        # A Like may carry any text: a bare word is none of its emojis.
        return LIKE
    return emoji


def picture_of(activity: Activity, emoji: str) -> str | None:
    """Where the picture of a `:name:` is, by the tag that comes with it (pure)."""
    pictures = (tag.href for tag in activity.tags if tag.type == "Emoji" and tag.name == emoji)
    return next(pictures, None) if is_short_name(emoji) else None
