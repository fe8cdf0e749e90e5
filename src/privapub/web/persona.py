"""`/@handle`: a persona and what it wrote for everyone."""

from collections.abc import Mapping

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, by_uri
from privapub.errors import NotFound
from privapub.federation.served.actor import NOBODY, ours
from privapub.federation.served.answer import PUBLIC_CACHE
from privapub.federation.served.asking import part, wants_document
from privapub.federation.served.collections import cursor
from privapub.follows.read import counts
from privapub.markup.clean import LINK_REL
from privapub.markup.text import shortened, text_of
from privapub.personas.read import by_handle
from privapub.posts.audience import visible_to
from privapub.posts.pin import pinned
from privapub.posts.read import PUBLIC, of_author
from privapub.server import Server
from privapub.web.pages import EXCERPT, Around, around, name_of, pictured, pictured_html, render, shown

PAGE = 20


async def persona(server: Server, request: Request) -> Response:
    """The page; who wants a document is sent to the actor. Raises NotFound for nobody."""
    before = cursor(request.query_params.get("before"))
    async with server.database.read() as tx:
        found = await by_handle(tx, part(request, "handle"))
        if found is None:
            raise NotFound(NOBODY)
        posts = await of_author(tx, found.id, before=before, limit=PAGE + 1, audiences=(PUBLIC,))
        visible = await visible_to(tx, posts[:PAGE], None)
        # What stands first stands there once.
        first = await visible_to(tx, await pinned(tx, found.id), None) if before is None else []
        beside = await around(tx, server, [*first, *visible], [found.actor])
        there = await by_uri(tx, found.actor.moved_to) if found.actor.moved_to else None
        follows = await counts(tx, found.id) if found.shows_follows else None
    page = Addresses(server.base_url).persona_page(found.handle)
    if wants_document(request.headers.get("accept")):
        return _elsewhere(found.actor.uri)
    if part(request, "handle") != found.handle:
        return _elsewhere(page)
    return render(
        server,
        request,
        "persona.html",
        actor=found.actor,
        name=name_of(found.actor),
        summary=pictured_html(found.actor.summary, found.actor, beside),
        fields=[_field(field, found.actor, beside) for field in found.actor.fields],
        beside=beside,
        about=shortened(text_of(found.actor.summary), EXCERPT),
        page=page,
        moved_to=found.actor.moved_to,
        there=there,
        pinned=[shown(post, beside) for post in first],
        posts=[shown(post, beside) for post in visible if post.id not in {each.id for each in first}],
        older=posts[PAGE - 1].id if len(posts) > PAGE else None,
        first=before is None,
        follows=follows,
        closed=found.closed_at is not None,
    )


async def actor_page(server: Server, request: Request) -> Response:
    """The id of an actor, for people: the way to its page."""
    async with server.database.read() as tx:
        found = await ours(tx, Addresses(server.base_url), part(request, "token"))
    return _elsewhere(found.url or server.base_url)


def _field(field: Mapping[str, str], actor: Actor, beside: Around) -> tuple[Markup, Markup, str]:
    """A line of the profile: its name, its value, and the day since when its link leads back here ("" if it does not).

    Each link of it says `rel="me"`, by which other pages know that this one leads back to them.
    """
    value = pictured_html(field["value"], actor, beside)
    mine = Markup(str(value).replace(f'rel="{LINK_REL}"', f'rel="me {LINK_REL}"'))  # noqa: S704 - cleaned just before
    return pictured(field["name"], actor, beside), mine, field.get("verified_at", "")[:10]


def _elsewhere(url: str) -> Response:
    return RedirectResponse(url, status_code=302, headers={"Vary": "Accept", "Cache-Control": PUBLIC_CACHE})
