"""What becomes of a job when its handler has ended, written only while its lease still holds."""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.jobs import backoff
from privapub.jobs.job import DONE, FAILED, WAITING, Done, GiveUp, Job, Outcome, Retry
from privapub.jobs.kind import JobKind
from privapub.jobs.settle import Verdict, settling
from privapub.scope import READER

_WHY_LENGTH = 1000
_FIELDS = "id bigint, stamp text, state text, run_at float8, attempt int, finished_at float8, why text"
_SOURCE = {
    "sqlite": "SELECT "
    + ", ".join(f"e.value->>'{f.split()[0]}' AS {f.split()[0]}" for f in _FIELDS.split(", "))
    + " FROM json_each(?) e",
    "postgresql": f"SELECT * FROM json_to_recordset($1::text::json) AS x({_FIELDS})",
}  # fmt: skip
_FINISH = {
    dialect: f"""
UPDATE job SET state = h.state, run_at = h.run_at, attempt = h.attempt, finished_at = h.finished_at, why = h.why,
    stamp = NULL, lease_until = NULL, alone = false
  FROM ({source}) AS h
  WHERE job.id = h.id AND job.stamp = h.stamp AND job.state = 'leased' """
    for dialect, source in _SOURCE.items()
}
_FINISH_TOLD = {dialect: f"{statement}RETURNING job.id" for dialect, statement in _FINISH.items()}
_HELD = f"""
SELECT json_group_array(job.id) FROM ({_SOURCE["sqlite"]}) AS h JOIN job ON job.id = h.id
  WHERE job.stamp = h.stamp AND job.state = 'leased'"""
_DELETE = {
    "sqlite": "DELETE FROM job WHERE id IN (SELECT value FROM json_each(?))",
    "postgresql": "DELETE FROM job WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::text::json))",
}


@dataclass(frozen=True)
class Became:
    """The row of a job after an outcome; `outcome` is what it came to (a Retry too many is a GiveUp)."""

    state: str
    run_at: float
    attempt: int
    finished_at: float | None
    why: str | None
    outcome: Outcome


def became(job: Job, outcome: Outcome, attempts: int, now: float, chance: float) -> Became:
    """What an outcome makes of a leased job. Pure; `chance` (0 to 1) places the wait within its jitter."""
    match outcome:
        case Done():
            return Became(DONE, job.run_at, job.attempt, now, None, outcome)
        case GiveUp(why):
            why = _said(why)
            return Became(FAILED, job.run_at, job.attempt, now, why, replace(outcome, why=why))
        case Retry(after, why):
            why = _said(why)
            spends = outcome.spends_attempt and not job.probe
            if spends and job.attempt >= attempts:
                return Became(FAILED, job.run_at, job.attempt, now, why, GiveUp(why, heard=outcome.heard))
            seconds = backoff.wait(max(job.attempt, 1), chance) if after is None else max(after, 0.0)
            attempt = job.attempt if spends else job.attempt - 1
            settled = replace(outcome, after=seconds, why=why, spends_attempt=spends)
            return Became(WAITING, now + seconds, attempt, None, why, settled)


def _said(why: str) -> str:
    """A reason that every database can hold: what a peer says may get into it."""
    return why[:_WHY_LENGTH].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _chance(outcome: Outcome) -> float:
    return identifiers.uniform(0, 1) if isinstance(outcome, Retry) else 0.0


async def finish(
    tx: Transaction,
    kinds: Mapping[str, JobKind],
    ended: Sequence[tuple[Job, Outcome]],
    now: float,
    *,
    scope: str = "",
) -> list[tuple[Job, Outcome]]:
    """Write the outcomes of those jobs whose lease still holds, and hand them to their kinds' `record`.

    Returns those, with what the outcomes came to; the others changed nothing.
    """
    plan = {
        job.id: (job, became(job, outcome, kinds[job.kind].attempts, now, _chance(outcome)))
        for job, outcome in sorted(ended, key=lambda pair: pair[0].id)
    }
    rows = [
        {
            "id": job.id,
            "stamp": job.stamp,
            "state": after.state,
            "run_at": after.run_at,
            "attempt": after.attempt,
            "finished_at": after.finished_at,
            "why": after.why,
        }
        for job, after in plan.values()
    ]
    ids = await _write(tx, msgspec.json.encode(rows).decode(), list(plan))
    held = [plan[job_id] for job_id in sorted(ids)]
    await _settle(tx, kinds, held, scope, now)
    settled = [(job, after.outcome) for job, after in held]
    await record(tx, kinds, settled, now)
    return settled


async def _write(tx: Transaction, rows: str, ids: list[int]) -> Sequence[int]:
    """Write these rows of JSON where the lease still holds; the ids of those jobs."""
    if len(ids) > 1:
        if tx.dialect == "sqlite":  # many rows come faster as one of JSON, and nobody else writes in between
            ((held,),) = await tx.raw(_HELD, (rows,))
            await tx.raw(_FINISH["sqlite"], (rows,))
            return msgspec.json.decode(held, type=list[int])
        # Rows are locked in one order, so that two statements cannot lock each other out.
        await tx.raw("SELECT id FROM job WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE", (ids,))
    return [row[0] for row in await tx.raw(_FINISH_TOLD[tx.dialect], (rows,))]


async def record(
    tx: Transaction, kinds: Mapping[str, JobKind], settled: Sequence[tuple[Job, Outcome]], now: float
) -> None:
    """Hand what became of jobs to the `record` of their kinds."""
    by_kind: dict[str, list[tuple[Job, Outcome]]] = {}
    for job, outcome in settled:
        if not job.unreadable:
            by_kind.setdefault(job.kind, []).append((job, outcome))
    for name, pairs in by_kind.items():
        kind = kinds.get(name)
        if kind is not None and kind.record is not None:
            await kind.record(tx, pairs, now)


async def forget_readers(tx: Transaction, ended: Sequence[Job]) -> None:
    """Of work that a reader caused, no row remains once it has ended."""
    gone = [job.id for job in ended if job.trigger == READER]
    if gone:
        await tx.raw(_DELETE[tx.dialect], (json.dumps(gone),))


async def _settle(
    tx: Transaction, kinds: Mapping[str, JobKind], held: Sequence[tuple[Job, Became]], scope: str, now: float
) -> None:
    over = []
    for job, after in held:
        if kinds[job.kind].breaker and after.outcome.heard is not None:
            settling(tx, scope).judge(job.kind, job.lane, Verdict(after.outcome.heard, now, job.leased_at))
        if after.state == WAITING:
            owed = settling(tx, scope)
            pushed = isinstance(after.outcome, Retry) and after.outcome.whole_lane
            owed.touch(job.kind, job.lane, after.run_at, after.run_at if pushed else 0.0)
            if job.ordering_key is not None:
                owed.retried_keys.add(job.ordering_key)
        else:
            over.append(job)
            free_waiting(tx, job, scope)
    await forget_readers(tx, over)


def free_waiting(tx: Transaction, job: Job, scope: str) -> None:
    """An ended job lets go of what waited for its end."""
    follows = job.ordering_key is not None
    has_twin = job.dedupe_key is not None and not job.once_for_ever
    if follows or has_twin:
        owed = settling(tx, scope)
        owed.touch(job.kind, job.lane, None)
        if job.ordering_key is not None:
            owed.keep_order(job.lane, job.ordering_key)
        if job.dedupe_key is not None and has_twin:
            owed.dedupe_keys.add(job.dedupe_key)
