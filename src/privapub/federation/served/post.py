"""A post's document, and the Create that brought it."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.documents.write_activity import create
from privapub.federation.documents.write_post import note, tombstone
from privapub.federation.served.answer import document
from privapub.federation.served.asking import part, viewer
from privapub.posts import audience
from privapub.posts.read import FOLLOWERS, Post, by_activity_uri, by_uri
from privapub.server import Server

NO_POST = "There is no such post."
# What stands in where there is no post, so that the same questions are asked of the database either way.
_NONE = Post(
    id=0, uri="", activity_uri=None, author_id=0, local=True, kind="Note", audience=FOLLOWERS, source=None, content="",
    summary="", sensitive=False, language=None, url=None, in_reply_to=None, in_reply_to_id=None, tags=(),
    attachments=(), published_at=0, edited_at=None, received_at=0, deleted_at=None,
)  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """A post that this asker may see, and its author. `closed`: it is not for everyone, and `asker_id` signed."""

    post: Post
    author: Actor
    closed: bool = False
    asker_id: int | None = None


async def post(server: Server, request: Request) -> Response:
    """The note; for one that is not for everyone only to whoever may see it and signed the request.

    A deleted one that was for everyone is 410 with its Tombstone. Raises NotFound for all else, in the same way
    whether there is such a post or not.
    """
    uri = Addresses(server.base_url).post(part(request, "token"))
    async with server.database.read() as tx:
        found = await by_uri(tx, uri)
        if found is not None and found.local and found.audience in audience.OPEN:
            return await _open(tx, request, found)
    closed = await _closed(server, request, found)
    return document(request, note(closed.post, closed.author), private=True)


async def shown(server: Server, request: Request) -> Shown:
    """The post that the address is about, for whoever may see it, as for `post`; raises NotFound."""
    uri = Addresses(server.base_url).post(part(request, "token"))
    async with server.database.read() as tx:
        found = await by_uri(tx, uri)
        if found is not None and found.local and found.audience in audience.OPEN:
            if found.deleted_at is not None:
                raise NotFound(NO_POST)
            return Shown(found, await _author(tx, found))
    return await _closed(server, request, found)


async def _closed(server: Server, request: Request, found: Post | None) -> Shown:
    asker = await viewer(server, request)
    async with server.database.read() as tx:
        if found is None or not found.local:
            found = _NONE
        author = await actors.by_id(tx, found.author_id)
        allowed = await audience.may_see_now(tx, found, asker.id if asker else None)
    if author is None or not allowed:
        raise NotFound(NO_POST)
    return Shown(found, author, closed=True, asker_id=asker.id if asker else None)


async def _open(tx: Transaction, request: Request, found: Post) -> Response:
    if found.deleted_at is not None:
        return document(request, tombstone(found), status=410)
    return document(request, note(found, await _author(tx, found)))


async def activity(server: Server, request: Request) -> Response:
    """The Create of a post that is for everyone; raises NotFound for every other activity."""
    uri = Addresses(server.base_url).activity(part(request, "token"))
    async with server.database.read() as tx:
        found = await by_activity_uri(tx, uri)
        if found is None or not audience.may_see(found, None):
            raise NotFound("There is no such activity.")
        author = await _author(tx, found)
    return document(request, create(note(found, author), uri))


async def _author(tx: Transaction, found: Post) -> Actor:
    author = await actors.by_id(tx, found.author_id)
    if author is None:
        raise NotFound(NO_POST)
    return author
