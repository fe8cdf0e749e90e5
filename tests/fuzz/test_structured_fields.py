"""Structured fields (RFC 8941): what is read is written so that it is read as the same."""

import http_sf
from hypothesis import given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED, joined, long, mangled, only
from privapub.federation.signatures import structured
from privapub.federation.signatures.structured import Item, Malformed

PIECES = (
    "a", "b=", "*c", "=", ";", ",", ", ", "\t,", "(", ")", " ", '"', '"x y"', '\\"', "\\", ":", ":AA==:", ":A:", "?1",
    "?0", "?", "1", "-1", "1.5", "-0", "0.0", "1.0005", "999999999999999", "9999999999999999", "tok/en", "*t:k", "é",
    "\x7f", "A", "sig1=", "q=0.5", "@1659578233", '%"x"',
)  # fmt: skip
FIELDS = joined(PIECES, 20) | mangled(
    st.sampled_from(
        [
            'sig1=("@method" "@path";req);created=1;keyid="x", b=:AAAA:;p, c=?0, d=1.5, e=tok',
            "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
            'a=();x="\\"\\\\", b',
        ]
    ),
    PIECES,
)


@FUZZED
@given(FIELDS)
def test_a_field_is_read_as_it_is_written_again(text: str) -> None:
    members = only((Malformed,), lambda: structured.read_dictionary(text))
    if not isinstance(members, dict):
        return
    written = ", ".join(f"{name}={structured.write(member)}" for name, member in members.items())
    assert structured.read_dictionary(written) == members


@FUZZED
@given(FIELDS)
def test_another_reader_understands_what_is_taken_here_in_the_same_way(text: str) -> None:
    members = only((Malformed,), lambda: structured.read_dictionary(text))
    if not isinstance(members, dict):
        return
    others = http_sf.parse(text.encode(), tltype="dictionary")
    assert isinstance(others, dict)
    assert list(others) == list(members)
    for name, member in members.items():
        # In a dictionary a member that is true stands there by its name alone (RFC 8941, section 4.1.2).
        true = isinstance(member, Item) and member.value is True
        canonical = structured.write(member)
        assert http_sf.ser({name: others[name]}) == name + (canonical[len("?1") :] if true else f"={canonical}")


@FUZZED
@given(long(PIECES, 16_384))
def test_a_long_field_is_read_or_refused(text: str) -> None:
    only((Malformed,), lambda: structured.read_dictionary(text))
