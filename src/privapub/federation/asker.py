"""Who signed a request or a document: one opinion for the inbox and for signed GETs.

`Signed`: this actor did. `Refused`: nobody whom we believe did, and asking again changes nothing (401). `Undecided`:
the key's host did not answer, so that we cannot tell now (503, and the sender tries again).

What can be told without a key is told first, so that garbage costs no fetch. A key is taken from the database, else
fetched; one that fails is fetched once more, since keys are changed, at most once per key in five minutes. What could
not be had, or did not help, is remembered for that long, so that a flood of bad signatures is no flood of fetches; and
fetches have limits by host and by who asks (`limits`), so that a flood of invented actors is none either.

Of who only reads, nothing is written down: what is learnt of them stays in the memory of the process for a while.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from starlette.requests import Request

from privapub import clock, scope
from privapub.actors import read
from privapub.actors.read import Actor
from privapub.budget import SPENT
from privapub.errors import PrivaPubError
from privapub.federation.documents.problems import BadDocument
from privapub.federation.fetching.document import final
from privapub.federation.fetching.key import fetch_key, public_key
from privapub.federation.signatures import presented as signatures
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import BadKey, PublicKey
from privapub.federation.signatures.presented import Presented
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.federation.signatures.signed_inside import Claim
from privapub.limits import visit as visits
from privapub.limits.limits import Caller, Turn
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import Door
from privapub.outbound.target import host_of
from privapub.server import Server

PATIENCE = 2.0  # seconds that a fetch waits for its turn
COOL_DOWN = 300.0  # seconds between two fetches of one key
MOST_REMEMBERED = 10_000
READER_KEPT = 3600.0  # seconds for which the key of somebody who reads is known without being asked for again
MOST_READERS = 1_000
_NO_KEY = "The key that signed this request cannot be had."
# The host of the key says that its owner is no more.
GONE = frozenset(f"key-{word}" for word in ("410", "gone"))


@dataclass(frozen=True)
class Signed:
    """This actor signed it, with this key, in this scheme (which its host then reads too)."""

    actor: Actor
    key_id: str
    scheme: Scheme = "cavage"


@dataclass(frozen=True)
class Refused:
    """Nobody whom we believe signed it. The reason is a short word, the sentence is for the sender."""

    reason: str
    sentence: str


@dataclass(frozen=True)
class Undecided:
    """It cannot be told now."""

    reason: str
    sentence: str


Opinion = Signed | Refused | Undecided


@dataclass(frozen=True)
class Vouched:
    """This actor signed a document, and this is what they said: read it, and not the document that came."""

    actor: Actor
    said: dict[str, Any]


@dataclass(frozen=True)
class _Question:
    """Whether the key with this id made a signature: `fits` raises BadSignature where a key did not."""

    key_id: str
    fits: Callable[[PublicKey], Awaitable[None]]


class _Memory:
    """What one process knows of keys that it fetched lately: bounded, and gone with the process."""

    def __init__(self) -> None:
        self.asked: OrderedDict[str, tuple[float, Refused | Undecided | None]] = OrderedDict()
        self.readers: OrderedDict[str, tuple[float, Actor, PublicKey]] = OrderedDict()
        self.locks: dict[str, tuple[asyncio.Lock, int]] = {}

    def reader(self, key_id: str, now: float) -> tuple[Actor, PublicKey] | None:
        """Whose key this is of those who read a short while ago."""
        entry = self.readers.get(key_id)
        return entry[1:] if entry is not None and entry[0] > now - READER_KEPT else None

    def met(self, key_id: str, now: float, actor: Actor, key: PublicKey) -> None:
        self.readers.pop(key_id, None)
        self.readers[key_id] = (now, actor, key)
        while len(self.readers) > MOST_READERS:
            self.readers.popitem(last=False)

    def lately(self, key_id: str, now: float) -> tuple[float, Refused | Undecided | None] | None:
        """When this key was fetched and what came of it, if that was a short while ago."""
        entry = self.asked.get(key_id)
        return entry if entry is not None and entry[0] > now - COOL_DOWN else None

    def note(self, key_id: str, now: float, result: Refused | Undecided | None) -> None:
        self.asked.pop(key_id, None)
        self.asked[key_id] = (now, result)
        while len(self.asked) > MOST_REMEMBERED:
            self.asked.popitem(last=False)

    @asynccontextmanager
    async def alone(self, key_id: str) -> AsyncIterator[bool]:
        """One at a time for each key, so that many requests at once fetch it once; whether another was there before."""
        lock, users = self.locks.get(key_id) or (asyncio.Lock(), 0)
        self.locks[key_id] = (lock, users + 1)
        try:
            others = lock.locked()
            async with lock:
                yield others
        finally:
            lock, users = self.locks[key_id]
            if users == 1:
                del self.locks[key_id]
            else:
                self.locks[key_id] = (lock, users - 1)


# One memory for each door, that is for each process; a server is built once and cannot be changed.
_memories: WeakKeyDictionary[Door, _Memory] = WeakKeyDictionary()


def as_sent(server: Server, request: Request, body: bytes = b"") -> HttpRequest:
    """The request as its sender wrote it: a proxy between us changes neither path nor query."""
    raw_path: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    query: bytes = request.scope.get("query_string", b"")
    target = raw_path.partition(b"?")[0].decode("latin-1") + (f"?{query.decode('latin-1')}" if query else "")
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
    return HttpRequest(request.method, server.base_url + target, headers, body)


def examine(server: Server, request: HttpRequest, now: float) -> Presented:
    """What the request presents, all that needs no key being well: its form, its time, its digest, its host.

    Raises BadSignature.
    """
    settings = server.settings
    return signatures.examine(request, now, settings.signature_past, settings.signature_ahead)


async def who_signed(server: Server, request: HttpRequest, now: float) -> Opinion:
    """The actor whose key signed this request, as the outside sent it; `examine` and `whose`."""
    try:
        claim = examine(server, request, now)
    except BadSignature as bad:
        return Refused(bad.reason, str(bad))
    return await whose(server, claim, request, now)


async def whose(server: Server, claim: Presented, request: HttpRequest, now: float) -> Opinion:
    """The actor whose key signed a request that was examined.

    What caused the request is the caller's to say (`scope.trigger`): the fetch of a reader's key is only counted.
    """

    async def fits(key: PublicKey) -> None:
        signatures.check(claim, request, key)

    found = await _opinion(server, _Question(claim.key_id, fits), now)
    if isinstance(found, Refused | Undecided):
        return found
    visits.current().verified = host_of(claim.key_id)
    return Signed(found[0], found[1].id, claim.scheme)


async def vouched(server: Server, claim: Claim, now: float) -> Vouched | Refused | Undecided:
    """Who signed a document, as it claims of itself, and what they said; whoever brought it.

    The trigger is the caller's to say, as for `whose`.
    """
    said: dict[str, Any] = {}

    async def fits(key: PublicKey) -> None:
        nonlocal said
        said = await asyncio.to_thread(claim.believed, key, now)  # an RsaSignature2017 takes its time

    found = await _opinion(server, _Question(claim.key_id, fits), now)
    return found if isinstance(found, Refused | Undecided) else Vouched(found[0], said)


_Owned = tuple[Actor, PublicKey]


async def _opinion(server: Server, question: _Question, now: float) -> _Owned | Refused | Undecided:
    memory = _memories.setdefault(server.door, _Memory())
    found = await _held(server, memory, question, now)
    if isinstance(found, tuple):
        return found
    async with memory.alone(question.key_id) as others:
        if others:  # one of which may have fetched the key
            found = await _held(server, memory, question, now)
            if isinstance(found, tuple):
                return found
        return await _ask(server, memory, question, found, now)


def _is_read() -> bool:
    return scope.current().trigger == scope.READER


async def _held(server: Server, memory: _Memory, question: _Question, now: float) -> _Owned | Refused | None:
    """What the keys say that are known already; None where there is none."""
    known = await _known(server, question.key_id)
    refusal = None if known is None else await _misfit(question, known[1])
    if known is not None and refusal is None:
        return known
    met = memory.reader(question.key_id, now) if _is_read() else None
    if met is not None and await _misfit(question, met[1]) is None:
        return met
    return refusal


async def _ask(
    server: Server, memory: _Memory, question: _Question, refusal: Refused | None, now: float
) -> _Owned | Refused | Undecided:
    # What came of a reader's key says nothing to an inbox, where it would have been kept.
    asked = f"read {question.key_id}" if _is_read() else question.key_id
    lately = memory.lately(asked, now)
    if lately is not None:
        return lately[1] or refusal or Refused("no-key", _NO_KEY)
    visit = visits.current()
    caller = Caller(host_of(question.key_id), visit.sender)
    if not server.limits.key_fetches.take(caller.sender or caller.host):
        return Undecided("overload", "Too many keys are being fetched: come again.")
    try:
        turn = await _turn(server, caller)
        if turn.wait:
            visit.wait = turn.wait
            return Undecided("too-many-keys", "Too many keys had to be fetched for that host: come again.")
        # The memory here is the one that counts: what the door remembers does not tell why.
        actor, key = await fetch_key(server, question.key_id, fresh=True, kept=not _is_read())
    except PrivaPubError as problem:
        result = _unhad(problem)
        if refusal is not None and isinstance(result, Refused) and result.reason not in GONE:
            result = refusal
        if result.reason != f"key-{SPENT}":  # that says nothing of this key: many others may have come before it
            memory.note(asked, now, result)
        return result
    finally:
        server.limits.key_fetches.free(caller.sender or caller.host)
    memory.note(asked, now, None)
    if _is_read():
        memory.met(question.key_id, now, actor, key)
    refusal = await _misfit(question, key)
    if refusal is None:
        turn.give_back(clock.now())
    return refusal or (actor, key)


async def _turn(server: Server, caller: Caller) -> Turn:
    """The turn of a fetch; where it would come within a moment it is waited for, since some ask at one time."""
    end = clock.monotonic() + PATIENCE
    while True:
        turn = server.limits.fetch_key(caller, clock.now())
        if not turn.wait or clock.monotonic() + turn.wait > end:
            return turn
        await clock.sleep(turn.wait)


def _unhad(problem: PrivaPubError) -> Refused | Undecided:
    """Why there is no key: for good, or for now (pure)."""
    if isinstance(problem, BadDocument) and problem.reason == "gone":
        return Refused(f"key-{problem.reason}", _NO_KEY)
    if not isinstance(problem, FetchProblem):
        return Refused("no-key", _NO_KEY)
    return (Refused if final(problem) and problem.reason != SPENT else Undecided)(f"key-{problem.reason}", _NO_KEY)


async def _known(server: Server, key_id: str) -> tuple[Actor, PublicKey] | None:
    """The key as the database has it; where the id is an actor's own, that actor's first key."""
    async with server.database.look() as tx:  # nearly always the first of these statements is the only one
        found = await read.by_key(tx, key_id)
        if found is None:
            actor = await read.by_uri(tx, key_id)
            keys = () if actor is None else await read.keys_of(tx, actor.id)
            found = (actor, keys[0]) if actor is not None and keys else None
    if found is None or found[0].local:
        return None
    actor, key = found
    try:
        return actor, public_key(actor.uri, key.id, key.public)
    except BadKey:
        return None


async def _misfit(question: _Question, key: PublicKey) -> Refused | None:
    try:
        await question.fits(key)
    except BadSignature as bad:
        return Refused(bad.reason, str(bad))
    return None
