"""Which linked data is looked at: the forms that are read, the bounds from both sides, the sentences of refusals."""

from typing import Any

import msgspec
import pytest

from privapub.federation.documents.context import ACTIVITYSTREAMS, SECURITY, WEBFINGER
from privapub.federation.signatures import ld_shape
from privapub.federation.signatures.ld_shape import check_shape
from privapub.federation.signatures.request import BadSignature

TOO_LARGE = ("too-large", "What the signature within this document covers is too much to check.")
UNREAD = ("malformed", "This document uses linked data in a way that is not read here.")
UNKNOWN = ("unknown-context", "The names in this document are explained somewhere else.")


def refused(document: dict[str, Any]) -> tuple[str, str]:
    """The reason and the sentence."""
    with pytest.raises(BadSignature) as caught:
        check_shape(document)
    return caught.value.reason, str(caught.value)


@pytest.mark.parametrize(
    "context",
    [
        ACTIVITYSTREAMS,
        [],
        [ACTIVITYSTREAMS, SECURITY, WEBFINGER],
        {"@language": "en", "@vocab": "https://x.test/ns#"},
        {"@language": None, "@vocab": None},
        {"a": None, "b": "", "c": "as:c", "kind": "@type", "is": "@id"},
        {"a": {}, "b": {"@id": None}, "c": {"@id": "as:c"}, "kind": {"@id": "@type"}, "is": {"@id": "@id"}},
        {"a": {"@type": None}, "b": {"@type": "xsd:date"}, "c": {"@type": "@id"}, "d": {"@type": "@vocab"}},
        {"a": {"@language": None}, "b": {"@language": "en"}},
        {"a": {"@container": "@list"}, "b": {"@container": ["@set", "@language"]}, "c": {"@container": []}},
    ],
)
def test_a_context_that_explains_names_plainly_is_read(context: Any) -> None:
    check_shape({"@context": context, "id": "x:a"})
    check_shape({"object": [{"@context": context, "id": "x:a"}]})


@pytest.mark.parametrize(
    "entry",
    [
        None,
        5,
        True,
        [ACTIVITYSTREAMS],
        {"@base": "https://x.test/"},
        {"@version": 1.1},
        {"@language": "@en"},
        {"@vocab": "@none"},
        {"@vocab": 5},
        {"@language": {}},
        {"a": 5},
        {"a": []},
        {"a": "@vocab"},
        {"a": "@graph"},
        {"a": {"@id": "@vocab"}},
        {"a": {"@id": 5}},
        {"a": {"@type": "@type"}},
        {"a": {"@type": 5}},
        {"a": {"@language": 5}},
        {"a": {"@container": "@id"}},
        {"a": {"@container": ["@set", "@index"]}},
        {"a": {"@reverse": "as:object"}},
        {"a": {"id": "as:a"}},
        {"good": "as:good", "a": 5},
    ],
)
def test_a_context_that_does_more_is_refused(entry: Any) -> None:
    assert refused({"@context": [ACTIVITYSTREAMS, entry], "id": "x:a"}) == UNREAD
    assert refused({"object": [{"@context": [entry]}]}) == UNREAD


def test_names_that_are_explained_elsewhere_are_refused() -> None:
    assert refused({"@context": "https://x.test/context"}) == UNKNOWN
    assert refused({"object": {"@context": [ACTIVITYSTREAMS, ACTIVITYSTREAMS + "#"]}}) == UNKNOWN


def test_keywords_outside_of_contexts_are_refused() -> None:
    for name in ("@id", "@graph", "@"):
        assert refused({"id": "x:a", name: "x:b"}) == UNREAD
        assert refused({"object": [[{"id": "x:a", name: []}]]}) == UNREAD
    check_shape({"a@b": "x", "": "x"})


def values(count: int) -> dict[str, Any]:
    """A document with so many values in all, none of them beside too many others."""
    parts = [["x"] * ld_shape.MOST_BESIDE for _ in range((count - 1) // (ld_shape.MOST_BESIDE + 1))]
    rest = count - 1 - len(parts) - sum(map(len, parts))
    return {"object": [*parts, *["x"] * rest]}


def test_as_much_as_an_activity_may_have_is_looked_at_and_no_more() -> None:
    beside, contexts, terms = ld_shape.MOST_BESIDE, ld_shape.MOST_CONTEXTS, ld_shape.MOST_TERMS
    room = ld_shape.LONGEST - len(msgspec.json.encode({"content": ""}))
    for most, more in (
        ({"content": "x" * room}, {"content": "x" * (room + 1)}),
        (values(ld_shape.MOST_VALUES), values(ld_shape.MOST_VALUES + 1)),
        ({"tag": ["x"] * beside}, {"tag": ["x"] * (beside + 1)}),
        ({f"p{n}": "x" for n in range(beside)}, {f"p{n}": "x" for n in range(beside + 1)}),
        ({"@context": [ACTIVITYSTREAMS] * contexts}, {"@context": [ACTIVITYSTREAMS] * (contexts + 1)}),
        ({"tag": [{"@context": {}}] * contexts}, {"tag": [{"@context": {}}] * (contexts + 1)}),
        (
            {"@context": [{f"t{n}": "as:t" for n in range(terms - 1)}, ACTIVITYSTREAMS, {"t": "as:t"}]},
            {"@context": [{f"t{n}": "as:t" for n in range(terms - 1)}, {"t": "as:t", "u": "as:u"}]},
        ),
    ):
        check_shape(most)
        assert refused(more) == TOO_LARGE
