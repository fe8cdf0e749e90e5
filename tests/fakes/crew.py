"""Worker processes that tests start, stop and kill, and that write down what their handlers do.

A job's arguments say what its handler is to do: `do` (a name of ORDERS) for `seconds`, at its first attempt or
`always`. What it did is a line of a file, written in one go, so that it is there also when the process is killed.
"""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import select, text

from fakes.faults import faulty
from fakes.processes import FORKED
from privapub import clock
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.tables import job as table
from privapub.jobs.worker import Worker


@dataclass(frozen=True)
class Line:
    """What a handler did: at `at` of the clock that runs evenly for all processes of a machine."""

    what: str  # ready, begin, end, cancelled, stopping
    id: int
    kind: str
    lane: str
    attempt: int
    stamp: str
    pid: int
    beside: int
    at: float


@dataclass(frozen=True)
class Log:
    """The file that they write to."""

    path: Path

    def say(self, what: str, job: Job | None = None, beside: int = 0) -> None:
        words = [what, 0, "-", "-", 0, "-"]
        if job is not None:
            words = [what, job.id, job.kind, job.lane, job.attempt, job.stamp]
        line = " ".join(map(str, [*words, os.getpid(), beside, time.monotonic()])) + "\n"
        opened = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(opened, line.encode())
        os.close(opened)

    def lines(self, what: str = "", kind: str = "") -> list[Line]:
        if not self.path.exists():
            return []
        found = []
        for text_line in self.path.read_text(encoding="ascii").splitlines():
            said, number, name, lane, attempt, stamp, pid, beside, at = text_line.split()
            if what in ("", said) and kind in ("", name):
                line = Line(said, int(number), name, lane, int(attempt), stamp, int(pid), int(beside), float(at))
                found.append(line)
        return found

    async def until(self, count: int, what: str, kind: str = "") -> list[Line]:
        """Wait until there are so many of these lines."""
        while len(found := self.lines(what, kind)) < count:  # noqa: ASYNC110 - other processes write it
            await asyncio.sleep(0.02)
        return found


@dataclass(frozen=True)
class Terms:
    """How a process works; times in seconds."""

    lease: float = 1.5
    attempts: int = 16
    at_once: int = 8
    per_lane: int = 1000
    grace: float = 25.0
    reap_every: float = 0.3
    wall_ahead: float = 0.0  # how far this process' wall clock is ahead of the machine's
    kill_at: int = 0  # the statement at which it kills itself
    kill_after: bool = False
    kill_matching: str = ""  # only statements with these words count


@dataclass
class Hand:
    """What the handlers of one process share."""

    log: Log
    stopping: Any = None
    running: set[int] = field(default_factory=set)

    async def obey(self, job: Job) -> None:
        """Do what the job says, and say so."""
        self.running.add(job.id)
        self.log.say("begin", job, len(self.running) - 1)
        try:
            if job.attempt == 1 or job.args.get("always"):
                await self._do(job.args.get("do", ""), float(job.args.get("seconds", 0)))
            self.log.say("end", job)
        except asyncio.CancelledError:
            self.log.say("cancelled", job)
            raise
        finally:
            self.running.discard(job.id)

    async def _do(self, what: str, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        if what == "busy":  # the loop is held for a while, again and again
            while time.monotonic() < ends_at:
                time.sleep(0.005)  # noqa: ASYNC251 - that is the fault
                await asyncio.sleep(0)
        elif what == "block":  # the loop is not given back until it is over
            time.sleep(seconds)  # noqa: ASYNC251 - that is the fault
        elif what == "sleep":
            await asyncio.sleep(seconds)
        elif what == "hang":
            await asyncio.Event().wait()
        elif what == "exit":
            os._exit(1)
        elif what == "until told to stop":
            while not self.stopping():  # noqa: ASYNC110 - the worker has no event for it
                await asyncio.sleep(0.01)


def kinds(hand: Hand, terms: Terms) -> dict[str, JobKind]:
    """`work` does as told, `late` fails for good the first time, `write` and `fan` leave rows in `made_by_test`."""

    async def work(job: Job) -> Outcome:
        await hand.obey(job)
        return Done()

    async def late(job: Job) -> Outcome:
        await hand.obey(job)
        return GiveUp("late") if job.attempt == 1 else Done()

    async def write(tx: Transaction, job: Job, _fetched: Any, _now: float) -> None:
        await tx.execute(MADE.bindparams(n=job.args["n"], pid=os.getpid(), attempt=job.attempt))

    async def gather(job: Job) -> list[str]:
        await hand.obey(job)
        return [str(inbox) for inbox in job.args["inboxes"]]

    async def fan(tx: Transaction, job: Job, inboxes: list[str], _now: float) -> None:
        for n, _inbox in enumerate(inboxes):
            await tx.execute(MADE.bindparams(n=n, pid=os.getpid(), attempt=job.attempt))
        await put(tx, deliveries(job.args["activity"], inboxes))

    def kind(name: str, **halves: Any) -> JobKind:
        return JobKind(
            name, at_once=terms.at_once, per_lane=terms.per_lane, lease=terms.lease, attempts=terms.attempts, **halves
        )

    found = [kind("work", fetch=work), kind("late", fetch=late), kind("write", write=write)]
    found.append(kind("fan", fetch=gather, write=fan))
    return {each.name: each for each in found}


MADE = text("INSERT INTO made_by_test(n, pid, attempt) VALUES (:n, :pid, :attempt)")


async def make_table(database: Database) -> None:
    """Where `write` and `fan` leave their rows."""
    async with database.write() as tx:
        await tx.execute(text("CREATE TABLE made_by_test(n INTEGER, pid INTEGER, attempt INTEGER)"))


def deliveries(activity: str, inboxes: list[str]) -> list[NewJob]:
    """One for each inbox, once for ever; no process of these runs them."""
    return [
        NewJob("delivery", f"host:{inbox}", {"inbox": inbox}, dedupe_key=f"{activity} {inbox}") for inbox in inboxes
    ]


def main(url: str, path: Path, terms: Terms) -> None:
    """Work until told to stop by SIGTERM."""
    if terms.wall_ahead:  # the clock of the machine, as it is wrong here
        wrong = SimpleNamespace(time=lambda: time.time() + terms.wall_ahead, monotonic=time.monotonic)
        clock.time = wrong  # type: ignore[assignment]  # it has what is used of it
    asyncio.run(_work(url, Log(path), terms))


async def _work(url: str, log: Log, terms: Terms) -> None:
    database, faults = faulty(url) if terms.kill_at else (Database(url, pool_size=2), None)
    hand = Hand(log)
    worker = Worker(database, kinds(hand, terms), poll=0.2, reap_every=terms.reap_every, grace=terms.grace)
    hand.stopping = lambda: worker.stopping

    def stop() -> None:
        worker.stop()
        log.say("stopping")

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    log.say("ready")
    if faults is None:
        await worker.run()
    else:
        with faults.armed(
            terms.kill_at,
            after=terms.kill_after,
            act=_kill_myself,
            matches=lambda sql: terms.kill_matching in sql,
        ):
            await worker.run()
    await database.close()


def _kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def hired(url: str, log: Log, count: int = 1, terms: Terms | None = None) -> Iterator[list[BaseProcess]]:
    """So many processes, which are killed at the end."""
    crew = [FORKED.Process(target=main, args=(url, log.path, terms or Terms()), daemon=True) for _ in range(count)]
    for process in crew:
        process.start()
    try:
        yield crew
    finally:
        for process in crew:
            process.kill()
            process.join(10)


async def gone(process: BaseProcess) -> int | None:
    """Wait for its end; the status."""
    await asyncio.to_thread(process.join, 60)
    return process.exitcode


async def rows(database: Database, kind: str = "") -> list[Any]:
    """The jobs that there are (of one kind), the first first."""
    async with database.read() as tx:
        found = await tx.all(select(table).order_by(table.c.id))
    return [row for row in found if kind in ("", row.kind)]


async def ended(database: Database, *kinds: str) -> None:
    """Wait until every job of these kinds has ended."""
    while any(row.finished_at is None for row in await rows(database) if row.kind in kinds):  # noqa: ASYNC110 - it is the database that is looked at
        await asyncio.sleep(0.05)
