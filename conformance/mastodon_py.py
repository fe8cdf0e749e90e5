"""Drive every method of Mastodon.py whose endpoint is served, and see whether what it gives is what it promises.

usage: python conformance/mastodon_py.py URL CONFIRMING TOKENS INTO

CONFIRMING is where those sign up whose addresses wait to be confirmed; TOKENS is a file with {handle: token}; INTO
becomes {method: why it failed, "" where it passed}.
"""

import importlib
import json
import sys
import typing
import warnings
from pathlib import Path
from typing import Any

from calls import CALLS, REACHING, World
from documents import plain, rows, served
from mastodon import Mastodon


def methods() -> list[str]:
    """The methods to be driven: by the endpoint that the table names, or by the one that they are known to ask."""
    ours = served()
    found = []
    for row in rows("mastodonpy_methods.tsv"):
        asked = REACHING.get(row["method"]) or (row["http"], row["path"])
        if (asked[0], plain(asked[1])) in ours:
            found.append(row["method"])
    return found


def fits(value: Any, hint: Any) -> bool:  # noqa: PLR0911 - one way out for each kind of type
    """Whether a value is of the type that a method promises."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or isinstance(hint, typing.TypeVar):
        return True
    if origin is typing.Union:
        return any(fits(value, it) for it in inner)
    if hint is type(None):
        return value is None or value == {}  # what Mastodon.py makes of an empty answer
    if origin is None:
        return isinstance(value, hint)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if issubclass(origin, list):
        origin = list  # whether there are pages is for the server to say
    if not isinstance(value, origin):
        return False
    if isinstance(value, dict):
        return all(fits(it, inner[1]) for it in value.values())
    return not isinstance(value, list) or all(fits(it, inner[0]) for it in value)


def promised(method: str) -> Any:
    """What a method says it gives; Any where it says nothing."""
    called = getattr(Mastodon, method)
    return typing.get_type_hints(called, vars(importlib.import_module("mastodon.return_types"))).get("return", Any)


def drive(world: World, method: str) -> str:
    """Why a method failed; "" where it did not."""
    if method not in CALLS:
        return "nobody wrote how to call it"
    try:
        given = CALLS[method](world)
    except Exception as error:  # noqa: BLE001 - whatever it raises is what it failed of
        return f"{type(error).__name__}: {error}"[:300] or type(error).__name__
    hint = promised(method)
    if not fits(given, hint):
        return f"gave {type(given).__name__} {given!r:.120}, not {getattr(hint, '__name__', hint)}"
    return ""


def main() -> None:
    """Drive all of them."""
    warnings.simplefilter("ignore")  # of what is deprecated: it is to work as long as it is served
    url, confirming, tokens, into = sys.argv[1:]
    world = World(url, confirming, json.loads(Path(tokens).read_text()))
    Path(into).write_text(json.dumps({method: drive(world, method) for method in methods()}, indent=1))


if __name__ == "__main__":
    main()
