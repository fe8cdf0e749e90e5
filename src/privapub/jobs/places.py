"""The places of one process: how many handlers of a kind may run at once, and who holds them."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from privapub.jobs.job import Job, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot


@dataclass(eq=False)
class Run:
    """One lease that this process holds, from the lease to the recorded outcome; times are of the even clock."""

    job: Job
    kind: JobKind
    ends_at: float  # the lease
    renew_at: float
    task: asyncio.Task[None] | None = None
    began_at: float = 0.0
    stop_at: float = math.inf  # when its handler has had its time
    timer: asyncio.TimerHandle | None = None
    aside: bool = False  # it has given its place to another
    begun: bool = False
    ended: bool = False
    overdue: bool = False
    outcome: Outcome | None = None
    lost: bool = False
    unrecordable: bool = False


class Places:
    """Counts who holds a place, by kind."""

    def __init__(self, kinds: Sequence[JobKind]) -> None:
        """`kinds` are those that this process takes."""
        self.kinds = kinds
        self.handling = 0  # how many handlers run, also those without a place
        self._busy: Counter[str] = Counter()
        self._failing: Counter[str] = Counter()  # of the busy ones, those of lanes that fail
        self._aside: Counter[str] = Counter()

    def free(self) -> list[Slot]:
        """The room there is, of each kind that has any."""
        return [
            Slot(kind, kind.at_once - self._busy[kind.name], kind.failing_at_once - self._failing[kind.name])
            for kind in self.kinds
            if kind.at_once > self._busy[kind.name]
        ]

    def take(self, run: Run) -> None:
        """A lease holds a place."""
        self.handling += 1
        self._busy[run.kind.name] += 1
        self._failing[run.kind.name] += run.job.failing

    def give_back(self, run: Run) -> None:
        """Its handler has ended."""
        name, run.ended = run.kind.name, True
        self.handling -= 1
        if run.aside:
            self._aside[name] -= 1
        else:
            self._busy[name] -= 1
            self._failing[name] -= run.job.failing

    def step_aside(self, kind: JobKind, runs: Iterable[Run], now: float) -> bool:
        """Those that have had no answer for a while give their places to others, the oldest first, while any may.

        Whether one did. Who is of a lane that fails keeps its place: of those there are to be few.
        """
        one_did = False
        for run in sorted(runs, key=lambda run: run.began_at):
            if self._aside[kind.name] >= kind.aside_at_once or run.began_at > now - kind.aside_after:
                break
            if run.kind is kind and not (run.aside or run.job.failing or run.ended):
                run.aside = one_did = True
                self._aside[kind.name] += 1
                self._busy[kind.name] -= 1
        return one_did

    def half_free(self, kind: JobKind) -> bool:
        """Whether no more than half of the places of a kind are taken."""
        return self._busy[kind.name] * 2 <= kind.at_once

    def crowded(self) -> bool:
        """Whether more than half of the places are taken, of those kinds of which anything runs."""
        return self._busy.total() * 2 > sum(kind.at_once for kind in self.kinds if self._busy[kind.name])
