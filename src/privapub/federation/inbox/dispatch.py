"""Handling one activity that was verified and queued: what must be fetched, then one transaction that takes it in.

The job of kind `inbox`, lane `inbox`, has the number of its row, and whether the activity is whole (`is_whole`).
Handling it twice changes nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.activity_kinds import named
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_activity import Activity, read_activity
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.fetching.actor import fetch_actor, learn
from privapub.federation.fetching.document import final
from privapub.federation.fetching.origin import origin
from privapub.federation.fetching.post import fetch_post
from privapub.federation.fetching.shared import shared
from privapub.federation.inbox import on_add, on_announce, on_create, on_move, on_update, send_on, store
from privapub.federation.inbox.arrived import DIRECTLY, Arrived, Fetched, Handling, Through, Wanted
from privapub.federation.inbox.on_accept import on_accept
from privapub.federation.inbox.on_block import on_block
from privapub.federation.inbox.on_delete import on_delete
from privapub.federation.inbox.on_flag import on_flag
from privapub.federation.inbox.on_follow import on_follow
from privapub.federation.inbox.on_like import on_like
from privapub.federation.inbox.on_quote_request import on_quote_request
from privapub.federation.inbox.on_reject import on_reject
from privapub.federation.inbox.on_remove import on_remove
from privapub.federation.inbox.on_undo import on_undo
from privapub.federation.inbox.undoings import UNDOINGS
from privapub.federation.inbox.undone import swallowed
from privapub.jobs.job import Done, Job, Outcome, Retry
from privapub.outbound.answers import FetchProblem
from privapub.outbound.gate import DISALLOWED
from privapub.outbound.target import host_of
from privapub.server import Server

# Every kind of HANDLED; the others are kept out by their name.
HANDLINGS: Mapping[str, Handling] = {
    "Accept": Handling(on_accept),
    "Add": Handling(on_add.on_add, on_add.want),
    "Announce": Handling(on_announce.on_announce, on_announce.want),
    "Block": Handling(on_block),
    "Create": Handling(on_create.on_create, on_create.want, only_named=True),
    "Delete": Handling(on_delete),
    "EmojiReact": Handling(on_like),
    "Flag": Handling(on_flag),
    "Follow": Handling(on_follow),
    "Like": Handling(on_like),
    "Move": Handling(on_move.on_move, on_move.want),
    "QuoteRequest": Handling(on_quote_request),
    "Reject": Handling(on_reject),
    "Remove": Handling(on_remove),
    "Undo": Handling(on_undo),
    "Update": Handling(on_update.on_update, on_update.want),
}


def is_whole(activity: Activity) -> bool:
    """Whether nothing has to be fetched before this is taken in, as far as it tells that by itself (pure)."""
    handling = HANDLINGS.get(activity.kind)
    if handling is None or handling.want is None:
        return True
    return handling.only_named and activity.object is not None


async def fetch(server: Server, job: Job) -> Fetched | Outcome:
    """Get what the activity only names. A host that does not answer now is asked again later (Retry)."""
    if job.args.get("whole"):
        return Fetched()
    try:
        return await _looked(server, job)
    except FetchProblem as problem:
        if not final(problem):
            return Retry(None, str(problem))
        return Fetched(problem=f"not-fetched: {problem.reason}")
    except PrivaPubError as problem:
        return Fetched(problem=_reason(problem))


async def _looked(server: Server, job: Job) -> Fetched | Done:
    async with server.database.read() as tx:
        row = await store.take(tx, job.args["incoming"])
        if row is None or row.handled_at is not None:
            return Done()
        signer = await actors.by_id(tx, row.actor_id)
        if signer is None or signer.is_gone or signer.is_blocked:
            return Fetched()
        if job.attempt == 1 and not _through(job):  # the inbox may be another process, whose memory this is not
            server.door.forget(host_of(signer.uri))
        arrived = Arrived(read_activity(row.document), signer, row.owner, through=_through(job))
        handling = HANDLINGS.get(arrived.activity.kind)
        wanted = None if handling is None or handling.want is None else await handling.want(tx, arrived)
    fetched = Fetched() if wanted is None else await _get(server, wanted, arrived)
    return replace(fetched, activity=arrived.activity)


async def _get(server: Server, wanted: Wanted, arrived: Arrived) -> Fetched:
    match wanted.what:
        case "actor":
            return Fetched(actor=await fetch_actor(server, wanted.uri, fresh=True))
        case "move":
            await fetch_actor(server, arrived.signer.uri, fresh=True)
            return Fetched(actor=await fetch_actor(server, wanted.uri, fresh=True))
        case "address":
            return Fetched(actor=await learn(server, read_actor(arrived.activity.object or {})))
        case "post":
            get = partial(_post, server, wanted.uri, arrived.signer)
            return await (shared(server.door, wanted.uri, get) if wanted.shared else get())


async def _post(server: Server, uri: str, signer: Actor) -> Fetched:
    """A post with its author, who is asked for only where that is not the signer."""
    post = await fetch_post(server, uri)
    return Fetched(post, signer if post.author == signer.uri else await fetch_actor(server, post.author))


async def write(server: Server, tx: Transaction, job: Job, fetched: Fetched, now: float) -> Outcome | None:
    """Take it in, or keep it out with a reason; either way the row says so, and the arrivals count it."""
    row = await store.take(tx, job.args["incoming"])
    if row is None or row.handled_at is not None:
        return Done()
    signer = await actors.by_id(tx, row.actor_id)
    if signer is None or signer.is_gone:
        reason: str | None = "gone-actor"
    elif signer.is_blocked:  # since it was taken at the door
        reason = DISALLOWED
    else:
        try:
            activity = fetched.activity or read_activity(row.document)
            arrived = Arrived(activity, signer, row.owner, fetched, _through(job))
            thread = None if row.original is None else await send_on.whose_thread(tx, arrived)
            reason = await _take_in(tx, arrived, now)
            if thread is not None and row.original is not None and reason is None and _goes_on(server, arrived, now):
                await send_on.send_on(tx, arrived, row.original, thread, now)
        except PrivaPubError as problem:
            reason = _reason(problem)
    if await store.close(tx, row.id, reason, now):
        host, outcome = origin(row.actor_uri), "handled" if reason is None else "kept-out"
        tx.after_commit(lambda: server.arrivals.note(host, outcome, reason or row.kind, now))
    return None


def _goes_on(server: Server, arrived: Arrived, now: float) -> bool:
    """Within what one host may have sent on; the end of something goes to whoever got that."""
    return arrived.activity.kind == "Delete" or server.limits.send_on(origin(arrived.signer.uri), now)


def _through(job: Job) -> Through:
    through: Through = job.args.get("through", DIRECTLY)
    return through


async def _take_in(tx: Transaction, arrived: Arrived, now: float) -> str | None:
    activity = arrived.activity
    handling = HANDLINGS.get(activity.kind)
    if handling is None:
        return f"kind-{named(activity.kind)}"
    if activity.kind in UNDOINGS and await swallowed(tx, activity, now):
        return "undone-before"
    return await handling.take_in(tx, arrived, now)


def _reason(problem: PrivaPubError) -> str:
    """A short word for the report."""
    if isinstance(problem, BadDocument):
        return problem.reason
    return type(problem).__name__
