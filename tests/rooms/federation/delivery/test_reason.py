import pytest

from privapub.federation.delivery.reason import WORDS, reason


@pytest.mark.parametrize(
    ("why", "word"),
    [
        ("answered 404", "404"),
        ("answered 401 whichever way it was signed", "401"),
        ("answered 302, and its owner could not be asked: peer.test could not be asked: timeout.", "302"),
        ("timeout", "timeout"),
        ("private-address", "private-address"),
        ("the inbox has moved", "inbox-moved"),
        ("what was to be sent is no more", "nothing-to-send"),
        ("waited for 30 days", "waited-too-long"),
        ("worker died", "worker-died"),
        ("cancelled", "cancelled"),
        ("taken back before it was sent", "taken-back"),
        ("ValueError: https://peer.test/secret", "other"),
        ("took longer than 300 seconds", "other"),
        ("answered 999999", "other"),
        ("", "other"),
    ],
)
def test_a_sentence_becomes_one_of_few_words(why: str, word: str) -> None:
    assert reason(why) == word
    assert word in WORDS or word.isdecimal()
