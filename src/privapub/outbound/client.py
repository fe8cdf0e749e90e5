"""The one HTTP client of the house."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import aiohttp
import msgspec
import structlog
from aiohttp.abc import AbstractResolver

from privapub import clock, scope
from privapub.budget import SPENT
from privapub.database.transaction import is_open_here
from privapub.errors import InvalidInput
from privapub.outbound import address, guard, remembered, target
from privapub.outbound import body as bodies
from privapub.outbound.answers import PAGE_TYPES, Answer, FetchProblem, bare_type, is_one_of
from privapub.outbound.body import Body, Broken, Packing, TooLarge
from privapub.outbound.gate import Gate
from privapub.outbound.guard import Course
from privapub.outbound.remembered import Key, Remembered
from privapub.outbound.target import Target
from privapub.outbound.validators import NONE, Validators
from privapub.telemetry.fetches import FetchRecorder

log = structlog.get_logger(__name__)

Headers = tuple[tuple[str, str], ...]
# Method, URL, the headers that go out so far, the body: gives the headers to add (one of the same name is replaced).
Sign = Callable[[str, str, Headers, bytes], Awaitable[Headers]]
# Told the URL to which a redirect leads; FetchProblem where it is not to be asked.
Hop = Callable[[str], None]


class Sink(Protocol):
    """Where a download goes, piece by piece."""

    async def begin(self, content_type: str, length: int | None) -> None:
        """It comes: of this type (lower-case, bare), and so many bytes, if they are told."""

    async def take(self, piece: bytes) -> None:
        """The next of it; InvalidInput where it is not what was wanted."""


TIMEOUT = 10.0
HOPS = 3
# A download may take a second more for each of these bytes that came: to those that it tells of, no time is given.
BYTES_A_SECOND = 100 * 1024
LIMIT = 1 << 20
PAGE_LIMIT = 1 << 18  # of a page for people no more is read than this, however long it is
POST_LIMIT = 1 << 16
POST_BODY_TIMEOUT = 3.0
CONNECTIONS = 256
PER_HOST = 8
LISTS = "collection"  # the purpose of what is counted apart in a budget
NOT_MODIFIED, PARTIAL = 304, 206
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class _Request:
    """What is sent at each hop, before it is signed for that hop."""

    method: str
    headers: Headers
    body: bytes
    sign: Sign | None


@dataclass(frozen=True)
class _Wanted:
    """Which answers are taken, and who is told of the way to them."""

    content_types: AbstractSet[str]
    limit: int
    same_host: bool
    hop: Hop | None
    pages: bool
    held: Validators
    sink: Sink | None = None


class Door:
    """Makes every request that leaves the house, by the rules of this room; one for the process."""

    def __init__(
        self,
        *,
        recorder: FetchRecorder,
        gate: Gate,
        user_agent: str,
        allow: Sequence[address.Network] = (),
        timeout: float = TIMEOUT,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Prepare; nothing is opened before the first request.

        `allow` are the networks let through the guard, also by plain http and at any port. `timeout` is the total of
        a request with all its hops, in seconds. `resolver` and `tls` are for tests; a `tls` that does not verify is
        refused.
        """
        self._recorder = recorder
        self.gate = gate
        self._allow = tuple(allow)
        self._user_agent = user_agent
        self._timeout = timeout
        self._resolver = resolver or guard.Resolver()
        self._owned = self._resolver if resolver is None else None
        if tls is not None and (tls.verify_mode is not ssl.CERT_REQUIRED or not tls.check_hostname):
            raise ValueError("TLS must be verified")
        self._tls = tls
        self._remembered = Remembered()
        self._sessions: dict[str, aiohttp.ClientSession] = {}

    async def get(
        self,
        url: str,
        *,
        accept: str,
        content_types: AbstractSet[str],
        limit: int = LIMIT,
        sign: Sign | None = None,
        same_host: bool = False,
        read: Callable[[bytes], object] | None = None,
        page: Callable[[bytes], object] | None = None,
        fresh: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109  # it is the total of all hops, and recorded
        hop: Hop | None = None,
        held: Validators = NONE,
    ) -> Answer:
        """Fetch a document, through at most three redirects; FetchProblem for anything but a 2xx.

        `content_types` are those that are taken (`answers.is_one_of`; empty: any); `limit` is in bytes after
        unpacking. With `same_host` a redirect to another host is `bad-redirect`. `read` turns the body into
        `Answer.content`; what it cannot read (ValueError, msgspec's errors, InvalidInput) is `bad-json`. With `page` a
        page of HTML is taken too, of which no more than the first 256 KiB are read, by it instead of `read`. `fresh`
        asks even where a failure is remembered. `hop` is told where a redirect leads before that is asked. With the
        validators `held` of a document that this very URL gave, an answer of 304 says that it is the same still, and
        has no content.
        """
        course, asked = self._begin(url)
        request = _Request("GET", (("Accept", accept), ("Accept-Encoding", bodies.ACCEPTED)), b"", sign)
        wanted = _Wanted(content_types, limit, same_host, hop, page is not None, held)
        key = remembered.key(asked.url if asked else url, accept, signed=sign is not None)

        async def fetch() -> Answer:
            if asked is not None:
                _charge(course, course.host)
            first = await self._admit(asked, course)
            if not fresh and self._remembered.holds(key, clock.now()):
                raise FetchProblem(first.host, "remembered")
            answer = await self._follow(first, course, request, wanted)
            reader = page if answer.content_type in PAGE_TYPES and page is not None else read
            if reader is None or answer.status == NOT_MODIFIED:
                return answer
            return _understood(answer, reader, course.host)

        total = min(self._timeout if timeout is None else timeout, course.budget.left)
        return await self._told(fetch(), course, total, key)

    async def download(
        self, url: str, sink: Sink, *, accept: str, content_types: AbstractSet[str], limit: int
    ) -> Answer:
        """As `get`, of a file, which goes to `sink` piece by piece: the answer has no body.

        It may take a second longer for each 100 KiB that came, whatever its head tells of. A host whose media are not
        taken is not asked. What `sink` does not take (InvalidInput) is `content-type`. Where this fails, what the sink
        got is to be forgotten; the failure is not remembered here.
        """
        course, asked = self._begin(url)
        request = _Request("GET", (("Accept", accept), ("Accept-Encoding", "identity")), b"", None)
        wanted = _Wanted(content_types, limit, False, None, False, NONE, sink)

        async def fetch() -> Answer:
            if asked is not None:
                _charge(course, course.host)
            return await self._follow(await self._admit(asked, course, media=True), course, request, wanted)

        return await self._told(fetch(), course, min(self._timeout, course.budget.left), None)

    async def post(self, url: str, body: bytes, *, content_type: str, sign: Sign | None) -> Answer:
        """Send a body; the answer, whatever its status, with at most 64 KiB of its body.

        No redirect is followed. FetchProblem where nothing answered or nobody was asked. Failures are not remembered,
        and no budget is charged: nothing is sent but by a job for each, and nothing follows from what is answered.
        """
        course, asked = self._begin(url)
        request = _Request("POST", (("Accept-Encoding", "identity"), ("Content-Type", content_type)), body, sign)

        async def send() -> Answer:
            where = await self._admit(asked, course)
            try:
                return await self._post_once(where, course, request)
            except aiohttp.ClientConnectorError:  # there was no connection yet
                raise
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # The other end had closed a kept connection just then: that says nothing of it.
                if not course.reused:
                    raise
                return await self._post_once(where, course, request)

        return await self._told(send(), course, self._timeout, None)

    async def refuses(self, url: str) -> bool:
        """Whether the gate keeps this URL's host out: then nothing is asked of it and nothing is taken from it."""
        try:
            host = target.read(url).host
        except ValueError:
            return True
        return await self.gate.refuses(host) is not None

    def forget(self, host: str) -> None:
        """Drop the remembered failures of a host (with or without its port): it has spoken to us, verified."""
        with suppress(ValueError):
            self._remembered.forget(target.read(f"https://{host}/").host)

    async def close(self) -> None:
        """Close every connection."""
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()
        if self._owned is not None:
            await self._owned.close()

    def _begin(self, url: str) -> tuple[Course, Target | None]:
        """What is to be told of a request, and its target if the URL is one that may be asked."""
        tags = scope.current()
        if not tags.purpose:
            raise ValueError("a request needs a purpose (scope.purpose)")
        if is_open_here():
            raise RuntimeError("no request may be made while a transaction is open")
        try:
            asked = target.read(url)
        except ValueError:
            return Course(tags, ""), None
        return Course(tags, asked.host), asked

    async def _admit(self, asked: Target | None, course: Course, *, media: bool = False) -> Target:
        """The target of the first hop, judged by its form and by the gate."""
        if asked is None:
            raise FetchProblem(course.host, "private-address")
        await self._judge(asked, course, media=media)
        return asked

    async def _judge(self, where: Target, course: Course, *, media: bool) -> None:
        if await self.gate.refuses(where.host) is not None or (media and not await self.gate.takes_media(where.host)):
            raise FetchProblem(course.host, "disallowed")
        port = where.wire.port or 0
        if not self._allow and (where.scheme != "https" or not address.allowed_port(port)):
            raise FetchProblem(course.host, "private-address")

    async def _follow(self, where: Target, course: Course, request: _Request, wanted: _Wanted) -> Answer:
        first = replace(request, headers=(*request.headers, *wanted.held.headers))
        while True:
            # What is held is of the first URL: to any other its validators say nothing.
            async with await self._exchange(where, course, request if course.hops else first) as response:
                course.status = response.status
                if response.status == NOT_MODIFIED and not course.hops and wanted.held.headers:
                    return Answer(NOT_MODIFIED, where.url, response.headers, b"", 0, "")
                if response.status not in REDIRECTS:
                    return await self._taken(response, where, course, wanted)
                if course.hops == HOPS:
                    raise FetchProblem(course.host, "too-many-redirects", status=response.status)
                try:
                    where = target.next_hop(where, response.headers.get("location", ""), same_host=wanted.same_host)
                except ValueError:
                    raise FetchProblem(course.host, "bad-redirect", status=response.status) from None
            course.hops += 1
            course.hosts.add(where.host)
            _charge(course, where.host)
            await self._judge(where, course, media=wanted.sink is not None)
            if wanted.hop is not None:
                wanted.hop(where.url)

    async def _taken(self, response: aiohttp.ClientResponse, where: Target, course: Course, wanted: _Wanted) -> Answer:
        """The body of a last hop, if it is one that was asked for.

        Where it is not, whoever opened the answer lets it go: a connection with a rest on it is closed then.
        """
        status = response.status
        kind, packing, page = _judged(response, course, wanted)
        if wanted.sink is not None:
            await _pour(response, wanted.sink, course, wanted.limit)
            return Answer(status, where.url, response.headers, b"", course.hops, bare_type(kind))
        body = Body(min(wanted.limit, PAGE_LIMIT) if page else wanted.limit, packing)
        try:
            async for chunk in response.content.iter_any():
                course.bytes += len(chunk)
                cost = body.cost
                try:
                    body.feed(chunk)
                finally:
                    course.budget.bytes -= body.cost - cost
                if course.budget.bytes < 0:
                    raise FetchProblem(course.host, SPENT, status=status)
            content = body.end()
        except TooLarge:
            if not page:
                raise FetchProblem(course.host, "too-large", status=status) from None
            content = body.begun()
        except Broken:
            raise FetchProblem(course.host, "network", status=status) from None
        return Answer(status, where.url, response.headers, content, course.hops, bare_type(kind))

    async def _post_once(self, where: Target, course: Course, request: _Request) -> Answer:
        async with await self._exchange(where, course, request) as response:
            course.status = response.status
            body = b"" if response.content.at_eof() else await self._said(response, course)
            kind = bare_type(response.headers.get("content-type", ""))
            return Answer(response.status, where.url, response.headers, body, 0, kind)

    async def _said(self, response: aiohttp.ClientResponse, course: Course) -> bytes:
        """What the answer to a POST says besides its status, which is for the operator: no more than is there soon."""
        got = bytearray()
        left = course.begun + self._timeout - clock.monotonic()
        try:
            async with asyncio.timeout(min(POST_BODY_TIMEOUT, left / 2)):
                async for chunk in response.content.iter_any():
                    course.bytes += len(chunk)
                    got += chunk
                    if len(got) >= POST_LIMIT:
                        response.close()
                        break
        except (TimeoutError, aiohttp.ClientError):
            response.close()
        return bytes(got[:POST_LIMIT])

    async def _exchange(self, where: Target, course: Course, request: _Request) -> aiohttp.ClientResponse:
        headers: Headers = (("Host", where.authority), ("User-Agent", self._user_agent), *request.headers)
        if request.sign is not None:
            added = await request.sign(request.method, where.url, headers, request.body)
            names = {name.lower() for name, _ in added}
            headers = (*(pair for pair in headers if pair[0].lower() not in names), *added)
        course.reused, course.status = True, None
        mark = guard.course.set(course)
        try:
            response = await self._session(where.scheme).request(
                request.method, where.wire, headers=headers, data=request.body or None, allow_redirects=False
            )
        finally:
            guard.course.reset(mark)
        course.guarded = False  # one address was refused, another has answered
        return response

    async def _told(self, work: Awaitable[Answer], course: Course, total: float, key: Key | None) -> Answer:
        """Do the work within its time, and tell telemetry, memory and the log how it went."""
        try:
            async with asyncio.timeout(total) as course.bound:
                answer = await work
        except FetchProblem as refused:
            problem = refused
        except (TimeoutError, aiohttp.ClientError, OSError, UnicodeError) as error:
            late = key is not None and isinstance(error, TimeoutError) and not course.budget.left
            problem = FetchProblem(course.host, SPENT if late else guard.reason(error, course), status=course.status)
        except Exception:
            if key is None and course.status is not None:  # a sink could not take it: the host has answered
                self._end(course, None, None)
            raise
        else:
            self._end(course, None, key)
            return answer
        self._end(course, problem, key)
        problem.__context__ = None  # whose text may hold the path
        raise problem

    def _end(self, course: Course, problem: FetchProblem | None, key: Key | None) -> None:
        now = clock.now()
        if key is not None and problem is not None:
            self._remembered.add(key, course.hosts, problem.reason, now)
        elif key is not None:
            self._remembered.drop(key)
        outcome, reason = ("ok", "") if problem is None else (problem.outcome, problem.reason)
        if problem is None and key is None and not 200 <= (course.status or 0) < 300:
            outcome, reason = "failed", str(course.status)
        tags, seconds = course.tags, clock.monotonic() - course.begun
        if not course.host:
            return  # what named no host was no fetch
        if reason == SPENT:
            if course.budget.told:
                return  # a list may name thousands that are all over it
            course.budget.told = True
        self._recorder.note(
            host=course.host,
            purpose=tags.purpose,
            trigger=tags.trigger,
            outcome=outcome,
            reason=reason,
            status=course.status,
            seconds=seconds,
            bytes=course.bytes,
            hops=course.hops,
            at=now,
        )
        if tags.trigger != scope.READER:
            log.debug(
                "fetch",
                host=course.host,
                purpose=tags.purpose,
                trigger=tags.trigger,
                outcome=outcome,
                reason=reason,
                status=course.status,
            )

    def _session(self, scheme: str) -> aiohttp.ClientSession:
        """The session of a scheme: plain http has connections, and rules for addresses, of its own."""
        session = self._sessions.get(scheme)
        if session is None:
            session = self._sessions[scheme] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=CONNECTIONS,
                    limit_per_host=PER_HOST,
                    use_dns_cache=False,
                    resolver=self._resolver,
                    # Made with the first session: the authorities' certificates fill megabytes.
                    ssl=self._tls or ssl.create_default_context(),
                    socket_factory=guard.sockets(self._allow, plain=scheme != "https"),
                ),
                connector_owner=True,
                auto_decompress=False,
                trust_env=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            )
        return session


def _judged(response: aiohttp.ClientResponse, course: Course, wanted: _Wanted) -> tuple[str, Packing, bool]:
    """Of an answer that is taken: its type, how it is packed, and whether it is read as a page; else FetchProblem."""
    status = response.status
    if not 200 <= status < 300 or status == PARTIAL:  # nobody asked for a part
        retry_after = response.headers.get("retry-after")
        raise FetchProblem(course.host, str(status), status=status, retry_after=retry_after)
    kind = ", ".join(response.headers.getall("content-type", ()))
    packing = bodies.packing(", ".join(response.headers.getall("content-encoding", ())))
    page = wanted.pages and is_one_of(kind, PAGE_TYPES)
    if packing is None or not (page or is_one_of(kind, wanted.content_types)) or (packing and wanted.sink is not None):
        raise FetchProblem(course.host, "content-type", status=status)
    if (response.content_length or 0) > wanted.limit and not page:
        raise FetchProblem(course.host, "too-large", status=status)
    return kind, packing, page


def _charge(course: Course, host: str) -> None:
    """Have the cause pay for one more request."""
    if not course.budget.admit(host, lists=course.tags.purpose == LISTS):
        raise FetchProblem(course.host, SPENT)


async def _pour(response: aiohttp.ClientResponse, sink: Sink, course: Course, limit: int) -> None:
    """Hand the body on as it comes."""
    length, status = response.content_length, response.status
    until, most = None if course.bound is None else course.bound.when(), course.budget.left
    got = 0
    try:
        await sink.begin(bare_type(response.headers.get("content-type", "")), length)
        async for piece in response.content.iter_any():
            got += len(piece)
            course.bytes += len(piece)
            course.budget.bytes -= len(piece)
            if got > limit:
                raise FetchProblem(course.host, "too-large", status=status)
            if course.budget.bytes < 0:
                raise FetchProblem(course.host, SPENT, status=status)
            if course.bound is not None and until is not None:
                course.bound.reschedule(until + min(got / BYTES_A_SECOND, most))
            await sink.take(piece)
    except InvalidInput:
        raise FetchProblem(course.host, "content-type", status=status) from None


def _understood(answer: Answer, read: Callable[[bytes], object], host: str) -> Answer:
    try:
        content = read(answer.body)
    except (ValueError, msgspec.MsgspecError, InvalidInput):
        raise FetchProblem(host, "bad-json", status=answer.status) from None
    return replace(answer, content=content)
