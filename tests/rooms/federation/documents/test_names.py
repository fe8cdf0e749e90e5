"""Names in every spelling, and values however they are wrapped (JSON-LD), without fetching anything."""

from typing import Any

import pytest

from privapub.federation.documents.languages import language
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import PUBLIC, fit_for_id
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_post import read_post
from privapub.federation.documents.terms import compacted, plain_name

AS = "https://www.w3.org/ns/activitystreams#"
CAROL = "https://peer.test/u/carol"


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("content", "content"), ("@id", "id"), ("@type", "type"), ("as:sensitive", "sensitive"),
        (f"{AS}content", "content"), (f"http{AS[5:]}content", "content"), ("http://www.w3.org/ns/ldp#inbox", "inbox"),
        ("http://schema.org/name", "name"), ("toot:blurhash", "blurhash"), ("farm:Plant", "farm:Plant"),
        ("https://example.org/ns#content", "https://example.org/ns#content"), (AS, AS), ("urn:x:y", "urn:x:y"),
    ],
)  # fmt: skip
def test_a_name_loses_the_vocabulary_that_is_known(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_a_document_that_is_spelled_out_reads_like_a_plain_one() -> None:
    spelled = {
        "@id": "https://peer.test/n/1", "@type": [f"{AS}Note"],
        f"{AS}attributedTo": [{"@id": CAROL}], f"{AS}to": [{"@id": PUBLIC}],
        f"{AS}content": [{"@value": "<p>hi</p>", "@language": "en"}, {"@value": "<p>hallo</p>", "@language": "de"}],
        f"{AS}published": [{"@type": "http://www.w3.org/2001/XMLSchema#dateTime", "@value": "2026-03-01T10:00:00Z"}],
        f"{AS}sensitive": [{"@value": True}], f"{AS}inReplyTo": [{"@id": "https://peer.test/n/0"}],
        f"{AS}tag": {"@list": [{"@type": [f"{AS}Hashtag"], f"{AS}name": [{"@value": "#tea"}]}]},
    }  # fmt: skip
    plain = {
        "id": "https://peer.test/n/1", "type": "Note", "attributedTo": CAROL, "to": PUBLIC,
        "contentMap": {"en": "<p>hi</p>", "de": "<p>hallo</p>"}, "published": "2026-03-01T10:00:00Z",
        "sensitive": True, "inReplyTo": "https://peer.test/n/0", "tag": {"type": "Hashtag", "name": "#tea"},
    }  # fmt: skip
    assert read_post(spelled) == read_post(plain)
    assert read_post(spelled).language == "en"
    assert read_post(spelled).translations == (("de", "<p>hallo</p>"),)
    assert compacted(compacted(spelled)) == compacted(spelled)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        # A second prefix and a keyword belong to no vocabulary.
        ({"as:as:name": 1, "as:@id": 2}, {"as:as:name": 1}),
        ({"type": ["as:as:Note", "as:@id"]}, {"type": ["as:as:Note", "as:@id"]}),
        # Under the other name it would have another meaning.
        ({"@context": {"foo": "as:bar", "bar": "as:baz"}, "foo": 1}, {"foo": 1}),
        ({"@context": {"bar": "as:foo"}, "sec:bar": 1}, {"sec:bar": 1}),
        # What is wrapped so is no object.
        ({"name": {"@value": {"@id": "x"}}}, {"name": None}),
        # Languages are no names.
        ({"nameMap": {"as:name": "x"}}, {"nameMap": {"as:name": "x"}}),
        ({"odd:name": {"@value": "x", "@language": "en"}}, {"odd:name": {"@value": "x", "@language": "en"}}),
    ],
)  # fmt: skip
def test_what_is_plain_stays_as_it_is(said: dict[str, Any], plain: dict[str, Any]) -> None:
    once = compacted(said)
    assert {name: value for name, value in once.items() if name != "@context"} == plain
    assert compacted(once) == once


def test_a_document_may_name_things_itself_but_not_rename_what_is_named() -> None:
    post = read_post(
        {
            "@context": [{"x": AS, "eyecatcher": "as:image", "name": "as:summary", "content": {"@id": "as:name"}}],
            "id": "https://peer.test/n/1", "type": "x:Article", "x:attributedTo": CAROL, "name": "Title",
            "content": "text", "eyecatcher": {"type": "Image", "url": "https://peer.test/i.png"},
        }
    )  # fmt: skip
    assert (post.kind, post.author, post.name, post.summary) == ("Article", CAROL, "Title", "")
    assert [each.url for each in post.attachments] == ["https://peer.test/i.png"]


def test_the_plain_name_wins_over_another_spelling_of_it() -> None:
    activity = read_activity({"type": "Like", "as:actor": "https://evil.test/u", "actor": CAROL, "object": CAROL})
    assert activity.actor == CAROL


def test_the_language_of_a_context_is_that_of_its_texts_also_within_an_activity() -> None:
    note = {"id": "https://peer.test/n/1", "type": "Note", "attributedTo": CAROL, "content": "tere"}
    document = {"@context": [AS[:-1], {"@language": "et"}], "type": "Create", "actor": CAROL, "object": note}
    assert read_post(read_activity(document).object or {}).language == "et"
    assert read_post({**note, "@context": {"@language": "und"}}).language is None


@pytest.mark.parametrize("context", [3, True, "http://schema.org", ["https://schema.org/"]])
def test_what_says_that_it_is_something_else_is_not_read(context: Any) -> None:
    with pytest.raises(BadDocument) as caught:
        read_activity({"@context": context, "type": "Like", "actor": CAROL})
    assert caught.value.reason == "not-activitystreams"


@pytest.mark.parametrize(
    ("tag", "fits"),
    [
        ("en", True), ("de-CH-1996", True), ("zh-Hans", True), ("es-419", True), ("x-klingon", False), ("und", False),
        ("de-419-DE", False), ("english language", False), ("", False), (7, False), ("en-x-twain", True), ("e", False),
    ],
)  # fmt: skip
def test_languages_are_those_of_bcp_47(tag: Any, fits: bool) -> None:
    assert (language(tag) == tag) is fits


def test_a_character_that_was_taken_out_of_an_id_makes_no_other_id() -> None:
    assert not fit_for_id("https://peer.test/\ufffd")
