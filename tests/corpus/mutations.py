"""Each document of the corpus, made wrong in one property at a time."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from corpus.test_properties import Place

# A document is at most 1 MiB, and so is what stands in one.
HUGE = "x<b>&amp;" * 100_000
CHANGES: dict[str, Callable[[Any], Any]] = {
    "doubled": lambda value: [value, value],
    "a list": lambda value: [[value], None],
    "an object": lambda value: {"id": value, "type": "Odd", "@value": {"x": value}},
    "null": lambda _value: None,
    "a huge string": lambda _value: HUGE,
    "a huge list": lambda value: [value] * min(5000, len(HUGE) // len(json.dumps(value)) + 1),
    "a number": lambda _value: 7,
    "a huge number": lambda _value: 9e300,
    "true": lambda _value: True,
    "empty": lambda _value: {},
    "another text": lambda _value: "https://[\ufffd/ 0000-99-99T99:99:99+99:99",
}
REMOVED = "removed"


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where the properties of a document stand."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*at, number))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield (*at, name)
            yield from places(item, (*at, name))


def changed(document: Any, place: Place, change: str) -> Any:
    """The document with one of its properties made wrong; the rest is shared with it."""
    first, *rest = place
    copy = list(document) if isinstance(document, list) else dict(document)
    if rest:
        copy[first] = changed(copy[first], tuple(rest), change)
    elif change == REMOVED:
        del copy[first]
    else:
        copy[first] = CHANGES[change](copy[first])
    return copy
