"""Content types, wishes of readers, and packed bodies."""

import gzip

import brotli
from hypothesis import given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED, joined, long, mangled
from fuzz.odd_documents import VALUES
from privapub.federation.documents.properties import media_type as said_type
from privapub.federation.served.asking import media_type, wants_document
from privapub.outbound.answers import ACTIVITY_JSON, ACTIVITY_TYPES, LD_JSON, bare_type, is_one_of
from privapub.outbound.body import Body, Broken, Packing, TooLarge, packing

PIECES = (
    "application/activity+json", "application/ld+json", "text/html", "*/*", "application/", "/", ";", " ; ", "profile=",
    'profile="https://www.w3.org/ns/activitystreams"', '"', "\\", "profile*=utf-8''x", "profile*0=", "profile*1*=%41",
    "q=", "q=0.5", "q=1.0001", "Q = 0", "charset=utf-8", "charset*=x''y", ",", "=", "\t", "\r\n", "\x00", "é", "*0",
    "''", "%", "%zz", "(", ")", "<", "=?utf-8?q?x?=", "APPLICATION/LD+JSON", "\ud800", "²",
)  # fmt: skip
PACKINGS: tuple[Packing, ...] = ("", "gzip", "br")
_ROUND = 1 << 17
TYPES = joined(PIECES) | mangled(st.sampled_from([ACTIVITY_JSON, LD_JSON, f"{LD_JSON}; charset=utf-8"]), PIECES)


@FUZZED
@given(TYPES)
def test_a_content_type_is_one_that_was_asked_for_or_not(header: str) -> None:
    bare = bare_type(header)
    assert bare == bare.lower().strip()
    assert ";" not in bare
    assert is_one_of(header, frozenset())
    if is_one_of(header, ACTIVITY_TYPES):
        assert bare in {"application/activity+json", "application/ld+json"}
        assert bare == "application/activity+json" or "https://www.w3.org/ns/activitystreams" in header.replace(
            "\\", ""
        )


@FUZZED
@given(TYPES | st.none())
def test_a_wish_is_a_document_or_a_page(accept: str | None) -> None:
    wants_document(accept)
    assert media_type(accept) in {ACTIVITY_JSON, LD_JSON}


@FUZZED
@given(st.dictionaries(st.sampled_from(["mediaType", "mimeType", "media_type"]), TYPES | VALUES))
def test_a_type_that_a_document_says_is_short_and_bare(value: dict[str, object]) -> None:
    said = said_type(value)
    assert len(said) <= 100
    assert ";" not in said


@FUZZED
@given(st.text(max_size=20) | st.sampled_from(["gzip", " X-GZIP ", "identity", "br", ""]))
def test_an_encoding_is_known_or_not(text: str) -> None:
    assert packing(text) in {"", "gzip", "br", None}


@FUZZED
@given(
    st.binary(max_size=2000) | st.integers(0, 2_000_000).map(lambda size: b"0" * size),
    st.lists(st.integers(1, 700), min_size=1, max_size=20),
    st.integers(0, 4000),
    st.tuples(st.integers(0, 40), st.binary(max_size=4)),
    st.sampled_from(PACKINGS),
)
def test_a_body_is_unpacked_within_its_limit_or_refused(
    content: bytes, sizes: list[int], limit: int, change: tuple[int, bytes], packed: Packing
) -> None:
    wire = _packed(content, packed)
    at, put = change
    changed = wire[:at] + put + wire[at + len(put) :]
    ends = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
    body = Body(limit, packed)
    try:
        for begin, end in zip(ends, [*ends[1:], len(changed)], strict=True):
            body.feed(changed[begin:end])
            assert len(body.begun()) <= limit
            assert len(body._parts) <= 3 * limit + _ROUND  # brotli gives whole blocks
        whole = body.end()
    except (TooLarge, Broken):
        return
    assert len(whole) <= limit
    if not packed:
        assert whole == changed
    elif changed == wire:
        assert whole == content


def _packed(content: bytes, packed: Packing) -> bytes:
    if packed == "br":
        return brotli.compress(content)
    return gzip.compress(content, mtime=0) if packed else content


@FUZZED
@given(long(PIECES, 8000))
def test_what_is_long_is_a_type_or_none(header: str) -> None:
    is_one_of(header, ACTIVITY_TYPES)
    wants_document(header)
    media_type(header)
