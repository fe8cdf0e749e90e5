"""What became of a post on its way, for its author: by host, never by person."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import select

from privapub.database.transaction import Transaction
from privapub.federation.delivery.deliver import DELIVERY, lane_of
from privapub.federation.delivery.sent import FAILED, TAKEN
from privapub.federation.delivery.tables import sent
from privapub.federation.fetching.origin import origin
from privapub.jobs.job import PAUSED
from privapub.jobs.tables import job, lane
from privapub.posts.read import Post

State = Literal["taken", "waiting", "held", "refused", "given_up"]
STATES: tuple[State, ...] = ("taken", "waiting", "held", "refused", "given_up")
_AT_ONCE = 500
# A host that says no, or that we may not speak to: waiting longer would not have helped. (408 and 429 ask to wait.)
_NO = re.compile(r"answered (?:4(?!08|29)\d\d|3\d\d)\b|disallowed\b|private-address\b")


@dataclass(frozen=True)
class Way:
    """One inbox: what is noted of it, and when it is tried again, if it is."""

    host: str
    outcome: str  # of `sent`
    why: str = ""
    next_at: float | None = None
    held: bool = False  # what waits is not tried: its host is left alone, or all is paused


@dataclass(frozen=True)
class OfHost:
    """How many inboxes of a host took the post, wait, are held, refused it or were given up; why; the next try."""

    host: str
    counts: dict[State, int]
    reasons: tuple[str, ...] = ()
    next_at: float | None = None


@dataclass(frozen=True)
class Receipt:
    """All of it: the sums, and each host, those with something to tell first."""

    counts: dict[State, int] = field(default_factory=dict)
    hosts: tuple[OfHost, ...] = ()


async def receipt(tx: Transaction, post: Post, now: float) -> Receipt:
    """What became of this post (and of the last edit of it) at each host that it was sent to."""
    rows = await tx.all(select(sent).where(sent.c.post_id == post.id).order_by(sent.c.inbox))
    open_rows = [row.inbox for row in rows if row.outcome not in (TAKEN, FAILED)]
    jobs = await _jobs(tx, post.uri, open_rows)
    lanes = await _lanes(tx, {lane_of(inbox) for inbox in open_rows})
    return summed([_way(row, jobs.get(f"{post.uri} {row.inbox}"), lanes.get(lane_of(row.inbox)), now) for row in rows])


def state_of(way: Way) -> State:
    """Where a delivery stands, in the author's words (pure)."""
    if way.outcome == TAKEN:
        return "taken"
    if way.outcome == FAILED:
        return "refused" if _NO.match(way.why) else "given_up"
    return "held" if way.held else "waiting"


def summed(ways: Iterable[Way]) -> Receipt:
    """The ways of one post as its author may know them: who of a host took it is not told (pure)."""
    by_host: dict[str, list[Way]] = {}
    for way in ways:
        by_host.setdefault(way.host, []).append(way)
    hosts = [_of_host(host, found) for host, found in by_host.items()]
    hosts.sort(key=lambda each: (each.counts["taken"] == sum(each.counts.values()), each.host))
    totals: dict[State, int] = {state: sum(each.counts[state] for each in hosts) for state in STATES}
    return Receipt(totals, tuple(hosts))


def _of_host(host: str, ways: Sequence[Way]) -> OfHost:
    states = [state_of(way) for way in ways]
    counts: dict[State, int] = {state: states.count(state) for state in STATES}
    reasons = {way.why for way in ways if way.why and way.outcome != TAKEN}
    return OfHost(host, counts, tuple(sorted(reasons)), min((way.next_at for way in ways if way.next_at), default=None))


def _way(row: Any, waits: Any, of_lane: Any, now: float) -> Way:
    host = origin(row.inbox)
    if row.outcome in (TAKEN, FAILED) or waits is None:
        return Way(host, row.outcome, row.why)
    paused = waits.state == PAUSED
    put_off = 0.0 if of_lane is None else max(of_lane.open_until, of_lane.not_before)
    next_at = None if paused else max(waits.run_at, put_off)
    alone = of_lane is not None and of_lane.quarantine > 0 and of_lane.fails > 0
    why = row.why or ("paused" if paused else "its server does not answer, and is left alone" if alone else "")
    return Way(host, row.outcome, why, next_at if next_at is None or next_at > now else now, paused or alone)


async def _jobs(tx: Transaction, about: str, inboxes: Sequence[str]) -> dict[str, Any]:
    """The first job that has not ended, of each ordering key."""
    keys = sorted({f"{about} {inbox}" for inbox in inboxes})
    found: dict[str, Any] = {}
    for start in range(0, len(keys), _AT_ONCE):
        statement = select(job.c.ordering_key, job.c.state, job.c.run_at).where(
            job.c.scope == "",
            job.c.ordering_key.in_(keys[start : start + _AT_ONCE]),
            job.c.kind == DELIVERY,
            job.c.finished_at.is_(None),
        )
        for row in await tx.all(statement.order_by(job.c.id)):
            found.setdefault(row.ordering_key, row)
    return found


async def _lanes(tx: Transaction, names: Iterable[str]) -> dict[str, Any]:
    wanted = sorted(names)
    found: dict[str, Any] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        statement = select(lane).where(lane.c.scope == "", lane.c.kind == DELIVERY, lane.c.lane.in_(some))
        found |= {row.lane: row for row in await tx.all(statement)}
    return found
