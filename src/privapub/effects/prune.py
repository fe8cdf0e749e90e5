"""What is kept for a time goes when the time is over: a job that puts its own next run."""

from collections.abc import Mapping
from typing import Any

from privapub.accounts import challenges, letters, sessions, tokens, waiting
from privapub.actors import mutes
from privapub.composing import once
from privapub.database.transaction import Transaction
from privapub.effects.forget import forget
from privapub.federation.delivery import deliver
from privapub.federation.fetching import scheme
from privapub.federation.inbox import store
from privapub.jobs import ended, hosts
from privapub.jobs.enqueue import put
from privapub.jobs.job import Job, NewJob
from privapub.link_previews import keep as link_previews
from privapub.media import let_go as media
from privapub.moderation import reports
from privapub.notifications import read as notifications
from privapub.posts import threads, tombstones
from privapub.proxy import cache
from privapub.server import Server
from privapub.stream import events
from privapub.telemetry import prune as telemetry

PRUNE = "prune"
EVERY = 3600.0
_ROOMS = (
    telemetry,
    deliver,
    scheme,
    store,
    tombstones,
    threads,
    notifications,
    mutes,
    reports,
    link_previews,
    media,
    cache,
    events,
    tokens,
    sessions,
    letters,
    challenges,
    waiting,
    once,
    hosts,
    ended,
)


async def plan(tx: Transaction, run_at: float | None = None, place: Mapping[str, Any] | None = None) -> None:
    """See that a run is waiting: called at start, and by each run for the next one (`place`: where that goes on)."""
    await put(tx, [NewJob(PRUNE, PRUNE, place or {}, run_at=run_at, dedupe_key=PRUNE, unique_while_waiting=True)])


async def sweep(server: Server, _job: Job) -> None:
    """Files of the cache that were let go are deleted, if nothing else has done it since."""
    await cache.sweep(server.database, server.proxy.folder)


async def prune(tx: Transaction, job: Job, _fetched: Any, now: float) -> None:
    """Each room knows how long its rows live. What is to be forgotten is looked for in parts, with a run for each."""
    if not job.args:
        for room in _ROOMS:
            await room.prune(tx, now)
    place = await forget(tx, now, job.args)
    await plan(tx, now + EVERY if place is None else now, place)
