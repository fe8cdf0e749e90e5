"""A post that a persona names by its uri, page or number: known here, or read from its own host."""

from privapub import clock, scope
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.fetching.actor import fetch_author
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.on_create import received
from privapub.posts import audience as audiences
from privapub.posts.read import Post, by_id, by_uri
from privapub.posts.receive import receive
from privapub.server import Server

_LARGEST = 2**63 - 1


async def seen_post(server: Server, persona_id: int, which: str) -> Post:
    """The post that is meant: only one that the persona may see.

    Raises NotFound where there is none, FetchProblem or InvalidInput where its host does not give it.
    """
    async with server.database.read() as tx:
        known = await _known(tx, which)
    post = known or (None if _is_number(which) else await learnt(server, which))
    async with server.database.read() as tx:
        if post is None or not await audiences.may_see_now(tx, post, persona_id):
            raise NotFound(f"There is no post {which}.")
    return post


async def known_post(server: Server, which: str) -> Post:
    """A post that is known here, whether or not it may be seen now: one's own doing is taken back all the same."""
    async with server.database.read() as tx:
        known = await _known(tx, which)
    if known is None:
        raise NotFound(f"There is no post {which}.")
    return known


async def learnt(server: Server, uri: str) -> Post | None:
    """A post elsewhere that nobody here had yet; None where its author deleted it."""
    record = await fetch_post(server, uri)
    author = await fetch_author(server, record.author)
    async with server.database.write() as tx:
        whom = await concerned(tx, record, author, "")
        told = received(record, author)
        await receive(tx, told, author.id, whom.audience, whom.recipient_ids, clock.now(), trigger=scope.READER)
        return await by_uri(tx, record.uri)


async def _known(tx: Transaction, which: str) -> Post | None:
    return await (by_id(tx, int(which)) if _is_number(which) else by_uri(tx, which))


def _is_number(which: str) -> bool:
    return which.isascii() and which.isdigit() and len(which) <= len(str(_LARGEST)) and int(which) <= _LARGEST
