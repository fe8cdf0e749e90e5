"""What a person typed, made ready: whom it names is found, within a few seconds, and it becomes HTML."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, known
from privapub.database.transaction import Transaction
from privapub.emojis.keep import Emoji, within
from privapub.errors import NotAllowed, PrivaPubError
from privapub.federation.fetching.document import final
from privapub.federation.fetching.webfinger import resolve
from privapub.markup.render import Format, Mention, find_mentions, render, tag_address
from privapub.outbound.answers import FetchProblem
from privapub.posts.polls import NewPoll
from privapub.posts.read import Post
from privapub.server import Server

MOST_NAMED = 50
# Whoever writes waits so long (in seconds) for servers that are slow to tell whom the text names.
PATIENCE = 5.0
_AT_ONCE = 8


@dataclass(frozen=True)
class Written:
    """A text made ready: its HTML, whom it names (ids) and the tags that say so on the wire.

    `waiting` are addresses of which nobody could say just now whose they are: they stay text for the present.
    """

    html: str
    named: tuple[int, ...]
    tags: list[dict[str, Any]]
    waiting: tuple[str, ...] = ()


async def written(
    server: Server, text: str, text_format: Format, also: Sequence[int] = (), beside: Sequence[str] = ()
) -> Written:
    """The text made ready. `also` are the numbers of those who are named though the text does not name them.

    `beside` are plain texts of the same post, in which emojis are found too.

    Raises NotAllowed for a text that names too many.
    """
    addresses = find_mentions(text, text_format)
    if len(addresses) > MOST_NAMED:
        raise NotAllowed(f"A post may name {MOST_NAMED} people; this names {len(addresses)}.")
    people, waiting = await _people(server, addresses)
    tag_url = f"{server.base_url}/tags/"
    rendered = render(text, as_mentions(people), tag_url, text_format)
    named = {person.id: person for person in people.values()}
    async with server.database.read() as tx:
        for actor_id in also:
            named.setdefault(actor_id, await known(tx, actor_id))
        emojis = await emoji_tags(tx, [text, *beside], Addresses(server.base_url, server.media_base_url))
    tags = _mention_tags(named.values())
    tags += [{"type": "Hashtag", "href": tag_address(tag_url, tag), "name": f"#{tag}"} for tag in rendered.hashtags]
    tags += emojis
    return Written(rendered.html, tuple(named), tags, waiting)


async def emoji_tags(tx: Transaction, texts: Iterable[str], addresses: Addresses) -> list[dict[str, Any]]:
    """The tags of our emojis whose names stand in these texts."""
    return [_emoji_tag(emoji, addresses) for emoji in await within(tx, texts)]


async def html_of(server: Server, text: str, text_format: Format) -> str:
    """The HTML of a text that tells nobody that it names them: a profile's."""
    people, _ = await _people(server, find_mentions(text, text_format)[:MOST_NAMED])
    return render(text, as_mentions(people), f"{server.base_url}/tags/", text_format).html


def as_mentions(people: dict[str, Actor]) -> dict[str, Mention]:
    """The same people as the renderer knows them (pure)."""
    return {
        address: Mention(person.uri, person.url or person.uri, person.address) for address, person in people.items()
    }


async def _people(server: Server, addresses: Iterable[str]) -> tuple[dict[str, Actor], tuple[str, ...]]:
    """Whom the addresses name, and those of which it cannot be told now; one that nobody answers to is neither."""
    found: dict[str, Actor] = {}
    settled: set[str] = set()
    turn = asyncio.Semaphore(_AT_ONCE)

    async def ask(address: str) -> None:
        async with turn:
            try:
                # A name alone is somebody here.
                found[address] = await resolve(server, address if "@" in address else f"{address}@{server.domain}")
            except FetchProblem as problem:
                if not final(problem):
                    return
            except PrivaPubError:
                pass
            settled.add(address)

    try:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for address in addresses:
                group.create_task(ask(address))
    except TimeoutError:
        pass
    # In the order of the text, whoever answered first.
    people = {address: found[address] for address in addresses if address in found}
    return people, tuple(address for address in addresses if address not in settled)


def _emoji_tag(emoji: Emoji, addresses: Addresses) -> dict[str, Any]:
    href = addresses.medium(emoji.file)
    return {"type": "Emoji", "href": href, "name": f":{emoji.shortcode}:", "media_type": emoji.media_type}


def _mention_tags(people: Iterable[Actor]) -> list[dict[str, Any]]:
    return [{"type": "Mention", "href": person.uri, "name": f"@{person.address}"} for person in people]


def beside_text(post: Post, summary: str | None = None, poll: NewPoll | None = None) -> tuple[str, ...]:
    """What a post says beside its text, where emojis may stand too; what is not given anew is as it was (pure)."""
    kept = () if post.poll is None else tuple(option.name for option in post.poll.options)
    return (post.summary if summary is None else summary, *(kept if poll is None else poll.options))
