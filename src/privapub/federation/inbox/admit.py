"""Before the door of the inbox: whether a request is looked at at all, and how much of it is held in memory.

What is refused here costs little: neither body nor database is read. It is counted like every other refusal.
"""

import math
import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive

from privapub import clock
from privapub.federation.inbox.store import more_wait_than
from privapub.limits import visit as visits
from privapub.limits.limits import Caller, Limits, Turn
from privapub.limits.visit import Visit
from privapub.outbound.target import host_of
from privapub.server import Server
from privapub.telemetry.arrivals import UNVERIFIED

Served = Callable[[Server, Request], Awaitable[Response]]

_KEY = re.compile(r'\bkeyid\s*=\s*"([^"]{1,2048})"', re.IGNORECASE)
_LONGEST = 16_384  # characters of a header in which a key is looked for
FREE = 16 * 1024  # bytes of each body that are not counted: more than nearly all have
# What is made of a byte of a body takes as many: the text, its values, what is checked and written.
WEIGHT = 12
BUSY_FOR = 5.0  # seconds after which there may be room again


class _Overloaded(Exception):
    """There is no room for more of this body."""


def admitted(served: Served) -> Served:
    """The same answer for a request that may come in: 429 for whoever asks too often, 503 where there is no room."""

    async def answering(server: Server, request: Request) -> Response:
        limits, visit, now = server.limits, visits.current(), clock.now()
        caller = Caller(claimed_host(request), visit.sender)
        turn = limits.knock(caller, now)
        if turn.wait:
            return _turned_away(server, 429, "too-often", "Too much came from there: come again later.", turn.wait)
        if not limits.under_way.take(visit.sender):
            return _no_room(server)
        body = _Held(limits, visit.sender, request.receive)
        try:
            response = await served(server, Request(request.scope, body.receive))
        except _Overloaded:
            return _no_room(server)
        finally:
            body.let_go()
            limits.under_way.free(visit.sender)
        if visit.verified:
            await _proved(server, caller, visit, turn)
        elif response.status_code == 503 and visit.wait:
            response.headers["Retry-After"] = _seconds(visit.wait)
        return response

    return answering


def claimed_host(request: Request) -> str:
    """The host of the key that the signature names; "" where it names none. Nothing more of it is read."""
    for name in ("signature-input", "signature"):
        found = _KEY.search(request.headers.get(name, "")[:_LONGEST])
        if found:
            return host_of(found[1])
    return ""


class _Held:
    """The body of a request as it comes in, with room taken for what of it is held."""

    def __init__(self, limits: Limits, sender: str | None, receive: Receive) -> None:
        self._limits, self._sender, self._receive = limits, sender, receive
        self._bytes = self._taken = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        more = max(0, self._bytes - FREE) * WEIGHT - self._taken
        if more:
            if not self._limits.bodies.take(self._sender, more):
                raise _Overloaded
            self._taken += more
        return message

    def let_go(self) -> None:
        self._limits.bodies.free(self._sender, self._taken)
        self._taken = 0


async def _proved(server: Server, caller: Caller, visit: Visit, turn: Turn) -> None:
    """Whoever signed with a key of that host speaks for it, at this address."""
    now = clock.now()
    proven = Caller(visit.verified, visit.sender)
    if proven == caller:
        turn.give_back(now)
    if not server.limits.proved(proven, now):
        return
    async with server.database.read() as tx:
        too_many = await more_wait_than(tx, proven.host, server.settings.inbox_waiting_per_host)
    if too_many:
        server.limits.too_many_wait(proven.host, now)


def _no_room(server: Server) -> Response:
    return _turned_away(server, 503, "overload", "Too much is under way here: come again later.", BUSY_FOR)


def _turned_away(server: Server, status: int, reason: str, sentence: str, wait: float) -> Response:
    server.arrivals.note(UNVERIFIED, "refused", reason, clock.now())
    headers = {"Cache-Control": "no-store", "Retry-After": _seconds(wait)}
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)


def _seconds(wait: float) -> str:
    return str(math.ceil(wait))
