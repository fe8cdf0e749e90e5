"""One ActivityStreams document, from its own host: what another host says of it is not believed."""

from dataclasses import dataclass
from typing import Any

from privapub import clock, scope
from privapub.actors.addresses import Addresses
from privapub.federation.documents import strict_json
from privapub.federation.documents.terms import compacted
from privapub.federation.fetching import alternate
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.origin import bare, origin, same_origin
from privapub.federation.fetching.signer import application_key, signer
from privapub.federation.signatures.claim import Scheme
from privapub.outbound.answers import ACTIVITY_ACCEPT, ACTIVITY_TYPES, PAGE_ACCEPT, PAGE_TYPES, Answer, FetchProblem
from privapub.outbound.client import NOT_MODIFIED
from privapub.outbound.gate import DISALLOWED
from privapub.outbound.validators import NONE, Validators, given
from privapub.server import Server

NOT_BELIEVED = "bad-redirect"
_OTHER_SIGNATURE = frozenset({401, 403})


class Unchanged(Exception):
    """The document is the one that is held."""


@dataclass(frozen=True)
class Told:
    """A document, and with what it may be asked for again at its own id."""

    content: dict[str, Any]
    validators: Validators = NONE


async def document(
    server: Server, url: str, purpose: str, *, fresh: bool = False, pages: bool = False
) -> dict[str, Any]:
    """The document that this URL leads to, whose `id` may be believed; as `told`, with nothing held."""
    return (await told(server, url, purpose, fresh=fresh, pages=pages)).content


async def told(
    server: Server,
    url: str,
    purpose: str,
    *,
    fresh: bool = False,
    pages: bool = False,
    knock: bool = False,
    held: Validators = NONE,
) -> Told:
    """The document that this URL leads to, whose `id` may be believed.

    The id equals the URL that finally answered; else that id is fetched, once, and must be answered by its own host.
    With `pages` the URL may be that of a page for people, as somebody pastes it: the page's alternate link is fetched,
    once, and must answer with its own id. `fresh` asks even where a failure is remembered. With `knock` it is signed in
    the other form than the host is thought to like. With validators `held`, the URL is asked whether it has another
    document than the one they are of. It is the same reader who asks as before, since the application actor signs all
    that we fetch: an answer that was meant for one reader is never taken for another's.

    Raises Unchanged where it has not, and FetchProblem; with the reason `bad-redirect` where the id is not the
    document's own, `disallowed` for an address of ours.
    """
    with scope.purpose(purpose):
        answer = await _get(server, url, fresh=fresh, pages=pages, knock=knock, held=held)
        if answer.status == NOT_MODIFIED:
            raise Unchanged
        if answer.content_type in PAGE_TYPES:
            return Told(await _behind(server, answer, fresh=fresh))
        found = _content(answer)
        claimed = _id(found, answer)
        if claimed == answer.url:
            return Told(found, _validators(answer))
        # An id with a fragment (a key inside an actor) names a part of the document that answered.
        if "#" in claimed and bare(claimed) == answer.url:
            return Told(found)
        second = await _get(server, claimed, fresh=fresh, knock=knock)
        found = _content(second)
        if _id(found, second) != claimed or not same_origin(claimed, second.url):
            raise FetchProblem(origin(url), NOT_BELIEVED, status=second.status)
        return Told(found, _validators(second) if second.url == claimed else NONE)


def _validators(answer: Answer) -> Validators:
    return given(answer.headers) if answer.status == 200 else NONE


async def _behind(server: Server, page: Answer, *, fresh: bool) -> dict[str, Any]:
    """The document to which a page leads, whoever's page it is: believed is what the document says of itself."""
    url = alternate.resolved(page.content, page.url) if isinstance(page.content, str) else None
    if url is None:
        raise FetchProblem(origin(page.url), "content-type", status=page.status)
    answer = await _get(server, url, fresh=fresh)
    found = _content(answer)
    if _id(found, answer) != answer.url:
        raise FetchProblem(origin(url), NOT_BELIEVED, status=answer.status)
    return found


def final(problem: FetchProblem) -> bool:
    """Whether asking again soon would bring the same: nothing there, nothing that may be asked, or nothing of use."""
    if problem.status is not None and problem.reason.isdecimal():
        return problem.status < 500 and problem.status not in (408, 425, 429)
    return problem.reason not in {"timeout", "network", "remembered"}


def _id(found: dict[str, Any], answer: Answer) -> str:
    claimed = found.get("id")
    if not isinstance(claimed, str) or not origin(claimed):
        raise FetchProblem(origin(answer.url), NOT_BELIEVED, status=answer.status)
    return claimed


def _content(answer: Answer) -> dict[str, Any]:
    assert isinstance(answer.content, dict)  # noqa: S101  # what strict_json.read returns
    # Under plain names: an id that is spelled out is an id.
    return compacted(answer.content)


async def _get(
    server: Server, url: str, *, fresh: bool, pages: bool = False, knock: bool = False, held: Validators = NONE
) -> Answer:
    """Ask in the form that the host likes; a refusal of the signature is believed after one knock with the other."""

    def not_ours(address: str) -> None:
        # Nor by a redirect: we would answer ourselves, signed by us, what others may not see.
        if Addresses(server.base_url).is_ours(address):
            raise FetchProblem(origin(address), DISALLOWED)

    not_ours(url)
    key = await application_key(server)
    host = origin(url)
    async with server.database.read() as tx:
        liked = await schemes.of_host(tx, host, clock.now())
    first = schemes.other(liked) if knock else liked

    async def ask(scheme: Scheme, *, fresh: bool) -> Answer:
        return await server.door.get(
            url,
            accept=PAGE_ACCEPT if pages else ACTIVITY_ACCEPT,
            content_types=ACTIVITY_TYPES,
            sign=signer(key, scheme),
            read=strict_json.read,
            page=alternate.alternate if pages else None,
            fresh=fresh,
            hop=not_ours,
            held=held,
        )

    try:
        return await ask(first, fresh=fresh)
    except FetchProblem as problem:
        if problem.status not in _OTHER_SIGNATURE or not problem.reason.isdecimal():
            raise
    answer = await ask(schemes.other(first), fresh=True)
    async with server.database.write() as tx:
        await schemes.remember(tx, host, schemes.other(first), clock.now())
    return answer
