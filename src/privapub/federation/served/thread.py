"""What belongs to a post of ours: its answers, its thread, its likes and its boosts.

Whoever may see the post may read them, and finds in them what they may see themselves. Of anything else nothing is
told: not by the length of a page, nor by where it goes on, nor by the headers.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from privapub.database.transaction import Transaction
from privapub.errors import Unavailable
from privapub.federation.documents import write_thread
from privapub.federation.documents.write_collection import collection, page
from privapub.federation.served.answer import document
from privapub.federation.served.asking import viewer
from privapub.federation.served.collections import PAGE, cursor
from privapub.federation.served.post import Shown, shown
from privapub.posts import audience, boost_read, reaction_read, threads
from privapub.posts.read import DIRECT, FOLLOWERS, Post
from privapub.server import Server

_EVERY = (*sorted(audience.OPEN), FOLLOWERS, DIRECT)

# A page of posts from behind a number, and how many there are for everyone.
_Posts = Callable[..., Awaitable[list[Post]]]
_Count = Callable[[Transaction, int], Awaitable[int]]


async def replies(server: Server, request: Request) -> Response:
    """What answers a post directly: the collection, or with `?page=true` a page of ids, the oldest first."""
    found = await shown(server, request)
    uri = write_thread.replies_of(found.post.uri)
    return await _listed(server, request, found, uri, threads.replies, threads.count_replies, ordered=False)


async def thread(server: Server, request: Request) -> Response:
    """A post and all below it, in the order of time (FEP-f228, collection of posts)."""
    found = await shown(server, request)
    uri = write_thread.thread_of(found.post.uri)
    return await _listed(server, request, found, uri, threads.below, threads.count_below, ordered=True)


async def likes(server: Server, request: Request) -> Response:
    """How many like a post. Who they are is told to nobody: a Like is sent to the author alone."""
    found = await shown(server, request)
    async with server.database.read() as tx:
        counted = await reaction_read.counts(tx, [found.post.id])
    total = sum(counted[found.post.id].values())
    uri = write_thread.likes_of(found.post.uri)
    return document(request, collection(uri, total, None, ordered=False), private=found.closed)


async def shares(server: Server, request: Request) -> Response:
    """How often a post was boosted, and the ids of the boosts that are for everyone, newest first."""
    found = await shown(server, request)
    uri = write_thread.shares_of(found.post.uri)
    before = cursor(request.query_params.get("before"))
    async with server.database.read() as tx:
        if "page" not in request.query_params:
            total = (await boost_read.counts(tx, [found.post.id]))[found.post.id]
            first = f"{uri}?page=true" if total and not found.closed else None
            content = collection(uri, total, first, ordered=False)
            return document(request, content, private=found.closed)
        listed = audience.OPEN if not found.closed else ()
        boosts = await boost_read.of_post(tx, found.post.id, before=before, limit=PAGE + 1, audiences=listed)
    following = f"{uri}?page=true&before={boosts[PAGE - 1].id}" if len(boosts) > PAGE else None
    ids = [boost.uri for boost in boosts[:PAGE]]
    this = f"{uri}?page=true" + ("" if before is None else f"&before={before}")
    return document(request, page(this, uri, ids, following, ordered=False), private=found.closed)


async def _listed(
    server: Server, request: Request, found: Shown, uri: str, posts: _Posts, count: _Count, *, ordered: bool
) -> Response:
    after = cursor(request.query_params.get("after"))
    if "page" not in request.query_params:
        async with server.database.read() as tx:
            total = await count(tx, found.post.id) if not found.closed else None
        content = collection(uri, total, f"{uri}?page=true", ordered=ordered, owner=found.author.uri)
        return document(request, content, private=found.closed)
    # Whoever signs is looked up in any case: that their key is asked for must not tell that something is hidden.
    asker = await _asker(server, request, found)
    async with server.database.read() as tx:
        visible = await _visible(tx, partial(posts, tx, found.post.id), after, asker)
    following = f"{uri}?page=true&after={visible[PAGE - 1].id}" if len(visible) > PAGE else None
    visible = visible[:PAGE]
    private = found.closed or any(post.audience not in audience.OPEN for post in visible)
    this = f"{uri}?page=true" + ("" if after is None else f"&after={after}")
    content = page(this, uri, [post.uri for post in visible], following, ordered=ordered)
    return document(request, content, private=private)


async def _visible(tx: Transaction, posts: _Posts, after: int | None, asker: int | None) -> list[Post]:
    """What the asker may see of these posts behind a number: more than a page of them, or all."""
    visible: list[Post] = []
    while len(visible) <= PAGE:
        some = await posts(after=after, limit=PAGE + 1, audiences=_EVERY, among=audience.seen_by(asker))
        visible += await audience.visible_to(tx, some, asker)
        if len(some) <= PAGE:
            break
        after = some[-1].id
    return visible


async def _asker(server: Server, request: Request, found: Shown) -> int | None:
    """Who asks. Of a post for everyone, one whose key cannot be had now is nobody."""
    if found.closed:
        return found.asker_id
    try:
        asker = await viewer(server, request)
    except Unavailable:
        return None
    return None if asker is None else asker.id
