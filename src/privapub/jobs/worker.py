"""The worker: takes jobs, runs their handlers, keeps their leases, records their outcomes."""

# ruff: noqa: BLE001 - the worker outlives whatever handlers and the database throw, and reports it

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from privapub import clock, identifiers
from privapub import scope as http_scope
from privapub.database.connect import Database
from privapub.database.outage import is_outage
from privapub.jobs import reaper
from privapub.jobs.job import Done, GiveUp, Job, Outcome, Retry, topic
from privapub.jobs.jump import Clocks
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Leased, lease, release, renew
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.places import Places, Run
from privapub.jobs.room import Room
from privapub.jobs.wake import hear_others

_log = logging.getLogger(__name__)

GRACE = 25.0
POLL = 5.0
REAP_EVERY = 30.0
FLUSH_AFTER = 0.005
MOST_PAUSE = 0.05  # between two looks, where there is something to do
BATCH = 200
TRY_AGAIN = 1.0
AWAY = 10.0  # seconds after which is tried again what the database kept from being done


def _report(what: str, error: Exception) -> None:
    """A database that is away for a while is said in a line; all else is a fault of ours, and shown whole."""
    if is_outage(error):
        _log.warning("%s: the database cannot be used (%s)", what, type(error).__name__)
    else:
        _log.error(what, exc_info=error)


class LeaseGone(Exception):
    """The lease was taken away while the handler ran: nothing that it wrote may stay."""


@dataclass
class _Signals:
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    all_ended: asyncio.Event = field(default_factory=asyncio.Event)
    half_free: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    hurry: asyncio.Event = field(default_factory=asyncio.Event)


class Worker:
    """Runs the jobs of one scope, in this process, until it is stopped."""

    def __init__(
        self,
        database: Database,
        kinds: Mapping[str, JobKind],
        *,
        scope: str = "",
        only: Collection[str] | None = None,
        poll: float = POLL,
        reap_every: float = REAP_EVERY,
        grace: float = GRACE,
    ) -> None:
        """`kinds` is every kind of job there is, by name; `only` those that this worker takes; the rest are seconds."""
        self.database = database
        self.kinds = kinds
        self.scope = scope
        self.topic = topic(scope)
        self._places = Places([kind for kind in kinds.values() if only is None or kind.name in only])
        self._poll, self._reap_every, self._grace = poll, reap_every, grace
        self._runs: set[Run] = set()
        self._alone: Run | None = None
        self._room = Room()
        self._look_from = 0.0
        self._signals = _Signals()
        self.hears = asyncio.Event()  # set once jobs that other processes put are heard of

    async def run(self) -> None:
        """Work until `stop`: then take nothing more, give handlers their grace, and release what still runs."""
        async with self._machinery(self._reap, self._hear):
            try:
                while not self._signals.stop.is_set():
                    await self._turn()
                await self._wait_for_handlers()
            finally:
                await self._let_go()

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._signals.stop.is_set()

    @property
    def under_way(self) -> int:
        """How many jobs run here now."""
        return len(self._runs)

    def stop(self) -> None:
        """Stop; a second call ends the grace of what still runs."""
        if self.stopping:
            self._signals.hurry.set()
        self._signals.stop.set()
        self._signals.wake.set()

    async def drain(self) -> int:
        """Run everything that is due now, and what that enqueues, until nothing is; how many leases it took."""
        handled = 0
        async with self._machinery():
            try:
                while True:
                    await self._gather()
                    self._signals.wake.clear()
                    # A lane whose last outcome is being written is passed over: look once more when all are written.
                    was_idle = not self._runs
                    taken = len((await self._take()).jobs)
                    handled += taken
                    if taken:
                        continue
                    if was_idle:
                        return handled
                    if self._runs:
                        await self._signals.wake.wait()
            finally:
                await self._let_go()

    @asynccontextmanager
    async def _machinery(self, *chores: Callable[[], Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
        self.database.listen(self.topic, self._signals.wake.set)
        tasks = [asyncio.create_task(chore()) for chore in (self._renew, self._flush, *chores)]
        try:
            yield
        finally:
            self.database.deaf(self.topic, self._signals.wake.set)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # Taking

    async def _turn(self) -> None:
        await self._gather()
        self._signals.wake.clear()
        try:
            found = await self._take()
        except Exception as error:
            _report("could not look for jobs", error)
            found = Leased()
        if not found.jobs:
            await self._rest(found)

    async def _gather(self) -> None:
        """Looks cost less by the dozen: one is followed by a pause as long as itself, unless half of all is free."""
        left = self._look_from - clock.monotonic()
        if left > 0 and self._places.crowded():
            self._signals.half_free.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._signals.half_free.wait()

    async def _take(self) -> Leased:
        """Lease what there is room for, and start it."""
        if self._alone is not None:
            return Leased()
        if self._room.making(clock.monotonic()):
            return Leased() if self._holds() else await self._take_alone()
        found = await self._lease(alone=False)
        if found.alone_waits:
            if not found.jobs and not self._holds():
                return await self._take_alone(found)
            self._room.wanted(clock.monotonic())
        return found

    def _holds(self) -> bool:
        """Whether anything would be lost with this process: what runs, and outcomes that are not written yet."""
        return any(not run.unrecordable for run in self._runs)

    async def _take_alone(self, otherwise: Leased | None = None) -> Leased:
        self._room.had()
        found = await self._lease(alone=True)
        for run in self._runs:
            if found.jobs and run.job == found.jobs[0]:
                self._alone = run
        return found if found.jobs or otherwise is None else otherwise

    async def _lease(self, *, alone: bool) -> Leased:
        slots = self._places.free()
        if not slots:
            return Leased()
        asked_at = clock.monotonic()
        found = await lease(self.database, slots, identifiers.token(), scope=self.scope, alone=alone)
        took = clock.monotonic() - asked_at
        self._look_from = asked_at + took + min(max(took, FLUSH_AFTER), MOST_PAUSE)
        for job in found.jobs:
            kind = self.kinds[job.kind]
            began_at = clock.monotonic()
            run = Run(
                job, kind, asked_at + kind.lease, asked_at + kind.lease / 3,
                began_at=began_at, stop_at=began_at + kind.deadline,
            )  # fmt: skip
            self._runs.add(run)
            self._places.take(run)
            if kind.aside_at_once and not job.failing:
                run.timer = asyncio.get_running_loop().call_later(kind.aside_after, self._step_aside, kind)
            run.task = asyncio.create_task(self._handle(run))
        if found.jobs:
            self._signals.started.set()
        return found

    async def _rest(self, found: Leased) -> None:
        seconds = self._poll * identifiers.uniform(0.8, 1.2)
        if found.next_at is not None:
            seconds = min(seconds, max(found.next_at - found.now, 0.0) + 0.001)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._signals.wake.wait()

    # Running

    async def _handle(self, run: Run) -> None:
        run.begun = True
        try:
            with http_scope.cause(run.job.trigger or run.job.kind, run.job.kind):
                run.outcome = await self._attempt(run)
        finally:
            self._give_place_back(run)
            if self._alone is run:
                self._alone = None
            if run.outcome is None and not self._cancelled_by_us(run):
                self._runs.discard(run)
            self._signals.ended.set()
            self._signals.wake.set()
            if not self._places.handling:
                self._signals.all_ended.set()

    def _give_place_back(self, run: Run) -> None:
        if run.timer is not None:
            run.timer.cancel()
        self._places.give_back(run)
        if run.aside:
            self._step_aside(run.kind)
        if self._places.half_free(run.kind):
            self._signals.half_free.set()

    def _step_aside(self, kind: JobKind) -> None:
        if self._places.step_aside(kind, self._runs, clock.monotonic()):
            self._signals.wake.set()

    @staticmethod
    def _cancelled_by_us(run: Run) -> bool:
        return run.task is not None and run.task.cancelling() > 0 and not run.lost

    async def _attempt(self, run: Run) -> Outcome | None:
        """Run the handler: its outcome, or None where that is written already or the lease is gone."""
        job, kind = run.job, run.kind
        if job.unreadable:
            return GiveUp(job.unreadable)
        try:
            fetched = None if kind.fetch is None else await kind.fetch(job)
            if isinstance(fetched, Done | Retry | GiveUp):
                return fetched
            await self._write(run, fetched)
        except LeaseGone:
            run.lost = True
            return None
        except asyncio.CancelledError:
            if not run.overdue or run.task is None or run.task.uncancel():
                raise
            return Retry(why=f"took longer than {kind.deadline:g} seconds")
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # no handler ends the house
            return self._failure(job, error)
        return None

    @staticmethod
    def _failure(job: Job, error: BaseException) -> Retry:
        if isinstance(error, SQLAlchemyError) and is_outage(error):  # that is not the job's fault
            return Retry(AWAY, f"the database could not be used: {type(error).__name__}", spends_attempt=False)
        if job.trigger == http_scope.READER:  # of what a reader caused, nothing is written down
            return Retry(why=type(error).__name__)
        _log.exception("job %s %s failed", job.id, job.kind, exc_info=error)
        return Retry(why=f"{type(error).__name__}: {error}")

    async def _write(self, run: Run, fetched: Any) -> None:
        job, write = run.job, run.kind.write
        if write is None:
            raise TypeError(f"the fetching half of {run.kind.name!r} returned no outcome")
        async with self.database.write() as tx:
            now = await moment(tx)
            outcome = await write(tx, job, fetched, now)
            if outcome is None:
                outcome = Done()
            elif not isinstance(outcome, Done | Retry | GiveUp):
                raise TypeError(f"the handler of {run.kind.name!r} returned {type(outcome).__name__}")
            if not await finish(tx, self.kinds, [(job, outcome)], now, scope=self.scope):
                raise LeaseGone

    # Keeping

    async def _renew(self) -> None:
        """Renew all leases at once whenever one of them has used up a third of its length; stop what hangs."""
        while True:
            self._signals.started.clear()
            due = min((run.renew_at for run in self._runs), default=math.inf)
            hangs = min((run.stop_at for run in self._runs if not (run.ended or run.overdue)), default=math.inf)
            seconds = min(due, hangs) - clock.monotonic()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if seconds == math.inf else max(seconds, 0.0)):
                    await self._signals.started.wait()
            if clock.monotonic() >= hangs:
                self._stop_what_hangs()
            if clock.monotonic() >= due:
                await self._renew_now([run for run in self._runs if not run.unrecordable])

    def _stop_what_hangs(self) -> None:
        for run in self._runs:
            if not (run.ended or run.overdue) and run.stop_at <= clock.monotonic() and run.task is not None:
                run.overdue = True
                run.task.cancel()

    async def _renew_now(self, runs: list[Run]) -> None:
        asked_at = clock.monotonic()
        shortest = min((run.kind.lease for run in runs), default=1.0)
        still: set[int] | None = None
        try:
            async with asyncio.timeout(shortest / 3), self.database.write() as tx:
                still = await renew(tx, [run.job for run in runs])
        except Exception as error:  # an error is no proof that the lease is lost
            _log.warning("could not renew leases: %s", type(error).__name__)
        for run in runs:
            if still is None:
                run.renew_at = clock.monotonic() + run.kind.lease / 12
            elif run.job.id in still:
                run.ends_at = asked_at + run.kind.lease
                run.renew_at = asked_at + run.kind.lease / 3
            elif run in self._runs:
                self._lose(run)
        for run in list(self._runs):
            if run.ends_at <= clock.monotonic():
                self._lose(run)

    def _lose(self, run: Run) -> None:
        """The lease is not ours any more: stop the handler, drop the outcome."""
        run.lost = True
        self._runs.discard(run)
        if run.task is not None:
            run.task.cancel()
        if not run.begun:  # then nothing of it ever runs
            self._give_place_back(run)
        self._signals.wake.set()

    # Recording

    async def _flush(self) -> None:
        while True:
            await self._signals.ended.wait()
            with contextlib.suppress(TimeoutError):  # more may end meanwhile
                async with asyncio.timeout(FLUSH_AFTER):
                    await self._signals.all_ended.wait()
            self._signals.ended.clear()
            self._signals.all_ended.clear()
            while batch := self._to_record():
                if await self._record(batch) is not None and not await self._record_singly(batch):
                    await asyncio.sleep(TRY_AGAIN)

    def _to_record(self) -> list[Run]:
        return [run for run in self._runs if run.outcome is not None and not run.unrecordable][:BATCH]

    async def _record(self, runs: list[Run]) -> Exception | None:
        """Write these outcomes in one transaction; what kept it from going well."""
        try:
            async with self.database.write() as tx:
                pairs = [(run.job, run.outcome) for run in runs if run.outcome is not None]
                await finish(tx, self.kinds, pairs, await moment(tx), scope=self.scope)
        except Exception as error:
            _report(f"could not record {len(runs)} outcomes", error)
            return error
        self._runs.difference_update(runs)
        self._signals.wake.set()
        return None

    async def _record_singly(self, runs: list[Run]) -> bool:
        """One of them may be what is wrong: if others can be written, the bad one is left to the reaper.

        What a database kept from being written that was away meanwhile is not wrong, and is written once it is back.
        """
        errors = [(run, await self._record([run])) for run in runs]
        left = [(run, error) for run, error in errors if error is not None]
        if len(left) == len(runs):
            return False
        for run, error in left:
            run.unrecordable = not is_outage(error)
        return all(run.unrecordable for run, _ in left)

    # Ending

    async def _wait_for_handlers(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._grace):
                while self._places.handling and not self._signals.hurry.is_set():
                    self._signals.wake.clear()
                    if not self._signals.hurry.is_set():
                        await self._signals.wake.wait()

    async def _let_go(self) -> None:
        """Cancel what still runs, record what has ended, release the rest with its attempt."""
        tasks = [run.task for run in self._runs if run.task is not None and not run.task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)
        while batch := self._to_record():
            if await self._record(batch) is not None and not await self._record_singly(batch):
                break
        left = [run.job for run in self._runs]
        if left:
            try:
                async with self.database.write() as tx:
                    await release(tx, left, scope=self.scope)
            except Exception as error:
                _report(f"could not release {len(left)} jobs", error)
        self._runs.clear()

    # Chores

    async def _reap(self) -> None:
        clocks = Clocks(patient=self.database.is_sqlite)
        while True:
            chores = [
                partial(reaper.repair, self.database),
                partial(reaper.give_up_waiting, self.database, self.kinds),
                partial(reaper.prune, self.database),
            ]
            if clocks.may_reap(clock.now(), clock.monotonic()):
                chores.insert(0, partial(reaper.reap, self.database, self.kinds))
            for chore in chores:  # one that cannot be done keeps no other
                try:
                    await chore(scope=self.scope)
                except Exception as error:
                    _report("could not tidy the queue", error)
            await asyncio.sleep(self._reap_every * identifiers.uniform(0.9, 1.1))

    async def _hear(self) -> None:
        try:
            await hear_others(self.database, self.topic, self.hears)
        except Exception:
            _log.exception("cannot hear of jobs that other processes put: they are polled for only")
