"""What a persona puts first in its profile: pinned posts and hashtags."""

from starlette.requests import Request
from starlette.responses import Response

from privapub.actors import featured_tags as tags
from privapub.actors.addresses import Addresses
from privapub.database.transaction import Transaction
from privapub.federation.documents import write_featured
from privapub.federation.documents.write_post import note
from privapub.federation.served.actor import ours
from privapub.federation.served.answer import document
from privapub.federation.served.asking import part
from privapub.posts import audience
from privapub.posts.pin import pinned
from privapub.server import Server


async def featured(server: Server, request: Request) -> Response:
    """The pinned posts, whole; those that are for everybody, and no others."""
    async with server.database.read() as tx:
        author = await ours(tx, Addresses(server.base_url), part(request, "token"))
        shown = await audience.visible_to(tx, await pinned(tx, author.id), None)
    return document(request, write_featured.featured(author, [note(post, author) for post in shown]))


async def featured_tags(server: Server, request: Request) -> Response:
    """The hashtags that the persona shows."""
    addresses = Addresses(server.base_url)
    async with server.database.read() as tx:
        author = await ours(tx, addresses, part(request, "token"))
        items = await _hashtags(tx, author.id, addresses)
    return document(request, write_featured.featured_tags(author, items))


async def _hashtags(tx: Transaction, actor_id: int, addresses: Addresses) -> list[dict[str, str]]:
    return [write_featured.hashtag(each.name, addresses.tag(each.name)) for each in await tags.of_actor(tx, actor_id)]
