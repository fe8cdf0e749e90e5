"""Collections and their pages (AS2 Core, section 5; ActivityPub, section 5; FEP-7888, FEP-f228)."""

from dataclasses import dataclass
from typing import Any

from privapub.federation.documents.fields import Fields, opened, own_id
from privapub.federation.documents.limits import MAX_ITEMS
from privapub.federation.documents.problems import Note
from privapub.federation.documents.properties import each, identity, objects, types

PAGES = frozenset({"CollectionPage", "OrderedCollectionPage"})
KINDS = frozenset({"Collection", "OrderedCollection"}) | PAGES


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a collection: its id if it has one, and what stood there if it was embedded."""

    id: str | None
    object: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RemoteCollection:
    """A collection or one page of it. `items` is in the order that it has; the addresses are verbatim.

    `first_page` is there if the first page was embedded: then it need not be fetched.
    """

    uri: str | None
    kind: str
    total: int | None = None
    items: tuple[Item, ...] = ()
    first: str | None = None
    first_page: "RemoteCollection | None" = None
    next: str | None = None
    prev: str | None = None
    last: str | None = None
    part_of: str | None = None
    owner: str | None = None  # `attributedTo`, else `actor`
    updated_at: float | None = None
    notes: tuple[Note, ...] = ()  # what could not be read, or not whole: (property, sentence)

    @property
    def is_page(self) -> bool:
        """Whether this is one page of a collection."""
        return self.kind in PAGES

    @property
    def is_ordered(self) -> bool:
        """Whether its order means something: newest first, unless it is a thread."""
        return self.kind.startswith("Ordered")


def read_collection(document: dict[str, Any]) -> RemoteCollection:
    """The collection in a document that came from `strict_json.read`.

    Raises BadDocument with the reason `not-activitystreams`, `wrong-type`, `bad-id`, `wrong-items` (`orderedItems` in
    a collection without order, or the other way round) or `wrong-first` (a first page that is no page).
    """
    return _collection(opened(document), 1)


def _collection(fields: Fields, depth: int) -> RemoteCollection:
    kind = next((name for name in fields.types() if name in KINDS), None)
    if kind is None:
        raise fields.refusal("wrong-type", "This is no collection.")
    mine, other = ("orderedItems", "items") if kind.startswith("Ordered") else ("items", "orderedItems")
    if fields.get(other) is not None and fields.get(mine) is None:
        raise fields.refusal("wrong-items", f"A collection of the type {kind} has {mine}, not {other}.")
    first = next(iter(objects(fields.raw.get("first"))), None)
    if first is not None and not set(types(first)) & (PAGES | {"Link"}):
        raise fields.refusal("wrong-first", "What is said to be its first page is no page.")
    is_page = first is not None and "Link" not in types(first)
    return RemoteCollection(
        uri=own_id(fields),
        kind=kind,
        total=fields.count("totalItems"),
        items=_items(fields, mine),
        first=fields.identity("first") if not is_page else identity(first),
        first_page=_collection(Fields(first or {}, fields), depth - 1) if is_page and depth else None,
        next=fields.identity("next"),
        prev=fields.identity("prev"),
        last=fields.identity("last"),
        part_of=fields.identity("partOf"),
        owner=fields.identity("attributedTo") or fields.identity("actor"),
        updated_at=fields.moment("updated"),
        notes=fields.notes,
    )


def _items(fields: Fields, name: str) -> tuple[Item, ...]:
    found = []
    values = each(fields.raw.get(name))
    for value in values[:MAX_ITEMS]:
        one, embedded = identity(value), value if isinstance(value, dict) else None
        if one is None and embedded is None:
            fields.note(name, "One of these is neither an id nor an object.")
        else:
            found.append(Item(one, embedded))
    if len(values) > MAX_ITEMS:
        fields.note(name, f"Only the first {MAX_ITEMS} of {len(values)} were read.")
    return tuple(found)
