"""One face for every queue: the real one on either database, and a plain-Python model of what it promises.

Jobs are told apart by `args["n"]`. All of them read the time from the clock, which the tests move.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlalchemy import select

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.errors import Conflict
from privapub.jobs import read, reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, release, renew
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.tables import job as table


async def _unused(_job: Job) -> Outcome:
    return Done()


WORK = JobKind("work", fetch=_unused, at_once=8, per_lane=2, lease=110.0, attempts=3)


@dataclass(frozen=True)
class Seen:
    """What every queue shows of a job."""

    state: str
    attempt: int
    alone: bool
    twin: bool
    why: str | None


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
        return (await lease(self.database, [Slot(WORK, free)], identifiers.token(), scope=self.scope)).jobs

    async def lease_alone(self) -> list[Job]:
        found = await lease(self.database, [Slot(WORK, 8)], identifiers.token(), scope=self.scope, alone=True)
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
    attempt: int = 0
    stamp: str = ""
    lease_until: float = 0.0
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
class ModelQueue:
    """What the queue promises, in a list."""

    all: list[_Row] = field(default_factory=list)
    not_before: dict[str, float] = field(default_factory=dict)
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
            self.all.append(_Row(self.ids, new, "waiting", run_at, twin=bool(rivals)))
            if rivals:
                self.all[-1].state = "blocked"
            else:
                count += 1
        self._settle()
        return count

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
                and max(row.run_at, self.not_before.get(row.new.lane, 0.0)) <= now
            ),
            key=lambda row: (row.run_at, row.id),
        )

    def _room(self, lane: str) -> bool:
        running = [
            row for row in self.all if row.state == "leased" and row.new.lane == lane and row.lease_until > clock.now()
        ]
        return len(running) < WORK.per_lane

    def _take(self, rows: list[_Row], free: int) -> list[Job]:
        taken: list[Job] = []
        for row in rows:
            if len(taken) < free and self._room(row.new.lane):
                row.state, row.stamp = "leased", identifiers.token()
                row.attempt, row.lease_until = row.attempt + 1, clock.now() + WORK.lease
                taken.append(
                    Job(
                        row.id, "work", row.new.lane, dict(row.new.args), row.attempt, row.stamp,
                        row.new.trigger, 0.0, row.run_at, row.lease_until,
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
        held = [(row, outcome) for job, outcome in ended if (row := self._held(job)) is not None]
        for row, outcome in held:
            self._end(row, outcome)
        self._settle()
        return sorted(row.n for row, _ in held)

    def _end(self, row: _Row, outcome: Outcome) -> None:
        match outcome:
            case Done():
                row.ends("done")
            case GiveUp(why):
                row.ends("failed", why)
            case Retry(after, why):
                if outcome.spends_attempt and row.attempt >= WORK.attempts:
                    row.ends("failed", why)
                    return
                assert after is not None
                row.state, row.stamp, row.alone, row.why = "waiting", "", False, why
                row.run_at = clock.now() + after
                row.attempt -= 0 if outcome.spends_attempt else 1
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
