"""Putting jobs into the queue, in the caller's transaction."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select

from privapub.database.transaction import Transaction
from privapub.jobs.job import FACTS, Job, NewJob, topic
from privapub.jobs.settle import Cancelled, in_turn, insert, settling
from privapub.jobs.tables import job as table


async def put(tx: Transaction, jobs: Sequence[NewJob], *, scope: str = "", unsent: Cancelled | None = None) -> int:
    """Queue the jobs, all in one insert, and wake the workers once the transaction is committed.

    Returns how many are new: one whose `dedupe_key` is there already is not, nor one that will wait for its running
    twin. `unsent(tx, jobs, now)` is told of those that are the last of a story of which nothing was ever leased: they
    are cancelled with it. Raises ValueError for a job that is unique while waiting and has no key or is also ordered,
    and for one that is first or last of nothing.
    """
    if not jobs:
        return 0
    rows = [_row(job, scope, place) for place, job in enumerate(_in_order(jobs))]
    await in_turn(tx, rows, scope)
    inserted = await insert(tx, rows)
    owed = settling(tx, scope)
    new_keys = set()
    for _id, kind, lane, run_at, _state, dedupe_key in inserted:
        owed.touch(kind, lane, run_at)
        new_keys.add(dedupe_key)
    for row in rows:
        if row["ordering_key"] is not None:
            if row["state"] == "blocked":
                owed.keep_order(row["lane"], row["ordering_key"])
            if row["part"] == "last":
                owed.last_of[row["ordering_key"]] = unsent
        elif row["dedupe_key"] is not None and not row["once_for_ever"] and row["dedupe_key"] not in new_keys:
            owed.twins.append(row)
            owed.touch(row["kind"], row["lane"], None)
    tx.announce(topic(scope))
    return len(inserted)


async def followed_by_last(tx: Transaction, job: Job, ordering_key: str) -> bool:
    """Whether the last of a story was put since this job was."""
    after = table.c.scope == job.scope, table.c.ordering_key == ordering_key, table.c.id > job.id
    return await tx.first(select(table.c.id).where(*after, table.c.part == "last").limit(1)) is not None


async def put_fact(tx: Transaction, fact: Any, *, about: str, trigger: str = "") -> None:
    """Tell the house what has happened: a job of the fact's name, its fields as arguments, in the lane of facts.

    What follows from facts about one thing is done in the order in which they happened.
    """
    await put(
        tx,
        [
            NewJob(
                fact_kind(type(fact)), FACTS, msgspec.to_builtins(fact),
                trigger=trigger, ordering_key=f"{FACTS} {about}",
            )
        ],
    )  # fmt: skip


def fact_kind(fact: type) -> str:
    """The job kind of a fact: its class name in snake case (PostPublished is `post_published`)."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", fact.__name__).lower()


def _in_order(jobs: Sequence[NewJob]) -> list[NewJob]:
    """Keys in one order everywhere, so that two transactions with the same keys cannot lock each other out.

    Jobs of one ordering key stay in the order in which they were given.
    """
    return sorted(
        jobs,
        key=lambda job: (
            job.kind,
            job.lane,
            job.ordering_key or "",
            "" if job.ordering_key else job.dedupe_key or "",
        ),
    )


def _row(job: NewJob, scope: str, place: int) -> dict[str, Any]:
    if job.unique_while_waiting and (job.dedupe_key is None or job.ordering_key is not None):
        raise ValueError(f"job kind {job.kind!r}: unique while waiting asks for a dedupe key and no ordering key")
    if job.part is not None and job.ordering_key is None:
        raise ValueError(f"job kind {job.kind!r}: first or last of a story asks for an ordering key")
    return {
        "scope": scope,
        "kind": job.kind,
        "lane": job.lane,
        "args": msgspec.json.encode(job.args).decode(),
        "trigger": job.trigger,
        "dedupe_key": job.dedupe_key,
        "ordering_key": job.ordering_key,
        "part": job.part,
        # Whether a predecessor is still there is seen when nobody else can put or end one: until then it waits.
        "state": "blocked" if job.ordering_key is not None else "waiting",
        "run_at": job.run_at,
        "once_for_ever": job.dedupe_key is not None and not job.unique_while_waiting,
        "twin": False,
        "place": place,
    }
