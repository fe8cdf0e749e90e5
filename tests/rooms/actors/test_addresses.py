"""Our URLs, and which ones are ours."""

import pytest

from privapub.actors import addresses
from privapub.actors.addresses import Addresses

OURS = Addresses("https://sut.test")
LAB = Addresses("http://127.0.0.1:8000")


def test_every_id_stands_below_the_base_url() -> None:
    assert OURS.actor("x") == "https://sut.test/actors/x"
    assert OURS.application == "https://sut.test/actors/application"
    assert OURS.shared_inbox == "https://sut.test/inbox"
    assert OURS.persona_page("alice") == "https://sut.test/@alice"
    assert OURS.post("x") == "https://sut.test/posts/x"
    assert OURS.activity("x") == "https://sut.test/activities/x"
    actor = OURS.actor("x")
    assert addresses.inbox_of(actor) == f"{actor}/inbox"
    assert addresses.outbox_of(actor) == f"{actor}/outbox"
    assert addresses.followers_of(actor) == f"{actor}/followers"
    assert addresses.following_of(actor) == f"{actor}/following"
    assert addresses.rsa_key_of(actor) == f"{actor}#main-key"
    assert addresses.ed25519_key_of(actor) == f"{actor}#ed25519-key"


@pytest.mark.parametrize(
    "uri",
    [
        "https://sut.test",
        "https://sut.test/anything?x#y",
        "https://SUT.test/posts/1",
        "https://sut.test:443/posts/1",
        "https://sut.test./posts/1",
        "http://sut.test/posts/1",
        "HTTPS://sut.test/posts/1",
        "https://user@sut.test/posts/1",
    ],
)
def test_any_spelling_of_our_host_is_ours(uri: str) -> None:
    assert OURS.is_ours(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "https://peer.test/posts/1",
        "https://sut.test.peer.test/",
        "https://peer.test/https://sut.test/",
        "https://sut.test@peer.test/",
        "https://sut.test:8443/posts/1",
        "https://sut.testing/",
        "acct:alice@sut.test",
        "//sut.test/posts/1",
        "https://[::1/",
        "https://sut.test:port/",
        "",
    ],
)
def test_everything_else_is_not(uri: str) -> None:
    assert not OURS.is_ours(uri)


def test_another_port_of_the_same_machine_is_another_server() -> None:
    assert LAB.is_ours("http://127.0.0.1:8000/actors/x")
    assert not LAB.is_ours("http://127.0.0.1:8001/actors/x")
    assert not LAB.is_ours("http://127.0.0.1/actors/x")
