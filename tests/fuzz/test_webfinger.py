"""Addresses of people and what hosts answer to them (RFC 7033, RFC 7565)."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED, joined, long, mangled, only
from fuzz.odd_documents import DOCUMENTS, VALUES
from privapub.errors import InvalidInput, NotFound
from privapub.federation.documents import strict_json
from privapub.federation.documents.problems import BadDocument
from privapub.federation.fetching.jrd import Found, Name, read_jrd, read_name
from privapub.federation.fetching.origin import origin
from privapub.federation.served import webfinger

PIECES = (
    "acct:", "ACCT:", "@", "carol", "peer.test", "PEER.test", ":8443", ":", "%40", "%", "%zz", "?", "#", "/", " ", "\t",
    "münchen.test", "xn--mnchen-3ya.test", "\u212a", "\uff20", "\u3002", "\x00", "\u202e", "ß.test", "."* 3, "a"* 64,
    "https://sut.test/@alice", "https:", "mailto:", "[::1]", "127.0.0.1", "_", "-", "&", "resource=", "rel=", "+", "=",
)  # fmt: skip
NAMES = joined(PIECES, 8) | mangled(st.sampled_from(["acct:carol@peer.test", "@carol@peer.test:8443"]), PIECES)
KINDS = ["application/activity+json", 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"']
IDS = ["https://peer.test/u/carol", "https://sut.test/actors/a", "http://["]
LINKS = st.fixed_dictionaries(
    {"rel": st.sampled_from(["self", "x"]) | VALUES},
    optional={"type": st.sampled_from(KINDS) | VALUES, "href": st.sampled_from(IDS) | VALUES},
)
JRDS = st.fixed_dictionaries(
    {}, optional={"subject": NAMES | VALUES, "links": st.lists(LINKS | VALUES, max_size=4) | VALUES}
)


@FUZZED
@given(NAMES)
def test_an_address_is_read_as_it_is_written_again(text: str) -> None:
    name = only((InvalidInput,), lambda: read_name(text))
    if not isinstance(name, Name):
        return
    assert read_name(str(name)) == name
    assert read_name(f"acct:{name}") == name
    assert name.same(name)
    assert name.host.isascii()
    assert name.host == name.host.lower()
    assert not set(str(name)) & set(" /?#&\r\n\t\x00")


@FUZZED
@given(JRDS | DOCUMENTS)
def test_an_answer_names_an_actor_or_nobody(document: dict[str, Any]) -> None:
    came = only((BadDocument,), lambda: strict_json.read(json.dumps(document).encode()))
    if not isinstance(came, dict):
        return
    asked = Name("carol", "peer.test")
    found = only((NotFound,), lambda: read_jrd(came, asked))
    if isinstance(found, Found):
        assert origin(found.uri)
        assert found.name == asked or read_name(str(found.name)) == found.name


@FUZZED
@given(st.tuples(joined(["resource=", "&", "rel=self", "%40", "+"]), NAMES, NAMES).map("".join) | NAMES)
def test_a_question_asks_for_one_thing_or_is_refused(query: str) -> None:
    wire = query.encode("utf-8", "surrogatepass").decode("latin-1")
    asked = only((InvalidInput,), lambda: webfinger.asked(wire))
    if not isinstance(asked, tuple):
        return
    resource, wanted = asked
    assert resource
    assert all(isinstance(name, str) for name in wanted)
    parts = only((InvalidInput,), lambda: webfinger.address(resource))
    if isinstance(parts, tuple):
        handle, host = parts
        assert handle
        assert host == host.lower()
        if not handle.startswith("@"):  # of several one goes
            assert webfinger.address(f"acct:{handle}@{host}") == parts


@FUZZED
@given(long(PIECES, 20_000))
def test_what_is_long_is_no_address(text: str) -> None:
    only((InvalidInput,), lambda: read_name(text))
    only((InvalidInput,), lambda: webfinger.asked(text.encode("utf-8", "surrogatepass").decode("latin-1")))
    only((InvalidInput,), lambda: webfinger.address(text))
