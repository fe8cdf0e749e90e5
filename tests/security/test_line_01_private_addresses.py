"""Line 1, SSRF: one fetcher, global unicast only, the address that was checked is the one connected to, at every hop.

Here a trap listens where nothing may connect to, and every way by which a stranger makes us ask for something leads
there. Elsewhere: all forms of addresses (CVE-2026-50131, CVE-2026-46348), `rooms/outbound/test_address.py`; notations,
names that change, several addresses, ports, `rooms/outbound/test_guard.py`; hops and their signatures,
`rooms/outbound/test_redirects.py`; that nothing else makes requests, `rules/test_floors.py`.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path

import pytest

import privapub
from fakes.activities import create, follow_of, note, of
from fakes.internet import LOOPBACK
from fakes.world import PUBLIC, Person, World
from privapub import clock, scope
from privapub.errors import PrivaPubError
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.webfinger import resolve
from privapub.posts import threads

PEERS = (ip_network("127.0.0.1/32"),)  # in production none: here the peers of the test, and nobody else
TRAPPED = "127.0.0.2"


class Trap:
    """Listens on a private address, and counts who comes."""

    def __init__(self) -> None:
        self.came = 0
        self.port = 0

    async def _met(self, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.came += 1
        writer.close()


@asynccontextmanager
async def trap() -> AsyncIterator[Trap]:
    found = Trap()
    server = await asyncio.start_server(found._met, TRAPPED, 0)
    async with server:
        found.port = server.sockets[0].getsockname()[1]
        yield found


@pytest.fixture
async def laid(world: World) -> AsyncIterator[tuple[World, Trap, list[str]]]:
    """A world in which only 127.0.0.1 is let through, a trap, and addresses that lead to it."""
    world.server.door._allow = PEERS
    async with trap() as found:
        names = world.internet.names
        names.say("trap.test", [TRAPPED])
        names.say("mixed.test", [TRAPPED, "10.0.0.1", "::1"])
        names.say("rebinding.test", ["10.0.0.1"], [TRAPPED])
        hosts = ("trap.test", "mixed.test", "rebinding.test", TRAPPED, "0x7f000002", "2130706434", "[::ffff:127.0.0.2]")
        bases = [f"https://{host}:{found.port}" for host in hosts] + [f"http://{TRAPPED}:{found.port}"]
        for number, base in enumerate(bases):
            world.serve(f"https://peer.test/go/{number}", status=302, headers={"Location": f"{base}/secret"})
        yield world, found, [*bases, *(f"https://peer.test/go/{number}" for number in range(len(bases)))]


async def test_the_trap_would_be_reached(world: World) -> None:
    """So that its silence says something: let through, the same address is connected to."""
    assert world.server.door._allow == LOOPBACK
    async with trap() as found:
        with scope.trigger("inbox"), pytest.raises(PrivaPubError):
            await fetch_actor(world.server, f"http://{TRAPPED}:{found.port}/u/x")
        assert found.came > 0


async def test_whatever_a_stranger_names_no_private_address_is_reached(
    laid: tuple[World, Trap, list[str]],
) -> None:
    world, found, addresses = laid
    alice = await world.persona()
    for number, base in enumerate(addresses):
        eve = world.person(
            f"https://other.test/u/eve{number}",
            changes={
                "inbox": f"{base}/inbox", "endpoints": {"sharedInbox": f"{base}/shared"}, "outbox": f"{base}/outbox",
                "icon": {"type": "Image", "url": f"{base}/icon"}, "webfinger": f"eve@{base.partition('//')[2]}",
                "alsoKnownAs": [f"{base}/old"],
            },
        )  # fmt: skip
        # The key: of the request, of a document of its own, of an actor behind it.
        for key_id in (f"{base}/key", f"{base}/u/eve#main-key"):
            forger = Person(f"{base}/u/eve", "eve", key_name=eve.uri)
            said = await world.post(alice.inbox, follow_of(forger, alice), by=forger, key_id=key_id)
            assert said.status in {401, 503}
        # What is answered goes to the inbox that she names.
        assert (await world.post(alice.inbox, follow_of(eve, alice, f"{eve.uri}/f"), by=eve)).status == 202
        # What is named is asked for.
        post = note(eve, f"{eve.uri}/n", to=[PUBLIC, alice.uri], quote=f"{base}/quoted", inReplyTo=f"{base}/above")
        post |= {"quoteAuthorization": f"{base}/stamp", "replies": f"{base}/replies", "context": f"{base}/context"}
        for activity in (
            create(eve, post, f"{eve.uri}/a"),
            of("Announce", eve, f"{base}/n", f"{eve.uri}/b"),
            of("Update", eve, eve.document(), f"{eve.uri}/u"),
            {**of("Move", eve, eve.uri, f"{eve.uri}/m"), "target": f"{base}/new"},
            {**of("Add", eve, f"{base}/n", f"{eve.uri}/add"), "target": f"{base}/featured"},
        ):
            assert (await world.post(alice.inbox, activity, by=eve)).status in {202, 400}
        await world.drain()
        # What one of ours looks for.
        with scope.trigger("request"):
            for sought in (f"{base}/u/x", f"@x@{base.partition('//')[2].partition('/')[0]}"):
                with pytest.raises(PrivaPubError):
                    await resolve(world.server, sought)
        async with world.database.write() as tx:
            await threads.ask(tx, f"{base}/thread", clock.now())
        await world.drain()
    assert found.came == 0


def test_nothing_but_the_door_makes_connections() -> None:
    """One fetcher: no other room can open a socket or knows an HTTP client."""
    source = Path(privapub.__file__).parent
    ways = re.compile(
        r"^\s*(?:import|from) (?:aiohttp|httpx|requests|urllib3|http\.client|urllib\.request|ftplib|smtplib|socket)\b"
        r"|asyncio\.open_connection|create_connection\(",
        re.MULTILINE,
    )
    found = {str(path.relative_to(source)) for path in source.rglob("*.py") if ways.search(path.read_text())}
    elsewhere = {name for name in found if not name.startswith(("outbound/", "cli/"))}
    assert found & {"outbound/client.py"}
    assert elsewhere <= {"app.py", "server.py", "database/prepared.py"}, elsewhere
