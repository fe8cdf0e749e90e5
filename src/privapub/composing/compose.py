"""Find whom a text names, turn it into HTML, and publish it or the change."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, known
from privapub.database.transaction import Transaction
from privapub.errors import NotAllowed, NotFound, PrivaPubError
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.post import fetch_post
from privapub.federation.fetching.webfinger import resolve
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.on_create import received
from privapub.markup.render import Mention, find_mentions, render, tag_address
from privapub.posts import audience as audiences
from privapub.posts.edit import edit
from privapub.posts.publish import check_text, publish
from privapub.posts.read import Post, by_id, by_uri
from privapub.posts.receive import receive
from privapub.server import Server

MOST_NAMED = 50


@dataclass(frozen=True)
class Written:
    """A text made ready: its HTML, whom it names (ids) and the tags that say so on the wire."""

    html: str
    named: tuple[int, ...]
    tags: list[dict[str, Any]]


async def write_post(
    server: Server,
    persona_id: int,
    text: str,
    audience: str,
    *,
    reply_to: str | None = None,
    summary: str = "",
    language: str | None = None,
) -> Post:
    """Publish a post of a persona to "public", "unlisted", "followers" or "direct" (those whom the text names).

    `reply_to` is the uri or page of the post that it answers, whose author is named too. Raises InvalidInput for an
    empty or too long text and for a direct post that names nobody, NotFound where the answered post cannot be seen.
    """
    check_text(text, summary)
    parent = await _parent(server, persona_id, reply_to) if reply_to else None
    written = await _written(server, text, parent)
    async with server.database.write() as tx:
        post_id = await publish(
            tx,
            author_id=persona_id,
            audience=audience,
            source=text,
            content_html=written.html,
            summary=summary,
            language=language,
            mentions=written.named,
            tags=written.tags,
            in_reply_to=parent.uri if parent else None,
            addresses=Addresses(server.base_url),
            now=clock.now(),
        )
        return await _reread(tx, post_id)


async def edit_post(server: Server, persona_id: int, post_id: int, text: str) -> Post:
    """Change the text of a persona's own post; whoever it named before keeps being named.

    Raises NotFound where there is none, InvalidInput as `write_post`.
    """
    check_text(text, "")
    async with server.database.read() as tx:
        post = await by_id(tx, post_id)
        if post is None or post.author_id != persona_id or post.deleted_at is not None:
            raise NotFound("There is no such post.")
        parent = await by_id(tx, post.in_reply_to_id) if post.in_reply_to_id else None
    written = await _written(server, text, parent)
    async with server.database.write() as tx:
        await edit(
            tx,
            post_id,
            persona_id,
            source=text,
            content_html=written.html,
            mentions=written.named,
            tags=written.tags,
            now=clock.now(),
        )
        return await _reread(tx, post_id)


async def _reread(tx: Transaction, post_id: int) -> Post:
    post = await by_id(tx, post_id)
    if post is None:
        raise NotFound("The post is gone.")
    return post


async def _parent(server: Server, persona_id: int, uri: str) -> Post:
    """The post that is answered: only one that the persona may see."""
    async with server.database.read() as tx:
        known = await by_uri(tx, uri)
    post = known or await _learnt(server, uri)
    async with server.database.read() as tx:
        if post is None or not await audiences.may_see_now(tx, post, persona_id):
            raise NotFound(f"There is no post {uri}.")
    return post


async def _learnt(server: Server, uri: str) -> Post | None:
    """A post elsewhere that nobody here had yet."""
    record = await fetch_post(server, uri)
    author = await fetch_actor(server, record.author)
    async with server.database.write() as tx:
        whom = await concerned(tx, record, author, "")
        await receive(tx, received(record), author.id, whom.audience, whom.recipient_ids, clock.now())
        return await by_uri(tx, record.uri)


async def _written(server: Server, text: str, parent: Post | None) -> Written:
    addresses = find_mentions(text)
    if len(addresses) > MOST_NAMED:
        raise NotAllowed(f"A post may name {MOST_NAMED} people; this names {len(addresses)}.")
    people = await _people(server, addresses)
    mentions = {
        address: Mention(person.uri, person.url or person.uri, person.address) for address, person in people.items()
    }
    tag_url = f"{server.base_url}/tags/"
    rendered = render(text, mentions, tag_url)
    named = {person.id: person for person in people.values()}
    if parent:
        async with server.database.read() as tx:
            named.setdefault(parent.author_id, await known(tx, parent.author_id))
    tags = _mention_tags(named.values())
    tags += [{"type": "Hashtag", "href": tag_address(tag_url, tag), "name": f"#{tag}"} for tag in rendered.hashtags]
    return Written(rendered.html, tuple(named), tags)


async def _people(server: Server, addresses: Iterable[str]) -> dict[str, Actor]:
    """Whom the addresses name; one that nobody answers to stays text."""
    found: dict[str, Actor] = {}
    for address in addresses:
        try:
            found[address] = await resolve(server, address)
        except PrivaPubError:
            continue
    return found


def _mention_tags(people: Iterable[Actor]) -> list[dict[str, Any]]:
    return [{"type": "Mention", "href": person.uri, "name": f"@{person.address}"} for person in people]
