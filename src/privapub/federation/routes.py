"""Every address at which other servers speak to us."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from privapub.actors.addresses import Addresses
from privapub.errors import PrivaPubError
from privapub.federation.inbox.admit import admitted
from privapub.federation.inbox.receive import receive
from privapub.federation.problems import answer
from privapub.federation.served import collections, thread
from privapub.federation.served.actor import actor, ours
from privapub.federation.served.asking import part
from privapub.federation.served.counted import Served, counted
from privapub.federation.served.featured import featured, featured_tags
from privapub.federation.served.nodeinfo import discovery, nodeinfo
from privapub.federation.served.post import activity, post
from privapub.federation.served.secure_mode import for_servers
from privapub.federation.served.stamp import stamp
from privapub.federation.served.synchronization import followers_of_host
from privapub.federation.served.webfinger import host_meta, host_meta_json, webfinger
from privapub.server import Server

Endpoint = Callable[[Request], Awaitable[Response]]
SHARED_INBOX = ""


def routes(server: Server) -> list[Route]:
    """The routes of documents, inboxes and well-known addresses. Nothing here answers with a page."""
    gets: dict[str, tuple[str, Served]] = {
        "/actors/{token}": ("actor", actor),
        "/actors/{token}/outbox": ("outbox", collections.outbox),
        "/actors/{token}/followers": ("followers", collections.followers),
        "/actors/{token}/followers/{host}": ("followers-of-host", followers_of_host),
        "/actors/{token}/following": ("following", collections.following),
        "/actors/{token}/featured": ("featured", featured),
        "/actors/{token}/featured-tags": ("featured-tags", featured_tags),
        "/posts/{token}": ("post", post),
        "/posts/{token}/replies": ("replies", thread.replies),
        "/posts/{token}/context": ("context", thread.thread),
        "/posts/{token}/likes": ("likes", thread.likes),
        "/posts/{token}/shares": ("shares", thread.shares),
        "/activities/{token}": ("activity", activity),
        "/stamps/{token}": ("stamp", stamp),
        "/.well-known/webfinger": ("webfinger", webfinger),
        "/.well-known/host-meta": ("host-meta", host_meta),
        "/.well-known/host-meta.json": ("host-meta", host_meta_json),
        "/.well-known/nodeinfo": ("nodeinfo", discovery),
        "/nodeinfo/{version}": ("nodeinfo", nodeinfo),
    }
    posts: dict[str, Served] = {"/inbox": _shared_inbox, "/actors/{token}/inbox": _inbox}
    # The inboxes first, since most of all requests are for them.
    return [
        *(
            Route(path, endpoint(server, counted("inbox", admitted(served))), methods=["POST"])
            for path, served in posts.items()
        ),
        *(
            Route(path, endpoint(server, for_servers(kind, served)), methods=["GET"])
            for path, (kind, served) in gets.items()
        ),
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
