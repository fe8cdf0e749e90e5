"""What there is to know about a kind of job: what it does, and within which limits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from privapub.database.transaction import Transaction
from privapub.jobs.job import Job, Outcome

Fetch = Callable[[Job], Awaitable[Any]]
Write = Callable[[Transaction, Job, Any, float], Awaitable[Outcome | None]]
Record = Callable[[Transaction, Sequence[tuple[Job, Outcome]], float], Awaitable[None]]


@dataclass(frozen=True)
class JobKind:
    """A kind of job.

    `fetch(job)` alone uses the network, has no transaction, and returns an Outcome. `write(tx, job, None, now)` alone
    runs in a transaction that also holds the outcome (None is Done): all of it or nothing. With both, what `fetch`
    returns is handed to `write`, unless it is an Outcome, which ends the job there.

    `record(tx, [(job, outcome)], now)` is called in the transaction that ends or retries jobs, with those whose lease
    still held, and with what became of them: a Retry with its `after`, a GiveUp where the attempts are spent, where
    the worker died too often, or where the job was cancelled.

    Limits: `at_once` in one process, `per_lane` over all processes; `lease` and `deadline` are in seconds (the first is
    renewed while the handler runs, the second bounds a handler that hangs); `attempts` as counted by leases. What has
    waited for `hold` seconds since it was put is given up.

    With `breaker`, lanes are hosts, whose outcomes say whether they were heard: one that fails again and again is left
    alone for a while, and those whose last answer was a failure share `failing_at_once` of the places. A job of a lane
    that does not fail gives its place to another after `aside_after` seconds, but keeps its lease and its place in the
    lane; `aside_at_once` may have done so at one time.
    """

    name: str
    fetch: Fetch | None = None
    write: Write | None = None
    at_once: int = 4
    per_lane: int = 1000
    lease: float = 120.0
    deadline: float = 600.0
    attempts: int = 16
    record: Record | None = None
    hold: float | None = None
    breaker: bool = False
    failing_at_once: int = 2
    aside_after: float = 1.0
    aside_at_once: int = 0

    def __post_init__(self) -> None:
        """A kind that does nothing cannot be."""
        if self.fetch is None and self.write is None:
            raise ValueError(f"job kind {self.name!r} neither fetches nor writes")
