"""An activity put together from quads."""

from typing import Any

import pytest

from privapub.federation.documents.context import ACTIVITYSTREAMS
from privapub.federation.documents.strict_json import MAX_EXACT
from privapub.federation.signatures.ld_quads import canonical
from privapub.federation.signatures.ld_reading import activity_of
from privapub.federation.signatures.ld_shape import MOST_VALUES
from privapub.federation.signatures.request import BadSignature

LIKE: dict[str, Any] = {"@context": ACTIVITYSTREAMS, "id": "https://peer.test/1", "type": "Like", "actor": "x:a"}

FIRST, REST, NIL = ("http://www.w3.org/1999/02/22-rdf-syntax-ns#" + name for name in ("first", "rest", "nil"))


def read(document: dict[str, Any]) -> dict[str, Any]:
    return activity_of(canonical(document)[0])


def refused(*documents: dict[str, Any]) -> str:
    with pytest.raises(BadSignature) as caught:
        activity_of([quad for document in documents for quad in canonical(document)[0]])
    if caught.value.reason == "malformed":
        assert str(caught.value) == "The linked data of this document does not hang from one activity."
    return caught.value.reason


def literal(text: str) -> dict[str, Any]:
    return {"type": "literal", "value": text, "datatype": "http://www.w3.org/2001/XMLSchema#string"}


def test_it_hangs_from_one_thing_with_an_id() -> None:
    assert read(LIKE) == LIKE
    assert refused(LIKE, {**LIKE, "id": "https://peer.test/2"}) == "malformed"
    assert refused({**LIKE, "object": {"id": "https://peer.test/2", "object": LIKE["id"]}}) == "malformed"
    assert refused({name: value for name, value in LIKE.items() if name != "id"}) == "malformed"
    assert refused() == "malformed"


def test_a_text_points_to_nothing() -> None:
    told = {**LIKE, "name": LIKE["id"]}
    assert read(told) == told


def test_what_says_nothing_of_itself_is_a_thing_still() -> None:
    assert read({**LIKE, "object": {}})["object"] == {}


def test_as_many_values_are_read_as_a_document_may_have() -> None:
    root, name = {"type": "IRI", "value": LIKE["id"]}, {"type": "IRI", "value": f"{ACTIVITYSTREAMS}#name"}
    quads = [{"subject": root, "predicate": name, "object": literal(str(n))} for n in range(MOST_VALUES + 1)]
    assert activity_of(quads[1:])["name"] == [str(n) for n in range(1, MOST_VALUES + 1)]
    with pytest.raises(BadSignature) as caught:
        activity_of(quads)
    assert caught.value.reason == "too-large"


def test_what_stands_in_two_places_is_whole_in_both() -> None:
    person = {"id": "x:a", "type": "Person", "name": "Carol"}
    assert read({**LIKE, "actor": person, "object": "x:a"}) == {**LIKE, "actor": person, "object": person}


def test_what_leads_back_to_itself_ends() -> None:
    note = {"id": "x:n", "name": "n", "replies": {"id": "x:r", "name": "r", "partOf": "x:n"}}
    assert read({**LIKE, "object": note})["object"] == note


def test_a_name_of_another_vocabulary_is_read_where_activitystreams_says_nothing() -> None:
    terms = {"a": "http://joinmastodon.org/ns#name", "z": "https://zzz.test/ns#name"}
    document = {**LIKE, "@context": [ACTIVITYSTREAMS, terms], "a": "theirs", "z": "unknown"}
    assert read(document) == {**LIKE, "name": "theirs", "https://zzz.test/ns#name": "unknown"}
    assert read({**document, "name": "ours"})["name"] == "ours"


@pytest.mark.parametrize("name", ["id", "type", "@id", "@context", "@type", "@value", "@language", "@odd"])
def test_no_property_stands_for_an_id_or_a_kind(name: str) -> None:
    terms = {"x": {"@id": f"http://joinmastodon.org/ns#{name}"}}
    document = {**LIKE, "@context": [ACTIVITYSTREAMS, terms], "object": {"name": "n", "x": "forged"}}
    assert read(document) == {**LIKE, "object": {"name": "n"}}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (5, 5),
        (MAX_EXACT, MAX_EXACT),
        (-MAX_EXACT, -MAX_EXACT),
        (-0.25, -0.25),
        (True, True),
        (False, False),
        ("5", "5"),
        (2**60, float(2**60)),
        ("true", "true"),
    ],
)
def test_values_are_what_they_were(value: Any, wanted: Any) -> None:
    found = read({**LIKE, "@context": [ACTIVITYSTREAMS, {"v": "x:v"}], "v": value})["x:v"]
    assert found == wanted
    assert type(found) is type(wanted)


def test_lists_keep_their_order_and_what_is_in_them_twice() -> None:
    terms = {"l": {"@id": "x:l", "@container": "@list"}}
    assert read({**LIKE, "@context": [ACTIVITYSTREAMS, terms], "l": [3, 1, 2, 1]})["x:l"] == [3, 1, 2, 1]
    assert read({**LIKE, "@context": [ACTIVITYSTREAMS, terms], "l": []})["x:l"] == []


def test_a_text_is_no_list_whatever_it_reads_as() -> None:
    terms = {"l": {"@id": "x:l", "@container": "@list"}}
    document = {**LIKE, "@context": [ACTIVITYSTREAMS, terms], "l": [1], "object": {"name": NIL}}
    assert read(document)["object"] == {"name": NIL}
    cell = next(quad["subject"]["value"] for quad in canonical(document)[0] if quad["predicate"]["value"] == FIRST)
    said = read({**document, "object": {"name": cell}})
    assert (said["object"], said["x:l"]) == ({"name": cell}, 1)


def test_a_list_that_is_none_is_refused() -> None:
    terms = {"first": FIRST, "rest": {"@id": REST, "@type": "@id"}}
    typed = {**LIKE, "@context": [ACTIVITYSTREAMS, terms]}
    for cell in ({"first": "x"}, {"first": ["x", "y"], "rest": "x:nil"}, {"first": "x", "rest": "x:other"}):
        assert refused({**typed, "object": cell}) == "malformed"
    assert refused({**typed, "object": {"id": "x:l", "first": "x", "rest": "x:l"}}) == "too-large"
    untyped = {
        **LIKE,
        "@context": [ACTIVITYSTREAMS, {"first": FIRST, "rest": REST, "end": {"@id": REST, "@type": "@id"}}],
    }
    cell = {"id": "x:l", "first": "y", "end": NIL}
    assert read({**untyped, "object": {"first": "x", "end": "x:l"}, "target": cell})["object"] == ["x", "y"]
    assert refused({**untyped, "object": {"first": "x", "rest": "x:l"}, "target": cell}) == "malformed"
