"""The names of a document and what its own `@context` makes of them: plain once, plain for good."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED
from fuzz.odd_documents import DOCUMENTS
from privapub.federation.documents.languages import language
from privapub.federation.documents.terms import compacted, default_language, is_foreign

NAMES = st.sampled_from(
    [
        "foo", "bar", "baz", "name", "content", "nameMap", "id", "type", "as:foo", "as:as:foo", "@id", "@type",
        "sec:bar", "foo:bar", "@value", "@language", "@list", "@set", "as:@id", "as:id", "as:actor", "as:@context",
    ]
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, "x", "as:Note", "as:as:Note", "as:@id", "en", 1]),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=4),
    max_leaves=8,
)
MEANINGS = ["as:foo", "as:bar", "as:baz", "foo:bar", "as:name", "bar", "as:id", "@id", "@type", {"@id": "as:foo"}, None]
CONTEXTS = st.lists(
    st.dictionaries(st.sampled_from(["foo", "bar", "baz", "as", "name", "en"]), st.sampled_from(MEANINGS))
    | st.sampled_from(["https://www.w3.org/ns/activitystreams", "https://schema.org/"]),
    max_size=3,
)
THINGS = st.dictionaries(NAMES, VALUES, max_size=5)
SPELLED = st.builds(
    lambda context, thing, inner, below: {"@context": context, **thing, "object": {"@context": inner, **below}},
    CONTEXTS,
    THINGS,
    CONTEXTS,
    THINGS,
)


@FUZZED
@given(SPELLED | DOCUMENTS)
def test_what_is_plain_stays_as_it_is(document: dict[str, Any]) -> None:
    """Else a check would see another document than the reader after it."""
    plain = compacted(document)
    assert compacted(plain) == plain
    language(default_language(document))
    is_foreign(document)


@FUZZED
@given(SPELLED)
def test_no_document_says_of_another_actor_what_it_says_of_itself(document: dict[str, Any]) -> None:
    """What stands under a name of ActivityStreams is what every reader finds there."""
    said = {name: document[name] for name in ("actor", "id") if isinstance(document.get(name), str)}
    plain = compacted(document)
    assert {name: plain[name] for name in said} == said
