"""The previews of posts, for whoever shows those posts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import and_, func, or_, select

from privapub.actors.read import HERE
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.link_previews.parse import Found, Kind, same_place
from privapub.link_previews.tables import link_preview, post_link
from privapub.telemetry.previews import CARD


@dataclass(frozen=True)
class Card:
    """What is shown of a link: plain text, and addresses that are http(s) or "".

    `url` is what the post names, or what its page calls itself on the same host. `image` is where the picture is, which
    is shown through the proxy and never from there; `width` and `height` are the picture's, 0 where nobody says.
    `author_actor_id` is the actor that the page names as its author, and that names the page's host as its own.
    """

    url: str
    title: str
    description: str
    kind: Kind
    provider_name: str
    author_name: str
    author_url: str
    author_actor_id: int | None
    image: str
    image_description: str
    width: int
    height: int
    blurhash: str
    language: str
    published_at: float | None


async def of_posts(tx: Transaction, post_ids: Collection[int]) -> dict[int, Card]:
    """The cards of those of these posts that have one: two questions to the database. Nothing is ever fetched."""
    rows = await tx.all(
        select(post_link.c.post_id, link_preview.c.url, link_preview.c.found)
        .join(link_preview, link_preview.c.url == post_link.c.url)
        .where(post_link.c.post_id.in_(sorted(post_ids)), link_preview.c.state == CARD)
    )
    return await cards(tx, [(row.post_id, row.url, msgspec.convert(row.found, Found)) for row in rows])


async def cards(tx: Transaction, told: Sequence[tuple[int, str, Found]]) -> dict[int, Card]:
    """The cards, by post, of what is known of the pages to which posts lead."""
    authors = await _authors(tx, {found.creator for _id, _url, found in told if found.creator})
    return {number: _card(url, found, authors) for number, url, found in told}


async def _authors(tx: Transaction, addresses: Iterable[str]) -> dict[str, tuple[int, frozenset[str]]]:
    """Those of these addresses that are known here, by address in lower case: number, and the hosts they name."""
    named = [each.lower().split("@") for each in sorted(addresses)]
    if not named:
        return {}
    who = [and_(func.lower(actor.c.handle) == handle, actor.c.host == host) for handle, host in named]
    rows = await tx.all(
        select(actor.c.id, actor.c.handle, actor.c.host, actor.c.attribution_domains).where(
            or_(*who), actor.c.state == HERE
        )
    )
    return {f"{row.handle.lower()}@{row.host}": (row.id, frozenset(row.attribution_domains)) for row in rows}


def _card(url: str, found: Found, authors: dict[str, tuple[int, frozenset[str]]]) -> Card:
    number, hosts = authors.get(found.creator.lower(), (None, frozenset()))
    return Card(
        url=found.url if found.url and same_place(found.url, url) else url,
        title=found.title,
        description=found.description,
        kind=found.kind,
        provider_name=found.provider_name or found.host,
        author_name=found.author_name,
        author_url=found.author_url,
        author_actor_id=number if speaks_for(hosts, found.host) else None,
        image=found.image,
        image_description=found.image_description,
        width=found.width,
        height=found.height,
        blurhash="",
        language=found.language,
        published_at=found.published_at,
    )


def speaks_for(hosts: Iterable[str], host: str) -> bool:
    """Whether one of these is a host or stands above it: `example.org` for `news.example.org` (pure)."""
    return any(host == each or host.endswith(f".{each}") for each in hosts)
