"""Collections and their pages as documents (ActivityStreams Core, section 5; ActivityPub, section 5)."""

from collections.abc import Sequence
from typing import Any

from privapub.federation.documents import context
from privapub.federation.documents.members import without_context, without_nothing


def collection(
    uri: str,
    total: int | None,
    first: str | None = None,
    *,
    ordered: bool = True,
    owner: str = "",
    items: Sequence[Any] | None = None,
    terms: Any = context.PLAIN,
) -> dict[str, Any]:
    """A collection; `total` None tells no number, `first` is the address of its first page.

    `ordered`: its order is that of time. `terms`: the context that its items need, if it has them within.
    """
    return without_nothing(
        {
            "@context": terms,
            "id": uri,
            "type": "OrderedCollection" if ordered else "Collection",
            "attributedTo": owner or None,
            "totalItems": total,
            "first": first,
            _named(ordered=ordered): None if items is None else _within(items),
        }
    )


def page(
    uri: str,
    part_of: str,
    items: Sequence[Any],
    following: str | None = None,
    *,
    ordered: bool = True,
    terms: Any = context.PLAIN,
) -> dict[str, Any]:
    """One page of a collection. Documents among its items lose their own context: `terms` is that of all."""
    return without_nothing(
        {
            "@context": terms,
            "id": uri,
            "type": "OrderedCollectionPage" if ordered else "CollectionPage",
            "partOf": part_of,
            "next": following,
            _named(ordered=ordered): _within(items),
        }
    )


def _named(*, ordered: bool) -> str:
    return "orderedItems" if ordered else "items"


def _within(items: Sequence[Any]) -> list[Any]:
    return [without_context(item) if isinstance(item, dict) else item for item in items]
