"""Linked data as quads and their canonical form (JSON-LD 1.1, to RDF; URDNA2015, RDFC-1.0), within bounds.

What comes in has passed `ld_shape`. Nothing is fetched. The library writes names and languages into the canonical text
as they are; each is looked at first, so that the text says what the quads say and nothing else.
"""

import json
import re
from collections.abc import Iterator
from math import factorial
from typing import Any

from pyld import jsonld
from pyld.canon import URDNA2015
from pyld.context_resolver import ContextResolver
from pyld.documentloader.frozen import BUNDLED_CONTEXTS

from privapub.federation.documents.context import WEBFINGER
from privapub.federation.signatures.ld_shape import CONTEXTS, too_large
from privapub.federation.signatures.request import BadSignature

MOST_QUADS = 1000
MOST_BLANK = 200
# Looks at a quad or a name that telling nodes without a name apart may take, a fifteenth of a second: of the samples of
# the standard that can be done the hardest takes 22,000, and real activities take none.
STEPS = 30_000

# A subject, a predicate and an object, each with its `type` (`IRI`, `blank node`, `literal`) and its `value`; a literal
# has a `datatype`, and perhaps a `language`.
Part = dict[str, Any]
Quad = dict[str, Part]

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20\x7f<>\"{}|^`\\]*")
_BLANK = re.compile(r"_:[A-Za-z0-9]+")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_KINDS = {"IRI": _IRI, "blank node": _BLANK}

_WEBFINGER = {"webfinger": f"{WEBFINGER}#webfinger"}


class _Kept(dict[str, Any]):
    """Keeps what the contexts that we ship mean, and of nobody else's."""

    def __setitem__(self, key: str, value: Any) -> None:
        if key in CONTEXTS:
            super().__setitem__(key, value)


_shipped: dict[str, Any] = {}
_kept = _Kept()


def canonical(document: dict[str, Any]) -> tuple[list[Quad], str]:
    """What a document says, as quads in its own order, and as the canonical text.

    Raises BadSignature: `malformed`, or `too-large` for what takes too long to tell apart.
    """
    # Without a base, what is relative says nothing (RDF 1.1): for an empty one the library takes an example's host.
    options = {"base": None, "documentLoader": _load, "contextResolver": ContextResolver(_kept, _load)}
    try:
        # A library that meets what others made up: it may raise anything.
        graphs = jsonld.to_rdf(document, options)
    except Exception as error:
        raise _malformed() from error
    if graphs.keys() != {"@default"}:
        raise _malformed()
    return quads_of(graphs)


def quads_of(graphs: dict[str, list[Quad]]) -> tuple[list[Quad], str]:
    """The same of quads; graphs with a name of their own may be among them. Blank nodes get their canonical names."""
    quads = [quad for graph in graphs.values() for quad in graph]
    if len(quads) > MOST_QUADS:
        raise too_large()
    parts = [part for quad in quads for part in quad.values()]
    if not all(_is_whole(part) for part in parts):
        raise _malformed()
    if len({part["value"] for part in parts if part["type"] == "blank node"}) > MOST_BLANK:
        raise too_large()
    try:
        return quads, Canonical().main(graphs, {"format": "application/n-quads"})
    except RecursionError:
        raise too_large() from None


class Canonical(URDNA2015):  # type: ignore[misc]  # it has no types
    """The algorithm, which could be made to run for ever, with a number of steps that it may take."""

    def __init__(self) -> None:
        """For one set of quads."""
        super().__init__()
        self.left = STEPS

    def create_hash_to_related(self, id_: str, issuer: Any) -> dict[str, list[str]]:
        """Called before every order of the nodes beside this one is tried; BadSignature where that is too much."""
        found: dict[str, list[str]] = super().create_hash_to_related(id_, issuer)
        self.left -= len(self.blank_node_info[id_]["quads"])
        # For each order, the names given so far are copied.
        given = len(issuer.order)
        self.left -= sum((len(alike) + given) * factorial(len(alike)) for alike in found.values())
        if self.left < 0:
            raise too_large()
        return found


def _is_whole(part: Part) -> bool:
    """Whether the text of this part ends where it should."""
    value = part["value"]
    if not isinstance(value, str):
        return False
    if part["type"] != "literal":
        return _KINDS[part["type"]].fullmatch(value) is not None
    language = part.get("language")
    return _IRI.fullmatch(part["datatype"]) is not None and (
        language is None or _LANGUAGE.fullmatch(language) is not None
    )


def _load(url: str, _options: object) -> dict[str, Any]:
    if url not in _shipped:
        _shipped.update(_contexts())
    # The tag lets the library keep what it made of it.
    return {"document": _shipped[url], "documentUrl": url, "contextUrl": None, "tag": "static"}


def _contexts() -> Iterator[tuple[str, Any]]:
    yield WEBFINGER, {"@context": _WEBFINGER}
    for url in CONTEXTS & BUNDLED_CONTEXTS.keys():
        yield url, json.loads(BUNDLED_CONTEXTS[url].read_text(encoding="utf-8"))


def _malformed() -> BadSignature:
    return BadSignature("malformed", "The linked data of this document cannot be understood.")
