"""A process that does everything to a queue at once with others, and writes down what it held and when."""

import asyncio
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import select

from fakes.crew import Log
from privapub import identifiers
from privapub.database.connect import Database
from privapub.errors import Conflict, NotFound
from privapub.jobs import read, reaper
from privapub.jobs.enqueue import put
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease, release, renew
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.tables import job as table

LANES = [f"host:{n}.test" for n in range(5)]
KEYS = [f"key {n}" for n in range(6)]


async def _unused(_job: Job) -> Outcome:
    return Done()


RACE = JobKind("race", fetch=_unused, at_once=8, per_lane=2, lease=60.0, attempts=5)
KINDS = {"race": RACE}
BRIEF = replace(RACE, lease=0.25)  # for a lease that is left lying


@dataclass
class Racer:
    """Its seed decides what it does, and the others when."""

    database: Database
    log: Log
    chance: random.Random

    async def put(self) -> None:
        """Many keys at once, in an order that is another each time."""
        keys, name = self.chance.sample(KEYS, 4), identifiers.token()
        jobs = [NewJob("race", self.lane_of(key), {}, ordering_key=key, trigger=name) for key in keys]
        for key in self.chance.sample(KEYS, 4):
            waiting = self.chance.random() < 0.5
            twin = f"{'while waiting' if waiting else 'once'} {key}"
            jobs.append(NewJob("race", self.lane_of(key), {}, dedupe_key=twin, unique_while_waiting=waiting))
        jobs.append(NewJob("race", self.chance.choice(LANES)))
        self.chance.shuffle(jobs)
        self.say("putting", [_named(name)])
        async with self.database.write() as tx:
            half = self.chance.randrange(len(jobs))
            await put(tx, jobs[:half])
            await put(tx, jobs[half:])
        self.say("put", [_named(name)])

    @staticmethod
    def lane_of(key: str) -> str:
        return LANES[KEYS.index(key) % len(LANES)]

    async def work(self) -> None:
        """Lease some, hold them for a moment, and end them in one way or another, many in one transaction."""
        held = await self.taken(Slot(RACE, self.chance.randint(1, 6)))
        held += await self.taken(Slot(RACE, 8), alone=True)
        if not held:
            return
        self.say("begin", held)
        await asyncio.sleep(self.chance.uniform(0, 0.01))
        if self.chance.random() < 0.5:
            async with self.database.write() as tx:
                await renew(tx, held)
        self.chance.shuffle(held)
        self.say("end", held)
        async with self.database.write() as tx:
            if self.chance.random() < 0.15:
                await release(tx, held)
            else:
                outcomes = [(job, self.outcome()) for job in held]
                await finish(tx, KINDS, outcomes, await moment(tx))

    async def taken(self, slot: Slot, *, alone: bool = False) -> list[Job]:
        stamp = identifiers.token()
        self.say("taking", [_named(stamp)])
        return (await lease(self.database, [slot], stamp, alone=alone)).jobs

    def outcome(self) -> Outcome:
        return self.chance.choice([Done(), Done(), GiveUp("no"), Retry(0.01), Retry(0.01, whole_lane=True)])

    def say(self, what: str, jobs: list[Job]) -> None:
        for job in jobs:
            self.log.say(what, job)

    async def leave_lying(self) -> None:
        """What a process does that dies."""
        held = (await lease(self.database, [Slot(BRIEF, 1)], identifiers.token())).jobs
        self.say("left", held)

    async def reap(self) -> None:
        await reaper.reap(self.database, KINDS)
        await reaper.repair(self.database)

    async def meddle(self) -> None:
        """An operator cancels and tries again."""
        async with self.database.read() as tx:
            ids = [row.id for row in await tx.all(select(table.c.id))]
        for number in self.chance.sample(ids, min(len(ids), 3)):
            verb = self.chance.choice([read.cancel, read.retry])
            meddling = [_named(identifiers.token(), number)]
            if verb is read.cancel:  # who holds it holds it no more
                self.say("cancelling", meddling)
            try:
                async with self.database.write() as tx:
                    await verb(tx, number, await moment(tx))
            except (Conflict, NotFound):
                continue
            if verb is read.cancel:
                self.say("cancelled", meddling)


def _named(name: str, number: int = 0) -> Job:
    return Job(number, "race", "-", {}, 0, name, "", 0.0, 0.0, 0.0)


def main(url: str, path: Path, seed: int, steps: int) -> None:
    """So many steps; ends with an error if one of them raised one."""
    asyncio.run(_race(url, path, seed, steps))


async def _race(url: str, path: Path, seed: int, steps: int) -> None:
    database = Database(url, pool_size=2)
    racer = Racer(database, Log(path), random.Random(seed))  # noqa: S311 - what it does can be done again
    verbs = [racer.put, racer.work, racer.work, racer.work, racer.leave_lying, racer.reap, racer.meddle]
    ends_at = time.monotonic() + 60
    for _ in range(steps):
        await racer.chance.choice(verbs)()
        if time.monotonic() > ends_at:
            break
    await database.close()
