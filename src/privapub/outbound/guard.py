"""The sockets of the door: made only for an address that may be connected to.

The socket factory of a connector is called with the literal address that is connected to next, whatever the URL said,
so that names that change their address, odd notations and redirects all come by here.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, field

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.http_exceptions import LineTooLong

from privapub import clock, scope
from privapub.budget import Budget
from privapub.outbound import address

AddrInfo = tuple[int, int, int, str, tuple[object, ...]]

LOOKUPS = 32  # at once: a name server that does not answer holds a thread for many seconds


class PrivateAddress(OSError):
    """The address that was about to be connected to is not one that may be."""


@dataclass
class Course:
    """How one request has gone so far."""

    tags: scope.HttpScope
    host: str
    hosts: set[str] = field(init=False)  # it, and those to which redirects led
    begun: float = field(default_factory=clock.monotonic)
    hops: int = 0
    bytes: int = 0
    status: int | None = None
    guarded: bool = False  # an address was refused, and none has answered since
    bound: asyncio.Timeout | None = None  # what ends it
    reused: bool = False  # the last exchange used a connection that was open before: no socket was made for it
    budget: Budget = field(default_factory=scope.budget)

    def __post_init__(self) -> None:
        """The first host is one of them."""
        self.hosts = {self.host}


course: ContextVar[Course] = ContextVar("outbound_course")


def may_connect(literal: str, port: int, allow: Sequence[address.Network], *, plain: bool) -> bool:
    """Whether a connection to this address may be made, by plain http or by https."""
    if address.is_in(literal, allow):
        return True
    return not plain and address.is_public(literal) and address.allowed_port(port)


def sockets(allow: Sequence[address.Network], *, plain: bool) -> Callable[[AddrInfo], socket.socket]:
    """A socket factory for connections by plain http or by https; PrivateAddress where it makes none."""

    def make(info: AddrInfo) -> socket.socket:
        family, kind, protocol, _, place = info
        course.get().reused = False
        if not may_connect(str(place[0]), int(str(place[1])), allow, plain=plain):
            course.get().guarded = True
            raise PrivateAddress("private-address")
        return socket.socket(family, kind, protocol)

    return make


def reason(error: BaseException, so_far: Course) -> str:
    """The reason, as telemetry calls it, for which a request ended in this error."""
    if so_far.guarded or isinstance(error, aiohttp.InvalidURL):
        return "private-address"
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error.__cause__, LineTooLong):
        return "too-large"
    return "network"


class Resolver(AbstractResolver):
    """The system's resolver, in threads of its own, so that slow names hold up nothing but other names."""

    def __init__(self) -> None:
        """No thread is started before the first look-up."""
        self._threads = ThreadPoolExecutor(LOOKUPS, thread_name_prefix="lookup")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Every address of a host."""

        def look_up() -> list[ResolveResult]:
            found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
            return [
                ResolveResult(hostname=host, host=str(place[0]), port=port, family=kind, proto=protocol, flags=0)
                for kind, _, protocol, _, place in found
            ]

        return await asyncio.get_running_loop().run_in_executor(self._threads, look_up)

    async def close(self) -> None:
        """Start no more look-ups."""
        self._threads.shutdown(wait=False, cancel_futures=True)
