"""What stands first in our profiles, as documents: pinned posts and hashtags, and the news of them (Mastodon).

Mastodon tells of both kinds by an Add to, or a Remove from, the collection `featured`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from privapub.actors.addresses import featured_of, featured_tags_of
from privapub.actors.read import Actor
from privapub.federation.documents import context
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.write_collection import collection

_HASHTAG_CONTEXT: list[Any] = [context.ACTIVITYSTREAMS, {"Hashtag": "as:Hashtag"}]


def add(uri: str, author: Actor, thing: Any) -> dict[str, Any]:
    """The Add of a post (by its id) or a hashtag to what an actor features, to its followers."""
    return _news("Add", uri, author, thing)


def remove(uri: str, author: Actor, thing: Any) -> dict[str, Any]:
    """The Remove of a post (by its id) or a hashtag from what an actor features, to its followers."""
    return _news("Remove", uri, author, thing)


def featured(author: Actor, notes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The collection of the pinned posts, which stand in it whole."""
    return collection(featured_of(author.uri), len(notes), items=notes, terms=context.OF_POST)


def featured_tags(author: Actor, tags: Iterable[dict[str, str]]) -> dict[str, Any]:
    """The collection of the hashtags."""
    items = list(tags)
    return collection(featured_tags_of(author.uri), len(items), ordered=False, items=items, terms=_HASHTAG_CONTEXT)


def hashtag(name: str, address: str) -> dict[str, str]:
    """A hashtag (`name` without its sign), and the page of its posts."""
    return {"type": "Hashtag", "href": address, "name": f"#{name}"}


def _news(kind: str, uri: str, author: Actor, thing: Any) -> dict[str, Any]:
    return {
        "@context": context.PLAIN if isinstance(thing, str) else _HASHTAG_CONTEXT,
        "id": uri,
        "type": kind,
        "actor": author.uri,
        "to": [PUBLIC],
        "cc": [author.followers] if author.followers else [],
        "object": thing,
        "target": featured_of(author.uri),
    }
