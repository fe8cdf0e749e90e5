"""Whose an id is: the quick reading of plain ids says what the thorough one says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.federation.fetching.origin import _taken_apart, origin

PIECES = [
    "http://", "https://", "HTTPS://", "ftp://", "//", "a.test", "A.test", "a.test.", "-", ".", "..", "127.0.0.1",
    "[::1]",
    ":", ":80", ":443", ":0443", ":65535", ":65536", ":99999", ":8443", "@", "/", "/x/y", "?", "?q=1", "#k", " ",
    "\n", "\t",
    "\\", "%", "é", "[", "]",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_both_readings_agree(uri: str) -> None:
    assert origin(uri) == _taken_apart(uri)


@given(st.text(max_size=30), st.sampled_from(["", "https://", "http://a.test", "https://a.test:"]))
def test_both_readings_agree_on_whatever_follows(text: str, before: str) -> None:
    assert origin(before + text) == _taken_apart(before + text)


@pytest.mark.parametrize(
    ("uri", "belongs_to"),
    [
        ("https://a.test/u/1", "a.test"),
        ("https://a.test:443/u/1", "a.test"),
        ("https://a.test:8443", "a.test:8443"),
        ("http://a.test:80/", "a.test"),
        ("https://A.Test./u", "a.test"),
        ("https://a.test:65536/u", ""),
        ("https://me@a.test/u", ""),
        ("ftp://a.test/u", ""),
        ("", ""),
    ],
)
def test_an_id_belongs_to_its_host(uri: str, belongs_to: str) -> None:
    assert origin(uri) == belongs_to
