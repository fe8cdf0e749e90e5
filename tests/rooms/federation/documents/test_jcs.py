"""The one canonical form of JSON (RFC 8785): the standard's own samples, and where Python would write otherwise."""

import json
import math

import pytest
import rfc8785

from privapub.federation.documents.jcs import canonical
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.strict_json import MAX_EXACT
from shared import shared

NAMES = ("arrays", "french", "structures", "unicode", "values", "weird")


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_of_the_standard(name: str) -> None:
    given = json.loads(shared(f"vectors/jcs/input/{name}.json").read_bytes())
    wanted = bytes.fromhex(shared(f"vectors/jcs/outhex/{name}.txt").read_text())
    assert canonical(given) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"b": 1, "a": [True, None, "x/y"]}, b'{"a":[true,null,"x/y"],"b":1}'),
        ({"n": 1.0, "m": -0.0, "e": 1e21, "s": 1e-7}, b'{"e":1e+21,"m":0,"n":1,"s":1e-7}'),
        ({"\u20ac": 1, "\U0001f600": 2, "\ufb33": 3}, '{"€":1,"😀":2,"\ufb33":3}'.encode()),
        ({"t": '\b\t\n\f\r"\\\x1f\x7f\u2028é'}, '{"t":"\\b\\t\\n\\f\\r\\"\\\\\\u001f\x7f\u2028é"}'.encode()),
        (MAX_EXACT, b"9007199254740991"),
    ],
)
def test_numbers_names_and_texts_are_written_as_the_standard_says(value: object, wanted: bytes) -> None:
    assert canonical(value) == wanted


def test_the_quick_way_writes_every_character_as_the_standard_says() -> None:
    text = "".join(map(chr, range(0xD800))) + "\U0001f600"
    assert canonical({"a": text, "A": {"z": 0, "y": False}}) == rfc8785.dumps({"a": text, "A": {"z": 0, "y": False}})


@pytest.mark.parametrize("value", [MAX_EXACT + 1, math.inf, math.nan, {"a": "\ud800"}, {"\ud800": 1.5}])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(BadDocument, match="bad-number"):
        canonical(value)
