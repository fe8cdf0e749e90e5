"""One address of the client API, and what is around every one of them.

The token is looked up, its scope judged, the parameters are read; what the handler returns goes out as JSON, what it
raises as an error in Mastodon's words.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route

from privapub import clock
from privapub.accounts import scopes, tokens
from privapub.accounts.tokens import Token
from privapub.client_api import params
from privapub.client_api.call import Call
from privapub.client_api.problems import NO_STORE, NeedsUser, OutOfScope, TooMany, Unauthenticated, answer
from privapub.errors import InvalidInput, NotAllowed, PrivaPubError
from privapub.federation.served.counted import Served, counted
from privapub.limits import visit
from privapub.limits.people import Allowance
from privapub.media.process import MIB
from privapub.server import Server
from privapub.telemetry.traffic import API

Who = Literal["anyone", "client", "app", "user"]
_JSON = "application/json; charset=utf-8"
FILES = 8  # of one request


@dataclass(frozen=True)
class Answer:
    """What an endpoint says, where it is more than a body."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True)
class Endpoint:
    """`scopes`: any one of them is enough; none is needed where there are none. `who` may call at all.

    Where anyone may call, a token that is shown must be good all the same, and have the scope. A client proves by its
    secret who it is, and its handler looks. `while_waiting`: also for who has signed up and may not come in yet.
    `group`: with which others it is counted, and told of together.
    """

    method: str
    path: str
    handler: Handler
    scopes: tuple[str, ...] = ()
    who: Who = "user"
    while_waiting: bool = False
    group: str = "other"


def route(server: Server, path: str, endpoints: Mapping[str, Endpoint]) -> Route:
    """The route of a path, with what answers each of its methods."""
    served = {method: counted(API + each.group, _answering(each)) for method, each in endpoints.items()}

    async def asked(request: Request) -> Response:
        return await served["GET" if request.method == "HEAD" else request.method](server, request)

    found = Route(path, asked, methods=list(endpoints))
    # Programs in use ask with a slash at the end, and are not to be sent away: many don't repeat a body elsewhere.
    found.path_regex = re.compile(found.path_regex.pattern.removesuffix("$") + "/?$")
    return found


def _answering(endpoint: Endpoint) -> Served:
    async def answering(server: Server, request: Request) -> Response:
        try:
            said = _said(await endpoint.handler(await _call(server, request, endpoint)))
        except PrivaPubError as error:
            said = answer(error)
        finally:
            for file in getattr(request.state, "files", ()):  # they are there until it is answered
                file.close()
        said.headers.update(_limits(request))
        return said

    return answering


async def _call(server: Server, request: Request, endpoint: Endpoint) -> Call:
    token = None if endpoint.who == "client" else await _token(server, request)
    count_call(server, request, token)
    if token is None and endpoint.who in {"app", "user"}:
        raise Unauthenticated
    if token is not None and endpoint.scopes and not any(scopes.allows(token.scopes, one) for one in endpoint.scopes):
        raise OutOfScope
    if endpoint.who == "user" and token is not None and token.persona_id is None:
        raise NeedsUser
    if token is not None and token.waits is not None and not endpoint.while_waiting:
        raise NotAllowed(token.waits)
    known = token is not None and token.persona_id is not None
    return Call(server, request, token, await _given(server, request, known=known))


async def _token(server: Server, request: Request) -> Token | None:
    """The token that is shown, in the header (RFC 6750, section 2.1); Unauthenticated where it is none."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if not scheme:
        return None
    async with server.database.read() as tx:
        found = await tokens.find(tx, secret.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        count_call(server, request, None)
        raise Unauthenticated
    return found


def count_call(server: Server, request: HTTPConnection, token: Token | None) -> None:
    """One more call; TooMany where it is one too many.

    What a program asks by itself counts for its network, as without a token: anybody gets as many of those as they
    like.
    """
    number = None if token is None or token.persona_id is None else token.id
    allowed = server.limits.calls.take(number, visit.current().sender, clock.now())
    request.state.allowed = allowed
    if allowed is not None and allowed.wait:
        raise TooMany(allowed.wait)


def _limits(request: Request) -> dict[str, str]:
    """How much more may be asked, as Mastodon says it."""
    allowed: Allowance | None = getattr(request.state, "allowed", None)
    if allowed is None:
        return {}
    return {
        "X-RateLimit-Limit": str(allowed.limit),
        "X-RateLimit-Remaining": str(allowed.left),
        "X-RateLimit-Reset": clock.iso(allowed.reset),
    }


async def _given(server: Server, request: Request, *, known: bool) -> dict[str, Any]:
    """The parameters of the query and of the body, which wins. Only who is `known` uploads files that are large."""
    found = params.of_form(request.url.query.encode())
    if request.method in {"GET", "HEAD"}:
        return found
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    most = server.settings.max_body
    if kind == "multipart/form-data":
        form = await _form(request, most + (server.settings.media_bytes * MIB if known else 0))
        return found | params.of_pairs(form.multi_items())
    body = b"".join([chunk async for chunk in _within(request, most)])
    return found | (params.of_json(body) if kind.endswith("json") else params.of_form(body))


async def _form(request: Request, most: int) -> FormData:
    """A body in parts. Its files are on the disk beyond a megabyte, and go when the request is answered."""
    parser = MultiPartParser(
        request.headers, _within(request, most), max_files=FILES, max_fields=params.MOST, max_part_size=MIB
    )
    request.state.files = parser._files_to_close_on_error  # noqa: SLF001 - also what was cut off, which is in no form
    try:
        return await parser.parse()
    except MultiPartException as problem:
        raise InvalidInput(problem.message) from None


async def _within(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """The body as it comes; InvalidInput where it turns out too large."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise InvalidInput("The body is too large")
        yield chunk


def _said(said: Any) -> Response:
    if isinstance(said, Response):
        return said
    made = said if isinstance(said, Answer) else Answer(said)
    body = msgspec.json.encode(made.content)
    return Response(body, made.status, {"Content-Type": _JSON, **NO_STORE, **made.headers})
