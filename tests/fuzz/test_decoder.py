"""Whatever comes as a document: a record or a refusal, of a size that what came decides, and the same each time."""

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz import seeds
from fuzz.mangled import FUZZED, joined, long, mangled, only
from fuzz.odd_documents import DOCUMENTS
from privapub.errors import NotFound
from privapub.federation.documents import jcs, strict_json
from privapub.federation.documents.canonical import digest
from privapub.federation.documents.encode import encode
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_activity import read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_collection import RemoteCollection, read_collection
from privapub.federation.documents.read_document import read_document
from privapub.federation.documents.read_nodeinfo import read_nodeinfo, read_nodeinfo_address
from privapub.federation.documents.read_post import audience_of, read_post
from privapub.federation.documents.read_tombstone import read_tombstone
from privapub.federation.documents.terms import compacted
from privapub.federation.threads.collections import post_in, posts_of

READERS: tuple[Callable[[dict[str, Any]], object], ...] = (
    read_document, read_activity, read_actor, read_post, read_collection, read_tombstone, read_nodeinfo,
    read_nodeinfo_address,
)  # fmt: skip
JSON = (
    "{", "}", "[", "]", ",", ":", '"', '"id"', '"type":"Note"', "null", "true", "1e999", "-0", "0.1", "1E-5", "NaN",
    "-Infinity", "9007199254740993", "\\ud800", "\\u0000", "\\u00e9", "\ufeff", "\x00", " ", "\n", '"a":1,"a":1',
    "[[[[[[[[[[[[[[[[", '{"object":{"object":{"object":', "12345678901234567890123456789012345678901234567890",
)  # fmt: skip
BODIES = (
    mangled(DOCUMENTS.map(json.dumps), JSON).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | joined(JSON).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.binary(max_size=100)
)
# No reader writes more than a few letters for each that came, beside what it always writes.
_FEW, _ALWAYS = 12, 20_000


@FUZZED
@given(BODIES)
def test_bytes_are_a_document_that_can_be_kept_or_none(body: bytes) -> None:
    document = only((BadDocument,), lambda: strict_json.read(body))
    if document is None:
        return
    assert isinstance(document, dict)
    written = json.dumps(document, allow_nan=False, ensure_ascii=False).encode()  # no unpaired surrogate, no NaN
    assert b"\\u0000" not in written
    assert strict_json.read(encode(document)) == document
    form = jcs.canonical(document)
    assert jcs.canonical(strict_json.read(form)) == form
    assert digest(strict_json.read(form)) == digest(document)


@FUZZED
@given(DOCUMENTS)
def test_each_reader_gives_a_record_or_says_why_not(document: dict[str, Any]) -> None:
    came = only((BadDocument,), lambda: strict_json.read(json.dumps(document).encode()))
    if not isinstance(came, dict):
        return
    before = copy.deepcopy(came)
    size = len(json.dumps(came, ensure_ascii=False))
    for read in READERS:
        record = only((BadDocument,), lambda read=read: read(came))
        assert came == before, f"{read.__name__} changed what it read"
        if record is None:
            continue
        told = repr(record)
        told.encode()
        assert "\\x00" not in told
        assert len(told) <= _FEW * size + _ALWAYS
        assert read(came) == record


@FUZZED
@given(DOCUMENTS)
def test_what_is_told_of_a_document_beside_its_record(document: dict[str, Any]) -> None:
    came = only((BadDocument,), lambda: strict_json.read(json.dumps(document).encode()))
    if not isinstance(came, dict):
        return
    plain = compacted(came)
    assert compacted(plain) == plain
    post_in(came)
    collection = only((BadDocument,), lambda: read_collection(came))
    if isinstance(collection, RemoteCollection):
        ids = posts_of(collection)
        assert len(set(ids)) == len(ids)
    post = only((BadDocument, NotFound), lambda: read_post(came))
    if post is not None:
        seen = audience_of(post, "https://peer.test/u/carol/followers")
        assert seen in {"public", "unlisted", "followers", "direct"}


@FUZZED
@given(long(JSON, 20_000))
@example("[" * 100_000)
@example('{"a":' * 50_000 + "1" + "}" * 50_000)
@example('{"id":"' + "\\ud83d\\ude00" * 10_000 + '"}')
def test_what_is_long_is_read_or_refused_like_what_is_short(text: str) -> None:
    only((BadDocument,), lambda: strict_json.read(text.encode("utf-8", "surrogatepass")))


def test_there_is_something_to_begin_from() -> None:
    assert len(seeds.documents()) >= 12
    kept = [document for document in seeds.documents() if only((BadDocument,), lambda d=document: read_document(d))]
    assert len(kept) >= 8
