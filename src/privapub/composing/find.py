"""Whatever is at an address that somebody pasted: a person or a post, here or elsewhere, learnt where it was new."""

from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.composing.learn import kept
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.federation.documents.read_actor import RemoteActor
from privapub.federation.documents.read_document import read_document
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.actor import learn
from privapub.federation.fetching.document import document
from privapub.federation.fetching.post import believed
from privapub.federation.fetching.webfinger import resolve
from privapub.identifiers import number_in
from privapub.personas import read as personas
from privapub.posts import read as posts
from privapub.posts.read import Post
from privapub.server import Server

_LOOK = "Look at the address again: it is that of one post, or of one profile."


async def find(server: Server, what: str) -> Actor | Post:
    """Who or what is at this address: `@somebody@example.org`, an id, or the page of somebody or of a post.

    Elsewhere it is always asked for, in one request; a page of HTML is read for the link to its document, which is one
    more. What comes is believed by its own id. Whether somebody may see the post is for whoever shows it to ask.
    Raises InvalidInput for what is nothing that is taken in, NotFound, NotAllowed or FetchProblem.
    """
    text = what.strip()
    if not text.startswith(("https://", "http://")):
        return await resolve(server, text)
    if Addresses(server.base_url).is_ours(text):
        return await _ours(server, text)
    content = await document(server, text, "object", pages=True)
    record = read_document(content)
    if isinstance(record, RemoteActor):
        return await learn(server, record)
    if not isinstance(record, RemotePost):
        raise InvalidInput("There is neither a post nor a profile at this address, but something else.", _LOOK)
    post = await kept(server, believed(content))
    if post is None or post.deleted_at is not None:
        raise NotFound("This post is deleted.")
    return post


async def _ours(server: Server, uri: str) -> Actor | Post:
    async with server.database.read() as tx:
        known = await here(tx, uri)
    if known is None or (isinstance(known, Post) and known.deleted_at is not None):
        raise NotFound("There is nothing at this address.", _LOOK)
    return known


async def here(tx: Transaction, uri: str) -> Actor | Post | None:
    """What is at an address of ours: an id, the page of a persona, or of its post by its number."""
    known = await posts.by_uri(tx, uri) or await actors.by_uri(tx, uri)
    handle, _, number = uri.rpartition("/@")[2].partition("/")
    if known is not None or (persona := await personas.by_handle(tx, handle)) is None:
        return known
    if not number:
        return persona.actor
    post = await posts.by_id(tx, number_in(number) or 0)
    return post if post is not None and post.author_id == persona.id else None
