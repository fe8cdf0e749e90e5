"""Which linked data is looked at at all, told by its JSON alone (JSON-LD 1.1): the plain half, bounded.

A canonical form says the same of many documents, so everything goes that lets one look like another: graphs beside the
main one, included and reversed nodes, nesting, names for keywords, contexts from elsewhere. Senders use none of it.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from privapub.federation.documents.context import ACTIVITYSTREAMS, SECURITY, WEBFINGER
from privapub.federation.signatures.request import BadSignature

CONTEXTS = frozenset({ACTIVITYSTREAMS, SECURITY, WEBFINGER})
LONGEST = 65536  # bytes of JSON; the longest seen has 5,000
MOST_VALUES = 1000
MOST_BESIDE = 200  # in one list or object: the library looks at each beside each
MOST_CONTEXTS = 16
MOST_TERMS = 300

_OF_CONTEXT = frozenset({"@language", "@vocab"})
_OF_TERM = frozenset({"@id", "@type", "@container", "@language"})
_ALIASED = frozenset({"@id", "@type"})
_TYPES = frozenset({"@id", "@vocab"})
_CONTAINERS = frozenset({"@list", "@set", "@language"})


def check_shape(document: dict[str, Any]) -> None:
    """Refuse what is no plain tree of things under contexts that are known here.

    Raises BadSignature: `too-large`, `unknown-context`, or `malformed` for the features that are not read.
    """
    if len(msgspec.json.encode(document)) > LONGEST:
        raise too_large()
    contexts: list[Any] = []
    values = 0
    for thing in _things(document):
        values += len(thing)
        if isinstance(thing, dict):
            if any(name[:1] == "@" and name != "@context" for name in thing):
                raise _unread()
            contexts += _each(thing.get("@context", []))
        if values > MOST_VALUES or len(thing) > MOST_BESIDE or len(contexts) > MOST_CONTEXTS:
            raise too_large()
    if sum(map(_terms, contexts)) > MOST_TERMS:
        raise too_large()


def too_large() -> BadSignature:
    """The refusal of what would take too long."""
    return BadSignature("too-large", "What the signature within this document covers is too much to check.")


def _unread() -> BadSignature:
    return BadSignature("malformed", "This document uses linked data in a way that is not read here.")


def _things(value: Any) -> Iterator[dict[str, Any] | list[Any]]:
    """Every object and list in it, but for those within contexts."""
    waiting = [value]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, dict):
            yield thing
            waiting += [item for name, item in thing.items() if name != "@context"]
        elif isinstance(thing, list):
            yield thing
            waiting += thing


def _terms(entry: Any) -> int:
    """How many names this entry of an `@context` explains; BadSignature where it is none that is read."""
    if isinstance(entry, str):
        if entry not in CONTEXTS:
            raise BadSignature("unknown-context", "The names in this document are explained somewhere else.")
        return 0
    if not isinstance(entry, dict) or not all(_is_read(name, said) for name, said in entry.items()):
        raise _unread()
    return len(entry)


def _is_read(name: str, said: Any) -> bool:
    if name[:1] == "@":
        return name in _OF_CONTEXT and (said is None or (isinstance(said, str) and said[:1] != "@"))
    if isinstance(said, dict):
        return (
            _OF_TERM.issuperset(said)
            and _is_name(said.get("@id"), _ALIASED)
            and _is_name(said.get("@type"), _TYPES)
            and all(item in _CONTAINERS for item in _each(said.get("@container", [])))
            and isinstance(said.get("@language"), str | None)
        )
    return _is_name(said, _ALIASED)


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_name(said: Any, keywords: frozenset[str]) -> bool:
    return said is None or (isinstance(said, str) and (said[:1] != "@" or said in keywords))
