"""Somebody boosts a post (ActivityPub, section 7.11), or a group passes on what its members did (FEP-1b12, Lemmy).

Whoever boosts vouches for nothing: a post that we do not have is asked of its own host, and only of somebody whom one
of ours follows. Anybody may boost a post of ours that is for everybody. The id is on the actor's host.
"""

from privapub.actors.standing import blocked_among
from privapub.database.transaction import Transaction
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.read_activity import Activity
from privapub.federation.inbox import passed_on
from privapub.federation.inbox.arrived import Arrived, Wanted
from privapub.federation.inbox.passed_on import followed_here, inner, taken
from privapub.follows import relays
from privapub.outbound.gate import DISALLOWED
from privapub.posts import audience as audiences
from privapub.posts import boost
from privapub.posts import read as posts
from privapub.posts.read import FOLLOWERS, UNLISTED, Post
from privapub.posts.read import PUBLIC as FOR_ALL


async def want(tx: Transaction, arrived: Arrived) -> Wanted | None:
    """The post, where we do not have it and one of ours follows whoever boosts."""
    kind, uri = inner(arrived.activity)
    if uri is None:
        return None
    if kind:
        return await passed_on.want(tx, arrived, kind, uri)
    if await posts.by_uri(tx, uri) is not None or not await followed_here(tx, arrived.signer):
        return None
    return Wanted("post", uri, shared=True)


async def on_announce(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    """A boost is kept, once for each actor and post; what a group passes on is asked of its origin."""
    activity, signer = arrived.activity, arrived.signer
    kind, uri = inner(activity)
    if uri is None:
        return "no-object"
    if kind:
        return await passed_on.take_in(tx, arrived, kind, uri, now)
    post = await _boosted(tx, arrived, uri, now)
    if isinstance(post, str):
        return post
    if await relays.is_one(tx, signer.uri):
        return None  # it shows where something is, and likes nothing
    if not boost.may_boost(post, signer.id):
        return "not-to-be-boosted"
    announce_id = activity.id or f"{signer.uri}#boosts-{post.id}"
    kept = await boost.receive(tx, signer.id, post.id, audience_of(activity), announce_id, activity.published, now)
    return None if kept else "id-of-another"


async def _boosted(tx: Transaction, arrived: Arrived, uri: str, now: float) -> Post | str:
    """The post, as far as the signer may know of it; or why not."""
    post = await posts.by_uri(tx, uri)
    if (post is None or not post.local) and not await followed_here(tx, arrived.signer):
        return "not-for-us"
    if post is None:
        found = await taken(tx, arrived.fetched, now)
        if isinstance(found, str):
            return found
        post = found
    if post.deleted_at is not None:
        return "deleted-before"
    if await audiences.may_see_now(tx, post, arrived.signer.id):
        return post
    return DISALLOWED if await blocked_among(tx, [post.author_id]) else "no-such-post"


def audience_of(activity: Activity) -> str:
    """`public`, `unlisted` or `followers` (pure). It says who is shown the boost, not who may see the post."""
    if PUBLIC in activity.to:
        return FOR_ALL
    return UNLISTED if PUBLIC in activity.cc else FOLLOWERS
