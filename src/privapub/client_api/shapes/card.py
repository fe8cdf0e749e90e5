"""Cards of links."""

from msgspec import Struct

from privapub import clock
from privapub.client_api.shapes.account import Account
from privapub.client_api.shapes.pictures import Pictures
from privapub.link_previews.read import Card


class CardAuthor(Struct):
    """Who wrote the page: an account where the page and the account name each other."""

    name: str
    url: str
    account: Account | None = None


class PreviewCard(Struct):
    """Entity `PreviewCard`. Its HTML is never that of the page."""

    url: str
    title: str
    description: str
    language: str | None
    type: str
    author_name: str
    author_url: str
    provider_name: str
    provider_url: str
    html: str
    width: int
    height: int
    image: str | None
    image_description: str
    embed_url: str
    blurhash: str | None
    published_at: str | None
    authors: list[CardAuthor]


def card(found: Card, author: Account | None, pictures: Pictures) -> PreviewCard:
    """What a page says of itself (pure)."""
    authors = [CardAuthor(found.author_name, found.author_url, author)] if found.author_name or author else []
    return PreviewCard(
        found.url,
        found.title,
        found.description,
        found.language or None,
        "photo" if found.kind == "photo" else "link",
        found.author_name,
        found.author_url,
        found.provider_name,
        "",
        "",
        found.width,
        found.height,
        pictures.elsewhere("card", found.image) or None,
        found.image_description,
        "",
        found.blurhash or None,
        None if found.published_at is None else clock.iso(found.published_at),
        authors,
    )
