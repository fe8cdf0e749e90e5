"""Asking the origin of what somebody else brought, or said without a proof: its own host says what is so.

The job of kind `ask_origin`, in a lane for each host that brought something, has the kind of the activity, the id of
what it is about and of its actor, and how it came. Nothing else of it was kept. One host has one such question at a
time, a relay excepted not more than one a second, and so many waiting; beyond that it has to come again.
"""

from typing import Any

from sqlalchemy import func, select

from privapub.actors import read as actors
from privapub.actors import remote
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.properties import types
from privapub.federation.documents.read_activity import Activity
from privapub.federation.fetching.actor import fetch_actor, fetch_author
from privapub.federation.fetching.document import document, final
from privapub.federation.fetching.origin import origin
from privapub.federation.fetching.post import fetch_post
from privapub.federation.inbox.arrived import RELAYED, Arrived, Fetched, Through
from privapub.federation.inbox.on_create import on_create
from privapub.federation.inbox.on_update import on_update
from privapub.jobs.enqueue import put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import WAITING, Done, Job, NewJob, Outcome, Retry
from privapub.jobs.tables import job as job_table
from privapub.outbound.answers import FetchProblem
from privapub.outbound.gate import DISALLOWED
from privapub.posts import audience as audiences
from privapub.posts import read as posts
from privapub.posts import receive
from privapub.server import Server

ASK_ORIGIN = "ask_origin"
ATTEMPTS = 5
WAITING_FOR_ONE, WAITING_FOR_A_RELAY = 100, 1000
_GONE = frozenset({"gone", "not-fetched: 410"})
_NOT_THERE = "not-fetched: 404"


async def plan(tx: Transaction, activity: Activity, brought_by: str, through: Through, now: float) -> bool:
    """Have the origin asked; `brought_by` is the host that brought it. False where too many wait for that."""
    lane = f"{HOST}{brought_by}"
    relayed = through == RELAYED
    most = WAITING_FOR_A_RELAY if relayed else WAITING_FOR_ONE
    few = (
        select(job_table.c.id)
        .where(
            job_table.c.scope == "",
            job_table.c.kind == ASK_ORIGIN,
            job_table.c.lane == lane,
            job_table.c.state == WAITING,
        )
        .limit(most)
    )
    waiting: int = await tx.scalar(select(func.count()).select_from(few.subquery()))
    if waiting >= most:
        return False
    asked = NewJob(
        ASK_ORIGIN,
        lane,
        {"kind": activity.kind, "uri": activity.object_id, "actor": activity.actor, "through": through},
        run_at=None if relayed or not waiting else now + waiting,
        dedupe_key=f"{ASK_ORIGIN} {activity.kind} {activity.object_id}",
        unique_while_waiting=True,
    )
    await put(tx, [asked])
    return True


async def fetch(server: Server, job: Job) -> Fetched | Outcome:
    """What the origin says. A host that does not answer now is asked again later (Retry)."""
    try:
        return await _asked(server, *(str(job.args[name]) for name in ("kind", "uri", "actor")))
    except FetchProblem as problem:
        if not final(problem):
            return Retry(None, str(problem))
        return Fetched(problem=f"not-fetched: {problem.reason}")
    except BadDocument as problem:
        return Fetched(problem=problem.reason)
    except PrivaPubError as problem:
        return Fetched(problem=type(problem).__name__)


async def _asked(server: Server, kind: str, uri: str, actor_uri: str) -> Fetched:
    if kind == "Delete":
        found = await document(server, uri, "actor" if uri == actor_uri else "object", fresh=True)
        return Fetched(problem="gone" if "Tombstone" in types(found) else "not-deleted")
    if uri == actor_uri:
        return Fetched(actor=await fetch_actor(server, uri, fresh=True))
    record = await fetch_post(server, uri)
    return Fetched(record, await fetch_author(server, record.author))


async def write(server: Server, tx: Transaction, job: Job, fetched: Fetched, now: float) -> Outcome:
    """Take in what the origin said, by the rules for what an actor brings itself; the arrivals count it."""
    kind, uri, actor_uri = (str(job.args[name]) for name in ("kind", "uri", "actor"))
    if kind == "Delete":
        about_itself = uri == actor_uri
        reason = await (_delete_actor if about_itself else _delete_post)(tx, uri, fetched.problem, now)
    elif uri == actor_uri:
        reason = fetched.problem
    else:
        reason = await _take_in(tx, kind, fetched, job.args["through"], now)
    host, outcome = origin(uri), "handled" if reason is None else "kept-out"
    tx.after_commit(lambda: server.arrivals.note(host, outcome, reason or kind, now))
    return Done()


async def _take_in(tx: Transaction, kind: str, fetched: Fetched, through: Any, now: float) -> str | None:
    record, author = fetched.post, fetched.actor
    if record is None or author is None:
        return fetched.problem or "not-for-us"
    if author.local or author.is_gone:
        return "gone-actor" if author.is_gone else "our-actor"
    if author.is_blocked:
        return DISALLOWED
    activity = Activity(None, kind, author.uri, object_id=record.uri, to=record.to, cc=record.cc)
    arrived = Arrived(activity, author, "", fetched, through)
    try:
        return await (on_create if kind == "Create" else on_update)(tx, arrived, now)
    except BadDocument as problem:
        return problem.reason


async def _delete_post(tx: Transaction, uri: str, problem: str | None, now: float) -> str | None:
    """It is gone if its host says so.

    That nothing is at its address says so of what was for everybody alone: all else may be there, and not for us.
    """
    post = await posts.by_uri(tx, uri)
    if post is None or post.local or post.deleted_at is not None:
        return "nothing-to-delete"
    if problem not in _GONE and not (problem == _NOT_THERE and post.audience in audiences.OPEN):
        return problem
    author = await actors.known(tx, post.author_id)
    await receive.receive_delete(tx, uri, author.id, author.uri, origin(author.uri), now)
    return None


async def _delete_actor(tx: Transaction, uri: str, problem: str | None, now: float) -> str | None:
    """They are gone if their host says so in so many words: with them goes all that is kept of them."""
    known = await actors.by_uri(tx, uri)
    if known is None or known.local or known.is_gone:
        return "nothing-to-delete"
    if problem not in _GONE:
        return problem
    await remote.mark_gone(tx, known.id, now)
    return None
