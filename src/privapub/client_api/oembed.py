"""oEmbed (oembed.com, version 1.0): how a page elsewhere shows a public post of ours."""

from html import escape

from msgspec import Struct

from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.composing.find import here
from privapub.errors import NotFound
from privapub.markup.text import text_of
from privapub.posts import audience
from privapub.posts.read import PUBLIC, Post

WIDTH, KEPT = 400, 86_400


class OEmbed(Struct, kw_only=True):
    """An answer of the kind `rich`: the text and a link, and nothing that runs."""

    type: str = "rich"
    version: str = "1.0"
    title: str
    author_name: str
    author_url: str
    provider_name: str
    provider_url: str
    cache_age: int = KEPT
    html: str
    width: int
    height: int | None = None


async def one(call: Call) -> OEmbed:
    """`GET /api/oembed`: of a post that everybody may see and that was written here."""
    async with call.server.database.read() as tx:
        url = call.text("url").partition("?")[0].partition("#")[0]
        found = await here(tx, url) if Addresses(call.server.base_url).is_ours(url) else None
        if not isinstance(found, Post) or found.audience != PUBLIC:
            raise NotFound
        if not await audience.may_see_now(tx, found, None):
            raise NotFound
        author = await actors.known(tx, found.author_id)
    text = found.summary or text_of(found.content)
    name = author.name or author.handle
    quote = (
        f'<blockquote cite="{escape(found.uri)}"><p>{escape(text)}</p>'
        f'<footer><a href="{escape(found.url or found.uri)}">{escape(name)} ({escape(author.address)})</a></footer>'
        "</blockquote>"
    )
    return OEmbed(
        title=f"{name}: {text[:100]}",
        author_name=name,
        author_url=author.url or author.uri,
        provider_name=call.server.domain,
        provider_url=f"{call.server.base_url}/",
        html=quote,
        width=call.number("maxwidth", WIDTH, 1, 4 * WIDTH),
        height=call.number("maxheight", 0, 0, 4 * WIDTH) or None,
    )


ENDPOINTS = (Endpoint("GET", "/api/oembed", one, who="anyone"),)
