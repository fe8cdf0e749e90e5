"""No two peers of a run listen at the same port, whichever process they are in."""

import re
import socket
from concurrent.futures import ProcessPoolExecutor

import pytest

from fakes import ports
from fakes.internet import Site
from fakes.processes import FORKED
from rules.house import files, relative


def test_a_port_is_given_once() -> None:
    found = set()
    for _ in range(200):
        with ports.bound() as one:
            found.add(one.getsockname()[1])
        found.add(ports.free())
    assert len(found) == 400
    assert all(ports.given(port) for port in found)


def test_a_port_that_the_system_gives_again_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with ports.bound() as one:
        again = one.getsockname()[1]
    answers = iter([again, again])
    real = socket.socket.bind

    def bind(self: socket.socket, address: tuple[str, int]) -> None:
        try:
            real(self, (address[0], next(answers, 0)))
        except OSError:  # it is held by the one before
            real(self, address)

    monkeypatch.setattr(socket.socket, "bind", bind)
    with ports.bound() as other:
        assert other.getsockname()[1] != again


def test_processes_share_what_was_given() -> None:
    with ProcessPoolExecutor(1, mp_context=FORKED) as other:
        assert ports.given(other.submit(ports.free).result(60))


async def test_a_peer_that_was_stopped_comes_back_where_it_was() -> None:
    async with Site() as site:
        port = site.port
        await site.stop()
        await site.start(port)
        assert site.port == port


def test_peers_ask_for_a_port_at_one_place_only() -> None:
    asks = re.compile(r"""["'](127\.0\.0\.1|localhost|::1|0\.0\.0\.0)["'],\s*(port=)?0\b""")
    found = [relative(path) for path in files("tests") if path.suffix == ".py" and asks.search(path.read_text())]
    assert found == [], "fakes/ports.py gives ports that no other peer of the run has had"
    assert asks.search("bind(('127.0.0.1', " + "0))")
