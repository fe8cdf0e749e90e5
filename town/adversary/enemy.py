"""The enemy: whom it knows, what it can do with the victim, and the table of its attacks.

An attack is a coroutine that tries something and returns what it got over the wire, in words: nothing if all is well.
What came into the victim is for the town to see.
"""

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from people import CONTEXT, JSON, PUBLIC, Headers, Host, Person, create, note, of
from yarl import URL

Attack = Callable[["Enemy"], Awaitable[list[str] | None]]
Met = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ATTACKS: dict[str, Attack] = {}
SHORT = 3.0  # seconds that the victim may ask for before the enemy comes again
LONGEST = 25.0


def attack(name: str) -> Callable[[Attack], Attack]:
    """Put a coroutine into the table."""

    def into_table(act: Attack) -> Attack:
        ATTACKS[name] = act
        return act

    return into_table


class Enemy:
    """Both hosts, the people on them, the traps, and the way to the victim."""

    def __init__(self, victim: str, innocent: Host, evil: Host, session: aiohttp.ClientSession) -> None:
        """Carol and mallory live at the innocent host, eve at her own."""
        self.victim, self.innocent, self.evil, self.session = victim, innocent, evil, session
        self.carol = innocent.person(Person(f"{innocent.origin}/u/carol", "carol"))
        self.mallory = innocent.person(Person(f"{innocent.origin}/u/mallory", "mallory"))
        self.eve = evil.person(Person(f"{evil.origin}/u/eve", "eve"))
        self.traps: list[tuple[str, int]] = []
        self.trapped: set[str] = set()  # where somebody came to that may not be reached
        self.servers: list[asyncio.Server] = []
        self.read_bodies: list[str] = []
        self.alice: dict[str, str] = {}
        self.bob: dict[str, str] = {}
        self.posts: dict[str, str] = {}
        self.hers = f"{innocent.origin}/n/hers"  # what carol wrote for her followers

    async def listen(self, met: Met, tls: ssl.SSLContext | None = None) -> int:
        """Listen on one more port of the evil host, beside its pages; returns the port."""
        server = await asyncio.start_server(met, "127.0.0.1", 0, ssl=tls)
        self.servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def begin(self, told: dict[str, Any]) -> dict[str, Any]:
        """Hear of the victim's people and posts; carol does what she does, and all of it is well."""
        self.alice, self.bob, self.posts = told["alice"], told["bob"], told["posts"]
        asked = [it for it in (*self.innocent.posted, *self.evil.posted) if it.get("actor") == self.alice["id"]]
        for who in (self.carol, self.mallory, self.eve):  # of whom nobody follows, little is asked for
            await self.say(of("Accept", who, next(it for it in asked if it["object"] == who.uri)), by=who)
        followed = of("Follow", self.carol, self.alice["id"], f"{self.carol.uri}/follow/1")
        hers = note(
            self.carol, self.hers, to=[f"{self.carol.uri}/followers", self.alice["id"]], updated="2026-03-02T00:00:00Z"
        )
        self.innocent.serve(self.hers, {"@context": CONTEXT, **hers})
        statuses = [
            await self.say(activity, by=self.carol)
            for activity in (
                followed, create(self.carol, hers, f"{self.carol.uri}/create/1"),
                of("Like", self.carol, self.posts["public"], f"{self.carol.uri}/like/1"),
                of("Announce", self.carol, self.posts["public"], f"{self.carol.uri}/boost/1", to=[PUBLIC]),
            )
        ]  # fmt: skip
        # The others are known too: a sender whom nobody knows is refused for other reasons.
        statuses += [
            await self.say(of("Like", who, self.posts["public"], f"{who.uri}/like/1"), by=who)
            for who in (self.mallory, self.eve)
        ]
        return {"statuses": statuses}

    async def say(self, activity: dict[str, Any] | bytes, *, by: Person, to: str = "", **how: Any) -> int:
        """POST to an inbox, signed; the status. What is only asked to wait for a moment is sent again."""
        to = to or self.alice["inbox"]
        body = activity if isinstance(activity, bytes) else json.dumps(activity).encode()
        return await self.send(to, body, lambda: by.signed("POST", to, body, **how))

    async def send(self, to: str, body: bytes, headers: Callable[[], Headers]) -> int:
        """POST these bytes with these headers; the status, 0 where the connection is cut."""
        loop, cut = asyncio.get_running_loop(), 0
        ends = loop.time() + LONGEST
        while cut < 2:  # a connection that was kept open may be closed just then
            try:
                async with self._asking("POST", to, headers(), body) as response:
                    self.read_bodies.append((await response.read()).decode(errors="replace"))
            except aiohttp.ClientError:
                cut += 1
                continue
            wait = float(response.headers.get("Retry-After", "1000"))
            if response.status not in {429, 503} or wait > SHORT or loop.time() + wait > ends:
                return response.status
            await asyncio.sleep(wait)
        return 0

    async def get(
        self, url: str, *, by: Person | None = None, accept: str = JSON, more: Headers = ()
    ) -> tuple[int, str, dict[str, str]]:
        """GET something of the victim: status, body, and the headers without the time."""
        headers: Headers = (("Accept", accept), *more)
        if by is not None:
            headers = tuple(pair for pair in by.signed("GET", url) if pair[0] != "Host")
        async with self._asking("GET", url, headers, None) as response:
            body = (await response.read()).decode(errors="replace")
            self.read_bodies.append(body)
            found = {name.lower(): value for name, value in response.headers.items() if name.lower() != "date"}
            return response.status, body, found

    def _asking(self, method: str, url: str, headers: Headers, body: bytes | None) -> Any:
        return self.session.request(
            method, URL(url, encoded=True), data=body, headers=list(headers), allow_redirects=False,
            skip_auto_headers=["User-Agent", "Accept", "Accept-Encoding", "Content-Type"],
            timeout=aiohttp.ClientTimeout(total=40),
        )  # fmt: skip


def expected(name: str, status: int, *allowed: int) -> str:
    """What is got by a status that is not among those that are well."""
    return "" if status in allowed else f"{name}: answered {status}"
