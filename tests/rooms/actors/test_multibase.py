"""Bytes as words of base58btc."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privapub.actors.multibase import ED25519_PUBLIC, decode, encode


@pytest.mark.parametrize(
    ("data", "word"),
    [
        # The test vectors of draft-msporny-base58, section 5.
        (b"Hello World!", "z2NEpo7TZRRrLZSi2U"),
        (
            b"The quick brown fox jumps over the lazy dog.",
            "zUSm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z",
        ),
        (bytes.fromhex("0000287fb4cd"), "z11233QC4"),
        (b"", "z"),
    ],
)
def test_words_are_those_that_the_draft_prints(data: bytes, word: str) -> None:
    assert encode(data) == word
    assert decode(word) == data


@given(st.binary(max_size=80))
def test_every_word_is_read_as_the_bytes_it_was_made_of(data: bytes) -> None:
    assert decode(encode(data)) == data


@pytest.mark.parametrize("word", ["", "2NEpo7", "m2NEpo7", "z0", "zO", "zI", "zl", "z2NEpo7 ", "z\u00e9"])
def test_what_is_no_word_of_this_alphabet_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(word)


def test_the_multikey_of_the_standard_holds_an_ed25519_key() -> None:
    # The example of Controlled Identifiers, section 2.2.2.
    data = decode("z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu")
    assert data.startswith(ED25519_PUBLIC)
    assert len(data) == len(ED25519_PUBLIC) + 32
