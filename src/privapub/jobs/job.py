"""A job as its handler sees it, a job as it is asked for, and the three ways that running one can end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

WAITING = "waiting"
LEASED = "leased"
BLOCKED = "blocked"
PAUSED = "paused"  # held back since a restore, until the operator lets it go on
DONE = "done"
FAILED = "failed"
CANCELLED = "cancelled"
STATES = (WAITING, LEASED, BLOCKED, PAUSED, DONE, FAILED, CANCELLED)
ENDED = (DONE, FAILED, CANCELLED)

Part = Literal["first", "last"]

FACTS = "facts"  # the lane of what has happened
WORKER_DIED = "worker died"


class Job(msgspec.Struct, frozen=True):
    """One lease of one job: `attempt` counts this lease, `stamp` is this lease's own.

    `failing`: the last answer of its lane was a failure; `probe`: it alone tries a lane in quarantine.
    `unreadable` says why its arguments cannot be read, where they cannot.
    """

    id: int
    kind: str
    lane: str
    args: dict[str, Any]
    attempt: int
    stamp: str
    trigger: str
    created_at: float
    run_at: float
    lease_until: float
    ordering_key: str | None = None
    scope: str = ""
    dedupe_key: str | None = None
    once_for_ever: bool = False
    leased_at: float = 0.0
    failing: bool = False
    probe: bool = False
    unreadable: str = ""


def from_row(
    row: Any, stamp: str, scope: str, *, leased_at: float = 0.0, failing: bool = False, probe: bool = False
) -> Job:
    """A Job from a row of the table, read by column name; the lease is the one with this stamp ("": there is none)."""
    args, unreadable = _arguments(row["args"])
    return Job(
        id=row["id"],
        kind=row["kind"],
        lane=row["lane"],
        args=args,
        attempt=row["attempt"],
        stamp=stamp,
        trigger=row["trigger"],
        created_at=row["created_at"],
        run_at=row["run_at"],
        lease_until=row["lease_until"] or 0.0,
        ordering_key=row["ordering_key"],
        scope=scope,
        dedupe_key=row["dedupe_key"],
        once_for_ever=bool(row["once_for_ever"]),
        leased_at=leased_at,
        failing=failing,
        probe=probe,
        unreadable=unreadable,
    )


def _arguments(text: str) -> tuple[dict[str, Any], str]:
    """The arguments, and why there are none: one row that nobody can read must not stop those leased with it."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return {}, f"its arguments are no JSON: {error}"
    return (found, "") if isinstance(found, dict) else ({}, "its arguments are no JSON object")


def topic(scope: str) -> str:
    """What a transaction announces that has put or freed jobs of a scope."""
    return f"jobs:{scope}" if scope else "jobs"


@dataclass(frozen=True)
class NewJob:
    """A job to be queued.

    `run_at` None is now. With a `dedupe_key` it is queued once: against every row there is, ended ones too, or, with
    `unique_while_waiting`, against those that wait; if its twin is running, it waits for the twin's end, one at most.
    Jobs of one `ordering_key` run one after the other, in the order in which they were put.
    A job with the trigger "request" leaves no row when it has ended.

    `part` tells where in the story of its ordering key it stands: the "last" takes back what has not been sent yet, and
    where not even the "first" was ever leased, nobody needs to hear of the last either.
    """

    kind: str
    lane: str
    args: Mapping[str, Any] = field(default_factory=dict)
    run_at: float | None = None
    dedupe_key: str | None = None
    ordering_key: str | None = None
    trigger: str = ""
    unique_while_waiting: bool = False
    part: Part | None = None


@dataclass(frozen=True)
class Done:
    """It ended well.

    All three outcomes may say whether the job's host was `heard`: True where it answered, be it with a refusal; False
    where it did not, or with a failure of its own; None where nothing is known of it.
    """

    heard: bool | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Retry:
    """It failed this time.

    `after` is in seconds; None is the time that `backoff` gives. `spends_attempt=False` gives the attempt back.
    With `whole_lane`, nothing of the job's lane runs before `after` has passed.
    """

    after: float | None = None
    why: str = ""
    spends_attempt: bool = field(default=True, kw_only=True)
    whole_lane: bool = field(default=False, kw_only=True)
    heard: bool | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class GiveUp:
    """It failed for good."""

    why: str = ""
    heard: bool | None = field(default=None, kw_only=True)


Outcome = Done | Retry | GiveUp
