"""What a request gives along, in the forms in which clients write it (pure).

`a[]=1&a[]=2` is a list, `a[b]=1` a mapping, `a[0][b]=1` a mapping whose keys are numbers and which is read as a list;
JSON says the same by itself. All values of forms are text.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from privapub.errors import InvalidInput
from privapub.identifiers import number_in

MOST = 1000  # parameters of one request
DEEPEST = 4
_PART = re.compile(r"\[([^\[\]]*)\]")
_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")


def of_form(body: bytes) -> dict[str, Any]:
    """The parameters of a query or of a form; InvalidInput where there are too many."""
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST)
    except ValueError:
        raise InvalidInput("There are too many parameters.") from None
    return of_pairs(pairs)


def of_json(body: bytes) -> dict[str, Any]:
    """The parameters of a JSON body; InvalidInput where it is no object."""
    if not body.strip():
        return {}
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("The body is no JSON.") from None
    if not isinstance(found, dict):
        raise InvalidInput("The body is no JSON object.")
    return found


def of_pairs(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Names with brackets as what they stand for. A name that comes twice is the last; what contradicts is left out."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        match = _NAME.fullmatch(name)
        if match is None:
            found[name] = value
            continue
        path = [match[1], *_PART.findall(match[2])]
        if len(path) <= DEEPEST:
            _put(found, path, value)
    return found


def _put(into: dict[str, Any], path: list[str], value: Any) -> None:
    for at, name in enumerate(path[:-1]):
        is_list = path[at + 1] == ""
        inner = into.setdefault(name, [] if is_list else {})
        if is_list:
            if isinstance(inner, list):
                _append(inner, path[at + 2 :], value)
            return
        if not isinstance(inner, dict):
            return
        into = inner
    into[path[-1]] = value


def _append(to: list[Any], rest: list[str], value: Any) -> None:
    """`a[][b]=1` begins another mapping where the last one has a `b` already, as Rack does."""
    if not rest:
        to.append(value)
        return
    if not to or not isinstance(to[-1], dict) or rest[0] in to[-1]:
        to.append({})
    _put(to[-1], rest, value)


def items(value: Any) -> list[Any]:
    """The list that a parameter is: of a mapping with numbers for keys its values in their order; of text, itself."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping):
        numbered = [(number, item) for key, item in value.items() if (number := number_in(str(key))) is not None]
        return [item for _, item in sorted(numbered, key=lambda pair: pair[0])]
    return [] if value is None else [value]
