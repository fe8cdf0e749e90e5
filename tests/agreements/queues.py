"""One face for every queue: the real one on either database, and a plain-Python model of what it promises.

Jobs are told apart by `args["n"]`. All of them read the time from the clock, which the tests move.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlalchemy import select

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.errors import Conflict, NotFound
from privapub.jobs import breaker, hosts, read, reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, release, renew
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.settle import TAKEN_BACK
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane as lanes


async def _unused(_job: Job) -> Outcome:
    return Done()


HOLD = 30 * 86400.0
WORK = JobKind("work", fetch=_unused, at_once=8, per_lane=2, lease=110.0, attempts=3, hold=HOLD, breaker=True)


@dataclass(frozen=True)
class Seen:
    """What every queue shows of a job."""

    state: str
    attempt: int
    alone: bool
    twin: bool
    why: str | None


@dataclass(frozen=True)
class Health:
    """What every queue shows of a host that is not well."""

    fails: int
    quarantine: float
    left_alone: bool


class Queue(Protocol):
    async def put(self, *jobs: NewJob) -> int: ...
    async def lease(self, free: int = 8) -> list[Job]: ...
    async def lease_alone(self) -> list[Job]: ...
    async def renew(self, jobs: Sequence[Job]) -> set[int]: ...
    async def finish(self, *ended: tuple[Job, Outcome]) -> list[int]: ...
    async def release(self, *jobs: Job) -> set[int]: ...
    async def reap(self) -> int: ...
    async def repair(self) -> int: ...
    async def prune(self) -> int: ...
    async def cancel(self, n: int) -> bool: ...
    async def retry(self, n: int) -> bool: ...
    async def give_up_waiting(self) -> int: ...
    async def wrote(self, lane: str) -> None: ...
    async def try_host(self, lane: str) -> bool: ...
    async def forget_host(self, lane: str) -> bool: ...
    async def health(self) -> dict[str, Health]: ...
    async def rows(self) -> dict[int, Seen]: ...


def numbers(jobs: Sequence[Job]) -> list[int]:
    return sorted(job.args["n"] for job in jobs)


class RealQueue:
    """The queue itself, in one scope of a database."""

    def __init__(self, database: Database, scope: str = "") -> None:
        self.database, self.scope = database, scope
        self.kinds = {"work": WORK}

    async def put(self, *jobs: NewJob) -> int:
        async with self.database.write() as tx:
            return await put(tx, jobs, scope=self.scope)

    async def lease(self, free: int = 8) -> list[Job]:
        return (await lease(self.database, [Slot(WORK, free, free)], identifiers.token(), scope=self.scope)).jobs

    async def lease_alone(self) -> list[Job]:
        found = await lease(self.database, [Slot(WORK, 8, 8)], identifiers.token(), scope=self.scope, alone=True)
        return found.jobs

    async def renew(self, jobs: Sequence[Job]) -> set[int]:
        async with self.database.write() as tx:
            held = await renew(tx, jobs)
        return {job.args["n"] for job in jobs if job.id in held}

    async def finish(self, *ended: tuple[Job, Outcome]) -> list[int]:
        async with self.database.write() as tx:
            held = await finish(tx, self.kinds, ended, await moment(tx), scope=self.scope)
        return numbers([job for job, _ in held])

    async def release(self, *jobs: Job) -> set[int]:
        async with self.database.write() as tx:
            held = await release(tx, jobs, scope=self.scope)
        return {job.args["n"] for job in jobs if job.id in held}

    async def reap(self) -> int:
        return await reaper.reap(self.database, self.kinds, scope=self.scope)

    async def repair(self) -> int:
        return await reaper.repair(self.database, scope=self.scope)

    async def prune(self) -> int:
        return await reaper.prune(self.database, scope=self.scope)

    async def _id(self, n: int) -> int | None:
        async with self.database.read() as tx:
            for row in await tx.all(select(table).where(table.c.scope == self.scope)):
                if json.loads(row.args)["n"] == n:
                    return int(row.id)
        return None

    async def cancel(self, n: int) -> bool:
        return await self._ask(read.cancel, n)

    async def retry(self, n: int) -> bool:
        return await self._ask(read.retry, n)

    async def _ask(self, what: Any, n: int) -> bool:
        found = await self._id(n)
        if found is None:
            return False
        try:
            async with self.database.write() as tx:
                await what(tx, found, await moment(tx))
        except Conflict:
            return False
        return True

    async def give_up_waiting(self) -> int:
        return await reaper.give_up_waiting(self.database, self.kinds, scope=self.scope)

    async def wrote(self, lane: str) -> None:
        async with self.database.write() as tx:
            await hosts.wrote(tx, "work", [lane], await moment(tx), scope=self.scope)

    async def try_host(self, lane: str) -> bool:
        try:
            async with self.database.write() as tx:
                await hosts.try_host(tx, lane.removeprefix(hosts.HOST), await moment(tx), scope=self.scope)
        except NotFound:
            return False
        return True

    async def forget_host(self, lane: str) -> bool:
        try:
            async with self.database.write() as tx:
                await hosts.forget_host(tx, lane.removeprefix(hosts.HOST), scope=self.scope)
        except NotFound:
            return False
        return True

    async def health(self) -> dict[str, Health]:
        async with self.database.read() as tx:
            now = await moment(tx)
            rows = await tx.all(select(lanes).where(lanes.c.scope == self.scope))
        return {
            row.lane: Health(row.fails, row.quarantine, row.open_until > now)
            for row in rows
            if row.fails or row.quarantine
        }

    async def rows(self) -> dict[int, Seen]:
        async with self.database.read() as tx:
            rows = await tx.all(select(table).where(table.c.scope == self.scope))
        return {
            json.loads(row.args)["n"]: Seen(row.state, row.attempt, bool(row.alone), bool(row.twin), row.why)
            for row in rows
        }


@dataclass
class _Row:
    id: int
    new: NewJob
    state: str
    run_at: float
    created_at: float
    attempt: int = 0
    stamp: str = ""
    lease_until: float = 0.0
    leased_before: bool = False
    alone: bool = False
    twin: bool = False
    finished_at: float | None = None
    why: str | None = None

    @property
    def n(self) -> int:
        return int(self.new.args["n"])

    def ends(self, state: str, why: str | None = None) -> None:
        self.state, self.finished_at, self.why = state, clock.now(), why
        self.stamp, self.alone = "", False


@dataclass
class _Host:
    fails: int = 0
    began: float = 0.0
    until: float = 0.0
    length: float = 0.0


@dataclass
class ModelQueue:
    """What the queue promises, in a list."""

    all: list[_Row] = field(default_factory=list)
    not_before: dict[str, float] = field(default_factory=dict)
    lanes: set[str] = field(default_factory=set)
    hosts: dict[str, _Host] = field(default_factory=lambda: defaultdict(_Host))
    ids: int = 0

    def _open(self) -> list[_Row]:
        return [row for row in self.all if row.finished_at is None]

    async def put(self, *jobs: NewJob) -> int:
        count = 0
        for new in sorted(jobs, key=lambda job: (job.lane, job.ordering_key or "", job.dedupe_key or "")):
            rivals = [
                row
                for row in (self._open() if new.unique_while_waiting else self.all)
                if new.dedupe_key is not None and row.new.dedupe_key == new.dedupe_key
            ]
            if rivals and not (new.unique_while_waiting and [row.state for row in rivals] == ["leased"]):
                continue
            self.ids += 1
            run_at = clock.now() if new.run_at is None else new.run_at
            self.all.append(_Row(self.ids, new, "waiting", run_at, clock.now(), twin=bool(rivals)))
            if rivals:
                self.all[-1].state = "blocked"
            else:
                count += 1
        self.lanes |= {job.lane for job in jobs}
        lasts = {job.ordering_key for job in jobs if job.part == "last" and job.ordering_key is not None}
        unheard = {
            row.new.ordering_key
            for row in self._take_back(lasts)
            if row.new.part == "first" and not row.leased_before
        }  # fmt: skip
        for key in unheard:
            newest = [row for row in self._open() if row.new.ordering_key == key and row.new.part == "last"][-1]
            newest.ends("cancelled", TAKEN_BACK)
        self._settle()
        return count

    def _take_back(self, keys: set[str]) -> list[_Row]:
        """What waits and has a last of its story behind it is not sent any more."""
        back = [
            row
            for row in self._open()
            if row.new.ordering_key in keys and row.new.part != "last" and row.state != "leased"
            and any(o.new.part == "last" and o.new.ordering_key == row.new.ordering_key and o.id > row.id
                    for o in self._open())
        ]  # fmt: skip
        for row in back:
            row.ends("cancelled", TAKEN_BACK)
        return back

    def _settle(self) -> None:
        """Who waits for somebody's end, and whether that somebody is still there."""
        for row in self.all:
            if row.state not in ("waiting", "blocked"):
                continue
            others = [other for other in self._open() if other is not row]
            if row.twin:
                row.twin = any(other.new.dedupe_key == row.new.dedupe_key for other in others)
            before = row.new.ordering_key is not None and any(
                other.new.ordering_key == row.new.ordering_key and other.id < row.id for other in others
            )
            row.state = "blocked" if row.twin or before else "waiting"
        self.all = [row for row in self.all if row.finished_at is None or row.new.trigger != "request"]

    def _due(self, *, alone: bool) -> list[_Row]:
        now = clock.now()
        return sorted(
            (
                row
                for row in self.all
                if row.state == "waiting"
                and row.alone is alone
                and max(row.run_at, self.not_before.get(row.new.lane, 0.0), self.hosts[row.new.lane].until) <= now
            ),
            key=lambda row: (row.run_at, row.id),
        )

    def _room(self, lane: str) -> bool:
        running = [
            row for row in self.all if row.state == "leased" and row.new.lane == lane and row.lease_until > clock.now()
        ]
        return len(running) < (1 if self.hosts[lane].length else WORK.per_lane)

    def _take(self, rows: list[_Row], free: int) -> list[Job]:
        taken: list[Job] = []
        for row in rows:
            if len(taken) < free and self._room(row.new.lane):
                row.state, row.stamp = "leased", identifiers.token()
                row.attempt, row.lease_until = row.attempt + 1, clock.now() + WORK.lease
                row.leased_before = True
                host = self.hosts[row.new.lane]
                taken.append(
                    Job(
                        row.id, "work", row.new.lane, dict(row.new.args), row.attempt, row.stamp,
                        row.new.trigger, 0.0, row.run_at, row.lease_until, leased_at=clock.now(),
                        failing=host.fails > 0, probe=host.length > 0,
                    )
                )  # fmt: skip
        return taken

    async def lease(self, free: int = 8) -> list[Job]:
        return self._take(self._due(alone=False), free)

    async def lease_alone(self) -> list[Job]:
        return self._take(self._due(alone=True), 1)

    def _held(self, job: Job) -> _Row | None:
        return next((row for row in self.all if row.state == "leased" and row.stamp == job.stamp), None)

    async def renew(self, jobs: Sequence[Job]) -> set[int]:
        held = [row for row in map(self._held, jobs) if row is not None]
        for row in held:
            row.lease_until = clock.now() + WORK.lease
        return {row.n for row in held}

    async def finish(self, *ended: tuple[Job, Outcome]) -> list[int]:
        held = [(row, job, outcome) for job, outcome in ended if (row := self._held(job)) is not None]
        now = clock.now()  # one for all: which of them is older later on must not hang on how they are gone through
        for row, job, outcome in held:
            self._end(row, outcome, now, probe=job.probe)
        for row, job, outcome in held:
            if outcome.heard is False:
                self._failed(self.hosts[row.new.lane], job.leased_at)
        for row, _, outcome in held:
            if outcome.heard:
                self.hosts[row.new.lane] = _Host()
        self._take_back(
            {row.new.ordering_key for row, _, _ in held if row.new.ordering_key and row.finished_at is None}
        )
        self._settle()
        return sorted(row.n for row, _, _ in held)

    @staticmethod
    def _failed(host: _Host, leased_at: float) -> None:
        if host.length and leased_at < host.began:
            return
        host.fails += 1
        if host.length or host.fails >= breaker.FAILURES:
            host.length = min(host.length * 2, 7 * 86400.0) or 3600.0
            host.began, host.until = clock.now(), clock.now() + host.length

    def _end(self, row: _Row, outcome: Outcome, now: float, *, probe: bool) -> None:
        match outcome:
            case Done():
                row.ends("done")
            case GiveUp(why):
                row.ends("failed", why)
            case Retry(after, why):
                spends = outcome.spends_attempt and not probe
                if spends and row.attempt >= WORK.attempts:
                    row.ends("failed", why)
                    return
                assert after is not None
                row.state, row.stamp, row.alone, row.why = "waiting", "", False, why
                row.run_at = now + after
                row.attempt -= 0 if spends else 1
                if outcome.whole_lane:
                    lane = row.new.lane
                    self.not_before[lane] = max(row.run_at, self.not_before.get(lane, 0.0))

    async def release(self, *jobs: Job) -> set[int]:
        held = [row for row in map(self._held, jobs) if row is not None]
        for row in held:
            row.state, row.stamp, row.attempt = "waiting", "", row.attempt - 1
        return {row.n for row in held}

    async def reap(self) -> int:
        expired = [row for row in self.all if row.state == "leased" and row.lease_until < clock.now()]
        for row in expired:
            if row.attempt >= WORK.attempts:
                row.ends("failed", "worker died")
            else:
                row.state, row.stamp, row.alone, row.why = "waiting", "", True, "worker died"
        self._settle()
        return len(expired)

    async def give_up_waiting(self) -> int:
        old = [row for row in self._open() if row.state != "leased" and row.created_at < clock.now() - HOLD]
        for row in old:
            row.ends("failed", "waited for 30 days")
        self._settle()
        return len(old)

    async def wrote(self, lane: str) -> None:
        self.hosts[lane].until = min(self.hosts[lane].until, clock.now())

    async def try_host(self, lane: str) -> bool:
        await self.wrote(lane)
        self.not_before[lane] = 0.0
        return lane in self.lanes

    async def forget_host(self, lane: str) -> bool:
        self.hosts[lane] = _Host()
        self.not_before[lane] = 0.0
        return lane in self.lanes

    async def health(self) -> dict[str, Health]:
        return {
            lane: Health(host.fails, host.length, host.until > clock.now())
            for lane, host in self.hosts.items()
            if host.fails or host.length
        }

    async def repair(self) -> int:
        return 0

    async def prune(self) -> int:
        old = [row for row in self.all if row.finished_at is not None and row.finished_at < clock.now() - 7 * 86400]
        self.all = [row for row in self.all if row not in old]
        return len(old)

    def _find(self, n: int) -> _Row | None:
        return next((row for row in self.all if row.n == n), None)

    async def cancel(self, n: int) -> bool:
        row = self._find(n)
        if row is None or row.finished_at is not None:
            return False
        row.ends("cancelled", "cancelled")
        self._settle()
        return True

    async def retry(self, n: int) -> bool:
        row = self._find(n)
        if row is None or row.state not in ("failed", "cancelled"):
            return False
        key, order = row.new.dedupe_key, row.new.ordering_key
        if order is not None and any(o.new.ordering_key == order and o.id > row.id for o in self.all):
            return False
        again = key is not None and row.new.unique_while_waiting
        if again and any(other.new.dedupe_key == key for other in self._open()):
            return False
        row.state, row.finished_at, row.attempt, row.why = "waiting", None, 0, None
        row.run_at, row.twin = clock.now(), False
        self._settle()
        return True

    async def rows(self) -> dict[int, Seen]:
        return {row.n: Seen(row.state, row.attempt, row.alone, row.twin, row.why) for row in self.all}


def new(n: int, lane: str = "host:a.example", **values: Any) -> NewJob:
    return replace(NewJob("work", lane, {"n": n}), **values)
