"""The door of the inbox: what a POST must be before it is queued, and what it is told.

Cheapest first: size, content type, form, signature as far as it shows without a key, what the document itself gives
away, then the key. Only then one transaction holds the activity and its job, and is committed before the 202.
"""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from privapub import clock, scope
from privapub.actors import read
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.federation.asker import GONE, Opinion, Refused, Signed, Undecided, as_sent, examine, whose
from privapub.federation.documents import canonical, strict_json, synchronization
from privapub.federation.documents.activity_kinds import named
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_activity import Activity, read_activity
from privapub.federation.fetching.origin import origin, same_origin
from privapub.federation.inbox import ask_origin
from privapub.federation.inbox.arrived import DIRECTLY, FORWARDED, RELAYED, Through
from privapub.federation.inbox.dispatch import is_whole
from privapub.federation.inbox.forwarded import BROUGHT, COPY, is_about_itself, needless, signed_by_its_actor
from privapub.federation.inbox.keep import keep
from privapub.federation.inbox.origin import deletes_itself, misplaced
from privapub.federation.inbox.send_on import may_be_sent_on
from privapub.federation.inbox.store import Accepted
from privapub.federation.signatures.claim import Presented
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.federation.signatures.signed_inside import signed_inside
from privapub.follows import relays
from privapub.outbound.answers import ACTIVITY_TYPES, is_one_of
from privapub.outbound.gate import DISALLOWED
from privapub.outbound.target import host_of
from privapub.server import Server
from privapub.telemetry.arrivals import UNVERIFIED

# Some servers leave the profile out of what they send; what is signed and sent to an inbox is an activity all the same.
TYPES = ACTIVITY_TYPES | {"application/ld+json"}
RETRY_AFTER = "300"
BODY_TIME = 6.0  # seconds in which a body must have come


@dataclass(frozen=True)
class _Verdict:
    """What the sender is told, and what is counted."""

    status: int
    outcome: str
    reason: str
    sentence: str = ""
    host: str = UNVERIFIED


class _Stop(Exception):
    """The verdict is clear: no further check."""

    def __init__(self, status: int, outcome: str, reason: str, sentence: str = "") -> None:
        super().__init__(reason)
        self.verdict = _Verdict(status, outcome, reason, sentence)


def _not_its_actor() -> _Stop:
    return _Stop(401, "refused", "signer-is-not-actor", "Whoever signed this is not its actor.")


async def receive(server: Server, request: Request, owner: str) -> Response:
    """Take an activity for one persona (`owner` is its number as text), or, with "", for whomever it concerns."""
    now = clock.now()
    try:
        answer = await _take(server, request, owner, now)
    except _Stop as stop:
        answer = stop.verdict
    server.arrivals.note(answer.host, answer.outcome, answer.reason, now)
    headers = {"Cache-Control": "no-store"}
    if answer.status == 503:
        headers["Retry-After"] = RETRY_AFTER
    if answer.status < 300:
        return Response(status_code=answer.status, headers=headers)
    return JSONResponse({"error": answer.sentence}, status_code=answer.status, headers=headers)


async def _take(server: Server, request: Request, owner: str, now: float) -> _Verdict:
    body = await _body(server, request)
    if not is_one_of(", ".join(request.headers.getlist("content-type")), TYPES):
        raise _Stop(415, "refused", "content-type", "An inbox takes application/activity+json.")
    document = _document(body)
    sent = as_sent(server, request, body)
    try:
        claim = examine(server, sent, now)
    except BadSignature as bad:
        raise _Stop(401, "refused", bad.reason, str(bad)) from None
    activity = await _acceptable(server, document)
    opinion = await _opinion(server, claim, sent, activity, now)
    if isinstance(opinion, Refused) and _may_be_gone(opinion, activity, claim):
        return await _ask_origin(server, activity, origin(activity.actor), DIRECTLY, now)
    signed = _signed(opinion)
    signer, host = signed.actor, origin(signed.actor.uri)
    if signer.is_gone:
        return _Verdict(202, "dropped", "gone-actor", host=host)
    server.door.forget(urlsplit(signer.uri).hostname or "")
    if signer.uri != activity.actor:
        return await _brought(server, document, activity, signed, now)
    original = body if may_be_sent_on(activity, document, body) else None
    new = _accepted(server, owner, activity, document, signer, now, original=original)
    return _Verdict(202, await keep(server.database, new, signed, _synchronization(sent, claim)), "", host=host)


def _synchronization(sent: HttpRequest, claim: Presented) -> str | None:
    """What the sender says of who follows them, where their signature covers it (FEP-8fcf; pure)."""
    return sent.header(synchronization.HEADER) if synchronization.HEADER.lower() in claim.covered else None


def _accepted(
    server: Server,
    owner: str,
    activity: Activity,
    document: dict[str, Any],
    actor: Actor,
    now: float,
    through: Through = DIRECTLY,
    original: bytes | None = None,
) -> Accepted:
    return Accepted(
        owner=owner,
        activity_id=activity.id,
        digest=canonical.digest(document),
        kind=activity.kind,
        actor_id=actor.id,
        actor_uri=actor.uri,
        document=document,
        now=now,
        whole=is_whole(activity),
        through=through,
        original=original,
        due=server.limits.turns.next(host_of(actor.uri), now),
    )


async def _brought(
    server: Server, document: dict[str, Any], activity: Activity, signed: Signed, now: float
) -> _Verdict:
    """What another actor than the signer did: believed where that actor signed it, else their host is asked of it."""
    host = origin(signed.actor.uri)
    if same_origin(signed.actor.uri, activity.actor) and not signed_inside(document):
        raise _not_its_actor()  # what an actor of one host does needs no other of it to bring it
    async with server.database.read() as tx:
        through: Through = RELAYED if await relays.is_one(tx, signed.actor.uri) else FORWARDED
        reason = await needless(tx, activity, through) if activity.kind in BROUGHT else f"kind-{named(activity.kind)}"
    if activity.kind not in BROUGHT and through == FORWARDED:
        raise _not_its_actor()
    if reason is not None:
        return _Verdict(202, *((COPY, "") if reason == COPY else ("dropped", reason)), host=host)
    found = None
    if not is_about_itself(activity):
        found = await signed_by_its_actor(server, document, activity.actor, now)
    if found is None:
        return await _ask_origin(server, activity, host, through, now)
    actor, said = found
    believed = await _acceptable(server, said)
    if believed.kind != activity.kind or believed.object_id != activity.object_id:
        raise _Stop(400, "refused", "bad-object", "What its actor signed is not what this says.")
    if actor.is_gone or actor.is_blocked:
        return _Verdict(202, "dropped", "gone-actor" if actor.is_gone else DISALLOWED, host=host)
    new = _accepted(server, "", believed, said, actor, now, through)
    return _Verdict(202, await keep(server.database, new, signed), "", host=host)


async def _ask_origin(server: Server, activity: Activity, host: str, through: Through, now: float) -> _Verdict:
    async with server.database.write() as tx:
        planned = await ask_origin.plan(tx, activity, host, through, now)
    if not planned:
        raise _Stop(503, "undecided", "too-many", "So much that others did is asked about already: come again later.")
    return _Verdict(202, "queued", "", host=host)


async def _body(server: Server, request: Request) -> bytes:
    """The body, read no further than it may go."""
    limit = server.settings.max_body
    too_large = _Stop(413, "refused", "too-large", f"An inbox takes at most {limit} bytes.")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:18]) > limit:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_TIME):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise too_large
    except TimeoutError:
        raise _Stop(408, "refused", "too-slow", f"A body must be here within {BODY_TIME:.0f} seconds.") from None
    except ClientDisconnect:
        raise _Stop(400, "refused", "cut-short", "The body of this request did not come to its end.") from None
    return bytes(body)


def _document(body: bytes) -> dict[str, object]:
    try:
        return strict_json.read(body)
    except BadDocument as bad:
        raise _Stop(400, "refused", bad.reason, str(bad)) from None


async def _acceptable(server: Server, document: dict[str, object]) -> Activity:
    """The activity, if it is one that its own actor could have sent; what it cannot be needs no key to be refused."""
    try:
        activity = read_activity(document)
    except BadDocument as bad:
        raise _Stop(400, "refused", bad.reason, str(bad)) from None
    if Addresses(server.base_url).is_ours(activity.actor):
        raise _Stop(401, "refused", "our-actor", "Nobody else speaks for an actor of this server.")
    why = misplaced(activity)
    if why is not None:
        raise _Stop(400, "refused", why, f"This {activity.kind} is not one that its actor can send: {why}.")
    if deletes_itself(activity):
        async with server.database.read() as tx:
            known = await read.by_uri(tx, activity.actor)
        if known is None:
            # Nothing to delete, and its key is gone with it: peers send these to everybody, for days if refused.
            raise _Stop(202, "dropped", "delete-of-unknown-actor")
    return activity


async def _opinion(server: Server, claim: Presented, sent: HttpRequest, activity: Activity, now: float) -> Opinion:
    """Who signed it, if it is one that may come in at all."""
    for uri in (activity.actor,) if same_origin(activity.actor, claim.key_id) else (activity.actor, claim.key_id):
        if await server.door.refuses(uri):
            raise _Stop(202, "dropped", DISALLOWED)
    if activity.kind == "Flag" and not await server.door.gate.takes_reports(host_of(activity.actor)):
        raise _Stop(202, "dropped", "reports-rejected")
    with scope.trigger(scope.VERIFY):
        return await whose(server, claim, sent, now)


def _may_be_gone(opinion: Refused, activity: Activity, claim: Presented) -> bool:
    """Whether an actor may be no more, whose key is gone with it: then nobody can verify that it says so (pure)."""
    return opinion.reason in GONE and deletes_itself(activity) and same_origin(activity.actor, claim.key_id)


def _signed(opinion: Opinion) -> Signed:
    """The signer, where there is one that may come in; else it ends here."""
    if isinstance(opinion, Refused) and opinion.reason == f"key-{DISALLOWED}":  # as the address of its owner is
        raise _Stop(202, "dropped", DISALLOWED)
    if isinstance(opinion, Refused):
        raise _Stop(401, "refused", opinion.reason, opinion.sentence)
    if isinstance(opinion, Undecided):
        raise _Stop(503, "undecided", opinion.reason, opinion.sentence)
    if opinion.actor.is_blocked:
        raise _Stop(202, "dropped", DISALLOWED)
    return opinion
