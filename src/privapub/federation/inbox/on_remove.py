"""Somebody takes a post or a hashtag off the head of their profile (Mastodon's `featured`; Vocabulary: Remove).

Only from the actor's own collections; the post itself stays.
"""

from privapub.actors import featured_tags
from privapub.database.transaction import Transaction
from privapub.federation.inbox.arrived import Arrived
from privapub.federation.inbox.featuring import featuring
from privapub.posts import pin, read


async def on_remove(tx: Transaction, arrived: Arrived, now: float) -> str | None:  # noqa: ARG001 - as all of these
    """What does not stand there cannot be taken off, and changes nothing."""
    what, signer = featuring(arrived.activity, arrived.signer), arrived.signer
    if isinstance(what, str):
        return what
    if what.tag is not None:
        return None if await featured_tags.unfeatured_elsewhere(tx, signer.id, what.tag) else "nothing-to-remove"
    known = await read.by_uri(tx, what.uri or "")
    taken_off = known is not None and await pin.unpinned_elsewhere(tx, known.id, signer.id)
    return None if taken_off else "nothing-to-remove"
