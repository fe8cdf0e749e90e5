"""A post that a persona names by its uri, page or number: known here, or read from its own host."""

from privapub import clock, scope
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.federation.documents.read_post import RemotePost
from privapub.federation.fetching.actor import fetch_author
from privapub.federation.fetching.origin import origin
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.received import keep
from privapub.identifiers import number_in
from privapub.posts import audience as audiences
from privapub.posts.read import Post, by_id, by_uri
from privapub.server import Server

_HINT = "It may be deleted, or not be meant for whoever asks."


def meant(which: str) -> int | str:
    """The number or the address of a post, as somebody typed it. Raises InvalidInput for what is neither. Pure."""
    number = number_in(which)
    if number is not None:
        return number
    if not origin(which):
        raise InvalidInput(
            f"{which[:100]!r} is neither the number nor the address of a post.",
            "A number stands beside each post that is listed; an address begins with https://.",
        )
    return which


async def seen_post(server: Server, persona_id: int, which: str) -> Post:
    """The post that is meant: only one that the persona may see.

    Raises InvalidInput for what can be none, NotFound where there is none, FetchProblem, NotAllowed or InvalidInput
    where its host does not give it.
    """
    named = meant(which)
    async with server.database.read() as tx:
        post = await held_post(tx, named)
    if post is None and isinstance(named, str) and not Addresses(server.base_url).is_ours(named):
        post = await learnt(server, named)
    async with server.database.read() as tx:
        if post is None or not await audiences.may_see_now(tx, post, persona_id):
            raise _missing(server, which)
    return post


async def known_post(server: Server, which: str) -> Post:
    """A post that is known here, whether or not it may be seen now: one's own doing is taken back all the same.

    Raises InvalidInput for what can be none, NotFound where there is none.
    """
    async with server.database.read() as tx:
        known = await held_post(tx, meant(which))
    if known is None:
        raise _missing(server, which)
    return known


async def learnt(server: Server, uri: str) -> Post | None:
    """A post elsewhere that nobody here had yet, by its address or its page; None where its author deleted it."""
    return await kept(server, await fetch_post(server, uri, pages=True))


async def kept(server: Server, record: RemotePost) -> Post | None:
    """The same of a post whose document was fetched."""
    author = await fetch_author(server, record.author)
    async with server.database.write() as tx:
        whom = await concerned(tx, record, author, "")
        await keep(tx, record, author, whom, clock.now(), trigger=scope.READER)
        return await by_uri(tx, record.uri)


async def held_post(tx: Transaction, named: int | str) -> Post | None:
    """What is held of a post (of `meant`), a tombstone too."""
    return await (by_id(tx, named) if isinstance(named, int) else by_uri(tx, named))


def _missing(server: Server, which: str) -> NotFound:
    # The same for what is not there and for what is not for whoever asks.
    return NotFound(
        "There is no such post here." if Addresses(server.base_url).is_ours(which) else f"There is no post {which}.",
        _HINT,
    )
