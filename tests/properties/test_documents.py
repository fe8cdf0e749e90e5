"""Whatever a document holds where, reading it gives a record or a BadDocument; and what we write, we read."""

import hashlib
import json
from contextlib import suppress
from typing import Any

import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privapub.federation.documents import strict_json
from privapub.federation.documents.canonical import digest
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import fit_for_id
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import read_post

_UNTIMED = settings(deadline=None, max_examples=200)
_NAMES = st.sampled_from(
    [
        "id", "@id", "type", "@type", "actor", "object", "target", "to", "cc", "published", "updated", "name",
        "nameMap", "content", "contentMap", "summary", "mediaType", "url", "href", "icon", "image", "tag", "attachment",
        "value",
        "inbox", "endpoints", "sharedInbox", "publicKey", "assertionMethod", "owner", "controller", "publicKeyPem",
        "publicKeyMultibase", "attributedTo", "inReplyTo", "sensitive", "language", "width", "blurhash",
        "preferredUsername", "manuallyApprovesFollowers", "alsoKnownAs", "movedTo", "@context", "proof",
    ]
)  # fmt: skip
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "https://peer.test/u/carol", "Note", "Person", "Create", "Mention", "Image", "PropertyValue", "Multikey",
            "as:Public", "2026-03-01T10:00:00Z", "2026-03-01T25:61:61+99:99", "0000-00-00T00:00:00Z", "text/plain",
            "<p>hi", "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----", "z6Mk", "https://", "http://[", "en",
        ]
    )
)  # fmt: skip
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(_NAMES, below, max_size=6),
    max_leaves=15,
)
_LEAST = {"id": "https://peer.test/x", "actor": "https://peer.test/u/carol", "inbox": "https://peer.test/i"}
_DOCUMENTS = st.builds(
    lambda kind, least, more: {**({**_LEAST, "attributedTo": _LEAST["actor"]} if least else {}), "type": kind, **more},
    st.sampled_from(["Note", "Person", "Create", "Article", "Image", "Video", "Service", ["x", "Note"]]),
    st.booleans(),
    st.dictionaries(_NAMES, _VALUES, max_size=10),
)


@_UNTIMED
@given(_DOCUMENTS)
def test_reading_gives_a_record_or_a_bad_document(document: dict[str, Any]) -> None:
    for read in (read_activity, read_actor, read_post):
        with suppress(BadDocument):
            read(document)


@_UNTIMED
@given(_DOCUMENTS)
def test_what_is_read_can_be_stored(document: dict[str, Any]) -> None:
    try:
        safe = strict_json.read(json.dumps(document).encode())
    except BadDocument:
        return
    for read in (read_activity, read_actor, read_post):
        with suppress(BadDocument):
            text = repr(read(safe))
            text.encode()
            assert "\\x00" not in text


@_UNTIMED
@given(_DOCUMENTS, st.randoms(use_true_random=False))
def test_the_order_of_members_and_the_proofs_change_no_digest(document: dict[str, Any], chance: Any) -> None:
    members = list(document.items())
    chance.shuffle(members)
    assert digest({**dict(members), "signature": {"x": 1}, "@context": "y"}) == digest(document)


@_UNTIMED
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_make_the_strict_reader_fail(body: bytes) -> None:
    with suppress(BadDocument):
        assert isinstance(strict_json.read(body), dict)


@_UNTIMED
@given(st.text(max_size=50))
def test_ids_hold_no_white_space_and_no_controls(text: str) -> None:
    if fit_for_id(text):
        assert text
        assert text == text.strip()
        assert text.isprintable() or not any(letter < " " for letter in text)


@_UNTIMED
@example({"\ue000": 1, "\U00010000": 2})  # in UTF-16 the other way round
@example({"a": 1e21, "b": 1.0})
@given(st.dictionaries(st.text(max_size=4) | _NAMES, _VALUES, max_size=6))
def test_a_digest_is_of_the_form_that_the_standard_has(document: dict[str, Any]) -> None:
    whole = {"object": document}
    assert digest(whole) == hashlib.sha256(rfc8785.dumps(_without(whole))).hexdigest()


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [_without(item) for item in value]
    if isinstance(value, dict):
        return {name: _without(item) for name, item in value.items() if name not in {"@context", "proof", "signature"}}
    return value
