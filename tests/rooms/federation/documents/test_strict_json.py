import json
from typing import Any

import pytest

from privapub.federation.documents import strict_json
from privapub.federation.documents.canonical import digest
from privapub.federation.documents.problems import BadDocument


def refusal(body: bytes) -> str:
    with pytest.raises(BadDocument) as caught:
        strict_json.read(body)
    return caught.value.reason


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not-json"),
        (b"{", "not-json"),
        (b"hello", "not-json"),
        (b"\xff\xfe{\x00}\x00", "not-json"),
        (b'{"a": "\xff"}', "not-json"),
        (b'{"a": NaN}', "not-json"),
        (b'{"a": Infinity}', "not-json"),
        (b'{"a": 1} {"b": 2}', "not-json"),
        (b"[]", "not-an-object"),
        (b'"text"', "not-an-object"),
        (b"null", "not-an-object"),
        (b'{"a": 1, "a": 1}', "duplicate-key"),
        (b'{"a": [{"b": {"c": 1, "c": 2}}]}', "duplicate-key"),
        (b'{"id": "https://x.test/\\u00005"}', "bad-id"),
        (b'{"object": {"id": "https://x.test/\\ud83d"}}', "bad-id"),
        (b'{"object": {"attributedTo": [{"id": "https://x.test/\\u0000"}]}}', "bad-id"),
        (b'{"object": {"inReplyTo": "https://x.test/\\u0000"}}', "bad-id"),
        (b'{"object": {"id": "https://x.test/\\uDBFF"}}', "bad-id"),
        (b'{"content": "a\x00b"}', "not-json"),
        (b'{"content": "\xed\xa0\x80"}', "not-json"),
        (b'{"to": ["https://x.test/a", "https://x.test/\\u0000"]}', "bad-id"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "too-deep"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "too-deep"),
        (b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", "too-deep"),
        (b'{"a":"\\u0000", "b":' + b"[" * 32 + b"]" * 32 + b"}", "too-deep"),
        (b"[" * 500_000, "too-deep"),
    ],
)
def test_what_is_refused_is_refused_by_name(body: bytes, reason: str) -> None:
    assert refusal(body) == reason


def test_thirty_two_levels_are_read() -> None:
    assert strict_json.read(b'{"a":' * 32 + b"1" + b"}" * 32)


@pytest.mark.parametrize(
    ("body", "document"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"content": "a\\u0000b"}', {"content": "a\ufffdb"}),
        (b'{"content": "\\ud83d end"}', {"content": "\ufffd end"}),
        (b'{"content": "\\ud83d\\ude00"}', {"content": "\U0001f600"}),
        (b'{"tag": [{"name": "#ber\\u0000lin"}]}', {"tag": [{"name": "#ber\ufffdlin"}]}),
        (b'{"a\\u0000": 1, "b": 2}', {"b": 2}),
        (b'{"url": "https://x.test/\\u0000"}', {"url": "https://x.test/\ufffd"}),
        (b'{"tag": [{"id": "x:\\ud800", "to": "\\u0000"}]}', {"tag": [{"id": "x:\ufffd", "to": "\ufffd"}]}),
        (b'{"votersCount": 1e400, "n": [-1e999, 1]}', {"votersCount": None, "n": [None, 1]}),
        (b'{"n": ' + b"9" * 5000 + b"}", {"n": None}),
        (b'{"n": 9007199254740991}', {"n": 9007199254740991}),
        (b'{"n": -5, "f": 1.5, "t": true, "z": null}', {"n": -5, "f": 1.5, "t": True, "z": None}),
    ],
)
def test_text_is_made_storable_and_the_rest_stays(body: bytes, document: dict[str, Any]) -> None:
    assert strict_json.read(body) == document


def test_whole_numbers_that_a_double_cannot_hold_become_doubles() -> None:
    number = strict_json.read(b'{"n": 9007199254740993}')["n"]
    assert isinstance(number, float)


DOCUMENT: dict[str, Any] = {"@context": "x", "id": "https://x.test/1", "type": "Follow", "object": {"id": "y", "n": 1}}


@pytest.mark.parametrize(
    "copy",
    [
        {**DOCUMENT, "signature": {"type": "RsaSignature2017"}},
        {**DOCUMENT, "proof": {"type": "DataIntegrityProof"}},
        {**DOCUMENT, "@context": ["y"]},
        {**DOCUMENT, "object": {"n": 1.0, "id": "y", "@context": "z"}},
        dict(reversed(DOCUMENT.items())),
    ],
)
def test_copies_have_one_digest(copy: dict[str, Any]) -> None:
    assert digest(copy) == digest(DOCUMENT)


@pytest.mark.parametrize(
    "other",
    [{**DOCUMENT, "id": "https://x.test/2"}, {**DOCUMENT, "object": {"id": "y", "n": 2}}, {**DOCUMENT, "to": []}],
)
def test_another_content_has_another_digest(other: dict[str, Any]) -> None:
    assert digest(other) != digest(DOCUMENT)


def test_a_number_too_large_for_the_canonical_form_counts_as_its_double() -> None:
    assert digest({"n": 2**60}) == digest(strict_json.read(json.dumps({"n": 2**60}).encode()))
