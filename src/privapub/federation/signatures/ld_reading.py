"""An activity read again from quads (RDF 1.1): nothing is in it but what they say.

The tree is put together anew, from the one thing that no other points to, so that neither the names nor the order of
the document in which the quads came can make it another one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from privapub.federation.documents.context import ACTIVITYSTREAMS
from privapub.federation.documents.strict_json import MAX_DEPTH, MAX_EXACT
from privapub.federation.documents.terms import compacted, plain_name
from privapub.federation.signatures.ld_shape import MOST_VALUES, too_large
from privapub.federation.signatures.request import BadSignature

Part = dict[str, Any]

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_OURS = f"{ACTIVITYSTREAMS}#"
# Names that only a thing's own id and kinds may stand under.
_RESERVED = frozenset({"id", "type"})

Nodes = dict[str, dict[str, list[Part]]]


def activity_of(quads: list[dict[str, Part]]) -> dict[str, Any]:
    """The document, under plain names.

    Raises BadSignature: `malformed` where there is not one thing with an id from which all else hangs, `too-large`
    where the tree would be.
    """
    nodes: Nodes = {}
    for quad in quads:
        about = nodes.setdefault(quad["subject"]["value"], {})
        about.setdefault(quad["predicate"]["value"], []).append(quad["object"])
    pointed_to = {quad["object"]["value"] for quad in quads if quad["object"]["type"] != "literal"}
    roots = nodes.keys() - pointed_to
    root = roots.pop() if len(roots) == 1 else "_:"
    if root.startswith("_:"):
        raise _no_tree()
    return {"@context": ACTIVITYSTREAMS, **compacted(_Tree(nodes).thing(root, ()))}


@dataclass
class _Tree:
    nodes: Nodes
    left: int = field(default=MOST_VALUES)

    def thing(self, name: str, above: tuple[str, ...]) -> dict[str, Any]:
        """A node with everything that it says."""
        if len(above) == MAX_DEPTH:
            raise too_large()
        said = self.nodes[name]
        found: dict[str, Any] = {} if name.startswith("_:") else {"id": name}
        kinds = [item["value"] for item in said.get(f"{_RDF}type", ())]
        if kinds:
            found["type"] = _one(kinds)
        # Where two vocabularies have one name, it is the one of ActivityStreams that is read.
        for predicate in sorted(said, key=lambda uri: not uri.startswith(_OURS)):
            plain = plain_name(predicate)
            if predicate.startswith(_RDF) or plain in _RESERVED or plain.startswith("@"):
                continue
            found[predicate] = _one([self._value(item, (*above, name)) for item in self._items(said[predicate])])
        return found

    def _items(self, items: list[Part]) -> Iterator[Part]:
        """The values, those of lists one after another; who takes them ends a list that has no end."""
        for item in items:
            place = item
            is_list = place["value"] == f"{_RDF}nil" or f"{_RDF}first" in self.nodes.get(place["value"], {})
            if place["type"] == "literal" or not is_list:
                yield place
                continue
            while place["value"] != f"{_RDF}nil":
                cell = self.nodes.get(place["value"], {})
                first, rest = cell.get(f"{_RDF}first", []), cell.get(f"{_RDF}rest", [])
                if len(first) != 1 or len(rest) != 1 or place["type"] == "literal":
                    raise _no_tree()
                yield first[0]
                place = rest[0]

    def _value(self, item: Part, above: tuple[str, ...]) -> Any:
        self.left -= 1
        if self.left < 0:
            raise too_large()
        name = item["value"]
        if item["type"] == "literal":
            return _literal(item)
        if name in self.nodes and name not in above:
            return self.thing(name, above)
        return {} if item["type"] == "blank node" else name


def _literal(item: Part) -> Any:
    text, datatype = item["value"], item["datatype"]
    if item.get("language"):
        return {"@language": item["language"], "@value": text}
    if datatype == f"{_XSD}boolean" and text in {"true", "false"}:
        return text == "true"
    if datatype in {f"{_XSD}integer", f"{_XSD}double"}:
        try:
            number = float(text)
        except ValueError:
            return text
        return int(number) if datatype == f"{_XSD}integer" and abs(number) <= MAX_EXACT else number
    return text


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _no_tree() -> BadSignature:
    return BadSignature("malformed", "The linked data of this document does not hang from one activity.")
