"""Somebody puts a post or a hashtag first in their profile (Mastodon's `featured`; ActivityStreams Vocabulary: Add).

Only into the actor's own collections, and only a post of their own: one that is not known yet comes from its origin.
"""

from privapub.actors import featured_tags
from privapub.database.transaction import Transaction
from privapub.federation.fetching.origin import same_origin
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.federation.inbox.audience import may_concern
from privapub.federation.inbox.featuring import featuring
from privapub.federation.inbox.on_create import take_in
from privapub.posts import pin, read


async def on_add(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """The post stands first in its author's profile from now on, or the hashtag among theirs."""
    what, signer = featuring(arrived.activity, arrived.signer), arrived.signer
    if isinstance(what, str):
        return what
    if what.tag is not None:
        return None if await featured_tags.featured_elsewhere(tx, signer.id, what.tag, now) else "too-many"
    known = await read.by_uri(tx, what.uri or "")
    if known is None:
        if arrived.fetched.post is None:
            return arrived.fetched.problem or "not-for-us"
        kept_out = await take_in(tx, arrived.fetched.post, signer, arrived.owner, now)
        if kept_out is not None:
            return kept_out
        known = await read.by_uri(tx, what.uri or "")
    if known is None or known.author_id != signer.id:
        return "not-theirs"
    return None if await pin.pinned_elsewhere(tx, known.id, signer.id, now) else "not-featured"


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """A post of the actor's own host that is not known yet, if somebody here may care."""
    what, signer = featuring(arrived.activity, arrived.signer), arrived.signer
    if isinstance(what, str) or what.uri is None or not same_origin(what.uri, signer.uri):
        return None
    if await read.by_uri(tx, what.uri) is not None:
        return None
    return Wanted("post", what.uri) if await may_concern(tx, (), signer, arrived.owner) else None
