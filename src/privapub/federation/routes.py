"""Every address at which other servers speak to us."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from privapub.actors.addresses import Addresses
from privapub.errors import PrivaPubError
from privapub.federation.inbox.receive import receive
from privapub.federation.problems import answer
from privapub.federation.served import collections, thread
from privapub.federation.served.actor import actor, ours
from privapub.federation.served.asking import part
from privapub.federation.served.featured import featured, featured_tags
from privapub.federation.served.nodeinfo import discovery, nodeinfo
from privapub.federation.served.post import activity, post
from privapub.federation.served.refusal import unless_blocked
from privapub.federation.served.stamp import stamp
from privapub.federation.served.webfinger import host_meta, host_meta_json, webfinger
from privapub.server import Server

Served = Callable[[Server, Request], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
SHARED_INBOX = ""


def routes(server: Server) -> list[Route]:
    """The routes of documents, inboxes and well-known addresses. Nothing here answers with a page."""
    gets: dict[str, Served] = {
        "/actors/{token}": actor,
        "/actors/{token}/outbox": collections.outbox,
        "/actors/{token}/followers": collections.followers,
        "/actors/{token}/following": collections.following,
        "/actors/{token}/featured": featured,
        "/actors/{token}/featured-tags": featured_tags,
        "/posts/{token}": post,
        "/posts/{token}/replies": thread.replies,
        "/posts/{token}/context": thread.thread,
        "/posts/{token}/likes": thread.likes,
        "/posts/{token}/shares": thread.shares,
        "/activities/{token}": activity,
        "/stamps/{token}": stamp,
        "/.well-known/webfinger": webfinger,
        "/.well-known/host-meta": host_meta,
        "/.well-known/host-meta.json": host_meta_json,
        "/.well-known/nodeinfo": discovery,
        "/nodeinfo/{version}": nodeinfo,
    }
    posts: dict[str, Served] = {"/inbox": _shared_inbox, "/actors/{token}/inbox": _inbox}
    # The inboxes first, since most of all requests are for them.
    return [
        *(Route(path, endpoint(server, served), methods=["POST"]) for path, served in posts.items()),
        *(Route(path, endpoint(server, unless_blocked(served)), methods=["GET"]) for path, served in gets.items()),
    ]


def endpoint(server: Server, served: Served) -> Endpoint:
    """What answers a request: what `served` says, or its error in words."""

    async def answering(request: Request) -> Response:
        try:
            return await served(server, request)
        except PrivaPubError as problem:
            return answer(problem)

    return answering


async def _shared_inbox(server: Server, request: Request) -> Response:
    return await receive(server, request, SHARED_INBOX)


async def _inbox(server: Server, request: Request) -> Response:
    async with server.database.read() as tx:
        owner = await ours(tx, Addresses(server.base_url), part(request, "token"))
    return await receive(server, request, str(owner.id))
