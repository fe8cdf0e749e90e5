"""Handling one activity that was verified and queued: what must be fetched, then one transaction that takes it in.

The job of kind `inbox`, lane `inbox`, has one argument, the number of its row. Handling it twice changes nothing.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_activity import Activity, read_activity
from privapub.federation.documents.read_actor import KINDS as ACTORS
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.actor import fetch_actor, learn
from privapub.federation.fetching.document import final
from privapub.federation.fetching.origin import origin
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox import store
from privapub.federation.inbox.audience import may_concern
from privapub.federation.inbox.kinds import named
from privapub.federation.inbox.on_accept import on_accept
from privapub.federation.inbox.on_create import on_create
from privapub.federation.inbox.on_delete import on_delete
from privapub.federation.inbox.on_follow import on_follow
from privapub.federation.inbox.on_reject import on_reject
from privapub.federation.inbox.on_undo import on_undo
from privapub.federation.inbox.on_update import on_update_of_actor, on_update_of_post
from privapub.federation.inbox.store import Incoming
from privapub.jobs.job import Done, Job, Outcome, Retry
from privapub.outbound.answers import FetchProblem
from privapub.posts import read as posts
from privapub.server import Server

_RELATIONSHIPS: dict[str, Callable[[Transaction, Activity, Actor, float], Awaitable[str | None]]] = {
    "Follow": on_follow,
    "Accept": on_accept,
    "Reject": on_reject,
    "Undo": on_undo,
}


@dataclass(frozen=True)
class Fetched:
    """What had to be fetched: a post, or the reason why it could not be had. Both are empty where nothing had to be."""

    post: RemotePost | None = None
    problem: str | None = None


async def fetch(server: Server, job: Job) -> Fetched | Outcome:
    """Get what the activity only names. A host that does not answer now is asked again later (Retry)."""
    try:
        async with server.database.read() as tx:
            row = await store.take(tx, job.args["incoming"])
            if row is None or row.handled_at is not None:
                return Done()
            signer = await actors.by_id(tx, row.actor_id)
            if signer is None:
                return Fetched()
            activity = read_activity(row.document)
            wanted = await _wanted(tx, row, activity, signer)
        return Fetched(post=await _get(server, wanted, activity, signer))
    except FetchProblem as problem:
        if not final(problem):
            return Retry(None, str(problem))
        return Fetched(problem=f"not-fetched: {problem.reason}")
    except PrivaPubError as problem:
        return Fetched(problem=_reason(problem))


async def _get(server: Server, wanted: str | None, activity: Activity, signer: Actor) -> RemotePost | None:
    """What `_wanted` says: an actor is learnt, a post is returned."""
    if wanted == "actor":
        await fetch_actor(server, signer.uri, fresh=True)
    elif wanted == "address":
        await learn(server, read_actor(activity.object or {}))
    elif wanted == "post" and activity.object_id is not None:
        return await fetch_post(server, activity.object_id)
    return None


async def _wanted(tx: Transaction, row: Incoming, activity: Activity, signer: Actor) -> str | None:
    """What must be fetched before this can be handled: `actor`, `address`, `post` or nothing."""
    if activity.kind not in ("Create", "Update"):
        return None
    if activity.object_id == signer.uri:
        return _wanted_of_actor(activity, signer)
    if activity.object is not None and activity.kind == "Create":
        return None
    if not await may_concern(tx, (*activity.to, *activity.cc), signer, row.owner):
        return None
    known = None if activity.object_id is None else await posts.by_uri(tx, activity.object_id)
    # An Update of what we do not have may be old by now, or not all there is.
    return "post" if activity.object is None or known is None else None


def _wanted_of_actor(activity: Activity, signer: Actor) -> str | None:
    if activity.object is None:
        return "actor"
    try:
        record = read_actor(activity.object)
    except BadDocument:
        return None
    return "address" if record.uri == signer.uri and record.handle != signer.handle else None


async def write(server: Server, tx: Transaction, job: Job, fetched: Fetched, now: float) -> Outcome | None:
    """Take it in, or keep it out with a reason; either way the row says so, and the arrivals count it."""
    row = await store.take(tx, job.args["incoming"])
    if row is None or row.handled_at is not None:
        return Done()
    signer = await actors.by_id(tx, row.actor_id)
    if signer is None or signer.is_gone:
        reason: str | None = "gone-actor"
    else:
        try:
            reason = await _handle(tx, row, signer, fetched, now)
        except PrivaPubError as problem:
            reason = _reason(problem)
    if await store.close(tx, row.id, reason, now):
        host, outcome = origin(row.actor_uri), "handled" if reason is None else "kept-out"
        tx.after_commit(lambda: server.arrivals.note(host, outcome, reason or row.kind, now))
    return None


def _needs(activity: Activity, fetched: Fetched) -> bool:
    """Whether there is nothing to go on without what could not be fetched."""
    return activity.object is None or fetched.problem == "gone"


async def _handle(tx: Transaction, row: Incoming, signer: Actor, fetched: Fetched, now: float) -> str | None:
    """The reason why it is kept out, or None."""
    activity = read_activity(row.document)
    if fetched.problem is not None and fetched.post is None and _needs(activity, fetched):
        return fetched.problem
    if activity.kind in _RELATIONSHIPS:
        return await _RELATIONSHIPS[activity.kind](tx, activity, signer, now)
    if activity.kind == "Delete" and activity.object_id is not None:
        return await on_delete(tx, activity.object_id, signer, now)
    if activity.kind not in ("Create", "Update"):
        return f"kind-{named(activity.kind)}"
    if activity.kind == "Create" or activity.object_id != signer.uri:
        return await _handle_post(tx, row, activity, signer, fetched, now)
    # Without an embedded profile it was fetched, and learnt.
    return None if activity.object is None else await on_update_of_actor(tx, read_actor(activity.object), signer, now)


async def _handle_post(
    tx: Transaction, row: Incoming, activity: Activity, signer: Actor, fetched: Fetched, now: float
) -> str | None:
    if activity.object is not None and set(types(activity.object)) & ACTORS:
        return "not-theirs"
    record = fetched.post or (None if activity.object is None else read_post(activity.object))
    if record is None:
        return "not-for-us"
    if fetched.post is not None and record.uri != activity.object_id:
        return "not-theirs"
    if activity.kind == "Create":
        return await on_create(tx, record, signer, row.owner, now)
    return await on_update_of_post(tx, record, signer, row.owner, now)


def _reason(problem: PrivaPubError) -> str:
    """A short word for the report."""
    if isinstance(problem, BadDocument):
        return problem.reason
    return type(problem).__name__
