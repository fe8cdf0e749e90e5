"""Line 16, TLS is always verified; proxies are believed where the settings name them; IPv6 counts by /64.

Elsewhere: a door that does not verify is not built, `rooms/outbound/test_guard.py`; addresses and limits,
`rooms/limits`.
"""

import re
import ssl
from pathlib import Path

import pytest

import privapub
from fakes.activities import follow_of, rows
from fakes.certificates import Authority
from fakes.world import Person, World
from privapub import scope
from privapub.federation.fetching.actor import fetch_actor
from privapub.limits.sender import sender
from privapub.outbound.answers import FetchProblem
from privapub.settings import load


@pytest.mark.parametrize("wrong", ["of nobody", "of another host", "of yesterday", "of a part of the name", "none"])
async def test_a_host_without_its_certificate_is_nobody(
    world: World, authority: Authority, tmp_path: Path, wrong: str
) -> None:
    """Neither a document of it is taken nor a key, and nothing is delivered to it."""
    alice = await world.persona()
    strangers = Authority(tmp_path)
    contexts: dict[str, ssl.SSLContext | None] = {
        "of nobody": strangers.serve("bad.test"),
        "of another host": authority.serve("other-bad.test"),
        "of yesterday": authority.serve("bad.test", days=(-3, -1)),
        "of a part of the name": authority.serve("test"),
        "none": None,
    }
    site = await world.internet.site("bad.test", world.peer.answer, tls=contexts[wrong])
    eve = Person("https://bad.test/u/eve", "eve")
    world.serve(eve.uri.replace("bad.test", "peer.test"), eve.document())
    with scope.trigger("inbox"), pytest.raises(FetchProblem) as caught:
        await fetch_actor(world.server, eve.uri)
    assert caught.value.reason == "network"
    assert (await world.post(alice.inbox, follow_of(eve, alice), by=eve)).status in {401, 503}
    dave = world.person("https://other.test/u/dave", changes={"inbox": "https://bad.test/inbox"})
    await world.post(alice.inbox, follow_of(dave, alice, "https://other.test/f/1"), by=dave)
    await world.drain()
    assert site.received == []
    assert await rows(world) == 1  # dave's


def test_nothing_turns_verification_off() -> None:
    """No setting, and no line of the code."""
    source = Path(privapub.__file__).parent
    ways = re.compile(r"CERT_NONE|check_hostname\s*=\s*False|_create_unverified|ssl\s*=\s*False|verify\s*=\s*False")
    found = [str(path.relative_to(source)) for path in source.rglob("*.py") if ways.search(path.read_text())]
    assert found == []
    assert "ssl" not in " ".join(vars(load({}).settings)).lower().replace("tls", "ssl").split()


def test_what_a_stranger_says_of_its_own_address_is_not_believed() -> None:
    proxies = load({}).settings.proxies
    for said in ([], ["203.0.113.9"], ["127.0.0.1"], ["198.51.100.7, 127.0.0.1"]):
        assert sender("192.0.2.1", said, proxies) == "192.0.2.1"


def test_all_of_an_ipv6_network_is_one_sender() -> None:
    assert sender("2001:db8::1", [], ()) == sender("2001:db8::ffff:1", [], ())
    assert sender("2001:db8::1", [], ()) != sender("2001:db8:0:1::1", [], ())
