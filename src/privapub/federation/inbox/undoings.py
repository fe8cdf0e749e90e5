"""What each kind of activity leaves behind, and how it is taken back: one function a kind."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from privapub.actors import blocks
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.properties import identity
from privapub.federation.documents.read_activity import Activity, read_activity
from privapub.federation.inbox.on_like import emoji_of
from privapub.federation.inbox.undone import about
from privapub.follows import blocking, follow
from privapub.follows import read as follows
from privapub.posts import boost, react
from privapub.posts import read as posts


@dataclass(frozen=True)
class Undone:
    """What is taken back, by whom: its id, and what it was about where that is told.

    `activity` is there where it was embedded and can be read: with what it leaves out taken from the Undo.
    """

    signer: Actor
    id: str | None
    about: str | None
    activity: Activity | None = None


# True where there was something of theirs that is now no more.
Undoing = Callable[[Transaction, Undone, float], Awaitable[bool]]


def embedded(signer: Actor, document: dict[str, Any], object_id: str | None) -> Undone:
    """What an Undo embeds, in the words that its kind remembers it by (pure)."""
    try:
        activity = read_activity({**document, "actor": signer.uri})
    except PrivaPubError:
        return Undone(signer, object_id, identity(document.get("object")))
    return Undone(signer, object_id, about(activity), activity)


async def of_follow(tx: Transaction, undone: Undone, now: float) -> bool:
    """A Follow of one of ours: by whom it followed, whatever its id, which some change; else by its id."""
    followed = None if undone.about is None else await actors.by_uri(tx, undone.about)
    if followed is None and undone.id is not None:
        known = await follows.by_uri(tx, undone.id, follower_id=undone.signer.id)
        followed = None if known is None else await actors.by_id(tx, known.followed_id)
    return followed is not None and followed.local and await follow.undo(tx, undone.signer.id, followed.id, now)


async def of_like(tx: Transaction, undone: Undone, now: float) -> bool:  # noqa: ARG001 - as all of them
    """A Like or an EmojiReact: by its id, else by the post and the emoji, since some make another id of it."""
    activity = undone.activity
    post = None if activity is None or activity.object_id is None else await posts.by_uri(tx, activity.object_id)
    emoji = "" if activity is None else emoji_of(activity)
    return await react.undo(
        tx,
        undone.signer.id,
        uri=undone.id,
        post_id=None if post is None or emoji is None else post.id,
        emoji=emoji or "",
    )


async def of_announce(tx: Transaction, undone: Undone, now: float) -> bool:  # noqa: ARG001 - as all of them
    """An Announce: by its id, and by the post only where it has none."""
    post = None if undone.about is None else await posts.by_uri(tx, undone.about)
    return await boost.undo(tx, undone.signer.id, uri=undone.id, post_id=None if post is None else post.id)


async def of_block(tx: Transaction, undone: Undone, now: float) -> bool:
    """A Block of one of ours: by whom it kept away, whatever its id (Friendica has one for all); else by its id."""
    blocked = None if undone.about is None else await actors.by_uri(tx, undone.about)
    known = None if undone.id is None else await blocks.by_uri(tx, undone.id, undone.signer.id)
    blocked_id = known.blocked_id if blocked is None and known is not None else None if blocked is None else blocked.id
    return blocked_id is not None and await blocking.receive_unblock(tx, undone.signer.id, blocked_id, now)


# In this order where only an id is known.
UNDOINGS: Mapping[str, Undoing] = {
    "Follow": of_follow,
    "Like": of_like,
    "EmojiReact": of_like,
    "Announce": of_announce,
    "Block": of_block,
}
