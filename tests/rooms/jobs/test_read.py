"""What an operator sees of the queue and does to many at once; on both databases."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select, update

from privapub import clock, identifiers
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.jobs import hosts, read
from privapub.jobs.enqueue import put
from privapub.jobs.job import DONE, ENDED, STATES, Done, GiveUp, Job, NewJob, Outcome
from privapub.jobs.kind import JobKind
from privapub.jobs.lease import Slot, lease
from privapub.jobs.moment import moment
from privapub.jobs.outcome import finish
from privapub.jobs.read import Changed, Filter
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane as lanes

HOUR = 3600.0


async def done(_job: Job) -> Outcome:
    return Done()


KINDS = {name: JobKind(name, fetch=done) for name in ("work", "other")}


async def put_all(database: Database, *jobs: NewJob) -> None:
    """Put them one by one, so that their numbers are in the order in which they stand here."""
    for job in jobs:
        async with database.write() as tx:
            await put(tx, [job])


async def take(database: Database, many: int = 100) -> list[Job]:
    return (await lease(database, [Slot(kind, many, many) for kind in KINDS.values()], identifiers.token())).jobs


async def end(database: Database, *ended: tuple[Job, Outcome]) -> None:
    async with database.write() as tx:
        await finish(tx, KINDS, ended, await moment(tx))


async def states(database: Database) -> dict[int, str]:
    async with database.read() as tx:
        return {row.id: row.state for row in await tx.all(select(table).order_by(table.c.id))}


async def ids(database: Database, which: Filter) -> list[int]:
    async with database.read() as tx:
        return await read.chosen(tx, which)


async def retry(database: Database, *numbers: int) -> Changed:
    async with database.write() as tx:
        return await read.retry_all(tx, numbers, await moment(tx))


async def cancel(database: Database, *numbers: int) -> Changed:
    async with database.write() as tx:
        return await read.cancel_all(tx, numbers, await moment(tx), KINDS)


async def purge(database: Database, *numbers: int) -> Changed:
    async with database.write() as tx:
        return await read.purge(tx, numbers)


async def seeds(database: Database) -> dict[str, int]:
    """A job in each state: its number by its state."""
    await put_all(
        database,
        *(NewJob("work", "host:a.example", {"to": state}) for state in STATES if state != "blocked"),
        NewJob("other", "host:b.example", ordering_key="k"),
        NewJob("other", "host:b.example", ordering_key="k"),
    )
    async with database.write() as tx:
        now = await moment(tx)
        await tx.execute(update(table).values(created_at=now - 3 * HOUR))
        for number, state in enumerate([state for state in STATES if state != "blocked"], start=1):
            ended = {"finished_at": now - HOUR} if state in ENDED else {}
            await tx.execute(update(table).where(table.c.id == number).values(state=state, **ended))
    found = {state: number for number, state in (await states(database)).items() if number < 7 or state == "blocked"}
    assert set(found) == set(STATES)
    return found


@pytest.mark.parametrize("state", STATES)
async def test_jobs_of_a_state_are_found_whatever_else_is_asked(database: Database, state: str) -> None:
    numbers = await seeds(database)
    mine = numbers[state]
    kind, lane = ("other", "host:b.example") if state == "blocked" else ("work", "host:a.example")
    async with database.read() as tx:
        now = await moment(tx)
        age = HOUR if state in ENDED else 3 * HOUR
        for filters in (
            {}, {"kind": kind}, {"lane": lane}, {"kind": kind, "lane": lane}, {"before": now - age + 60},
            {"since": now - age - 60}, {"lane": lane, "since": now - age - 60, "before": now - age + 60},
        ):  # fmt: skip
            assert mine in await read.chosen(tx, Filter(states=(state,), **filters)), filters
            listed = await read.list_jobs(tx, filters.get("kind"), filters.get("lane"), state, 9, **_ages(filters))
            assert mine in [row.id for row in listed], filters
            assert {row.state for row in listed} == {state}
            assert mine in [row.id for row in await read.list_jobs(tx, limit=9, **_ages(filters))]
        for filters in (
            {"kind": "none"}, {"lane": "host:none"}, {"before": now - age - 60}, {"since": now - age + 60},
        ):  # fmt: skip
            assert mine not in await read.chosen(tx, Filter(states=(state,), **filters)), filters
            listed = await read.list_jobs(tx, filters.get("kind"), filters.get("lane"), state, 9, **_ages(filters))
            assert mine not in [row.id for row in listed], filters


def _ages(filters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in filters.items() if name in ("before", "since")}


async def test_those_that_were_put_last_come_first_and_of_the_ended_those_that_ended_last(database: Database) -> None:
    await put_all(database, *(NewJob("work", f"lane{n}") for n in range(6)))
    jobs = await take(database, 3)
    first, second, third = (job.id for job in jobs)
    for job in (jobs[1], jobs[0], jobs[2]):
        clock.advance(1)
        await end(database, (job, Done()))
    async with database.read() as tx:
        waiting = [row.id for row in await read.list_jobs(tx, state="waiting", limit=2)]
        assert waiting == sorted(waiting, reverse=True)
        assert max(await read.chosen(tx, Filter(states=("waiting",)))) == waiting[0]
        assert [row.id for row in await read.list_jobs(tx, state="done")] == [third, first, second]
        assert [row.id for row in await read.list_jobs(tx, state="done", limit=1)] == [third]


async def test_one_that_is_to_run_alone_is_found_too(database: Database) -> None:
    await put_all(database, NewJob("work", "host:a.example"), NewJob("work", "host:a.example"))
    async with database.write() as tx:
        await tx.execute(update(table).where(table.c.id == 1).values(alone=True))
    assert await ids(database, Filter("work", "host:a.example", ("waiting",))) == [1, 2]
    async with database.read() as tx:
        assert [row.id for row in await read.list_jobs(tx, state="waiting")] == [2, 1]
        assert [row.waiting for row in await hosts.list_hosts(tx)] == [2]


async def test_of_many_those_that_cannot_be_tried_again_stop_nobody(database: Database) -> None:
    await put_all(
        database,
        NewJob("work", "a"),
        NewJob("work", "a"),
        NewJob("work", "create", ordering_key="k", part="first"),
        NewJob("other", "twice", dedupe_key="d", unique_while_waiting=True),
        NewJob("work", "runs"),
    )
    jobs = {job.id: job for job in await take(database)}
    await end(database, *((job, GiveUp("no")) for id_, job in jobs.items() if id_ not in (2, 5)), (jobs[2], Done()))
    await put_all(
        database,
        NewJob("work", "create", ordering_key="k", part="last"),
        NewJob("other", "twice", dedupe_key="d", unique_while_waiting=True),
    )
    changed = await retry(database, *range(1, 8), 99)
    assert changed.ids == [1]
    only = "only one that failed or was cancelled can be tried again"
    assert changed.refused == {
        2: f"is done: {only}", 3: read.FOLLOWED, 4: read.QUEUED_ANEW, 5: f"is leased: {only}",
        6: f"is waiting: {only}", 7: f"is waiting: {only}", 99: read.NO_MORE,
    }  # fmt: skip
    assert (await states(database))[1] == "waiting"
    assert 1 in [job.id for job in await take(database)]


async def test_of_several_with_one_key_the_newest_is_tried_again(database: Database) -> None:
    for _ in range(3):
        await put_all(database, NewJob("work", "a", dedupe_key="d", unique_while_waiting=True))
        await end(database, *((job, GiveUp("no")) for job in await take(database)))
    changed = await retry(database, 1, 2, 3)
    assert changed == Changed([3], {1: read.QUEUED_ANEW, 2: read.QUEUED_ANEW})
    assert (await retry(database, 1, 2)).ids == []


async def test_one_that_is_once_for_ever_is_tried_again(database: Database) -> None:
    await put_all(database, NewJob("work", "a", dedupe_key="d"))
    await end(database, *((job, GiveUp("no")) for job in await take(database)))
    assert (await retry(database, 1)).ids == [1]
    assert [job.id for job in await take(database)] == [1]


async def test_what_is_tried_again_keeps_its_order(database: Database) -> None:
    await put_all(database, NewJob("work", "a", ordering_key="k"), NewJob("work", "a", ordering_key="k"))
    await end(database, *((job, GiveUp("no")) for job in await take(database)))
    (second,) = await take(database)
    await end(database, (second, GiveUp("no")))
    await put_all(database, NewJob("work", "b", ordering_key="l"))
    assert await retry(database, 1, 2) == Changed([2], {1: read.FOLLOWED})
    assert (await states(database))[2] == "waiting"


async def test_cancelling_many_lets_go_what_waited_for_them_and_tells_their_kind(database: Database) -> None:
    told: list[tuple[int, Outcome]] = []

    async def record(_tx: Transaction, ended: Sequence[tuple[Job, Outcome]], _now: float) -> None:
        told.extend((job.id, outcome) for job, outcome in ended)

    await put_all(
        database,
        NewJob("work", "a", ordering_key="k"),
        NewJob("work", "b", ordering_key="k"),
        NewJob("other", "c", dedupe_key="d", unique_while_waiting=True),
        NewJob("work", "d", trigger="request"),
    )
    leased = await take(database)
    assert sorted(job.id for job in leased) == [1, 3, 4]
    await put_all(database, NewJob("other", "c", dedupe_key="d", unique_while_waiting=True))
    assert await states(database) == {1: "leased", 2: "blocked", 3: "leased", 4: "leased", 6: "blocked"}
    kinds = {"work": JobKind("work", fetch=done, record=record), "other": KINDS["other"]}
    async with database.write() as tx:
        changed = await read.cancel_all(tx, [4, 3, 1, 99], await moment(tx), kinds)
    assert changed == Changed([1, 3, 4], {99: read.NO_MORE})
    assert told == [(1, GiveUp("cancelled")), (4, GiveUp("cancelled"))]
    after = await states(database)
    assert after == {1: "cancelled", 2: "waiting", 3: "cancelled", 6: "waiting"}, (
        "of what a reader caused nothing stays"
    )
    await end(database, *((job, Done()) for job in leased))
    assert await states(database) == after
    assert await cancel(database, 1, 2) == Changed([2], {1: "is cancelled already"})


async def test_what_waits_and_was_cancelled_whole_is_not_let_go_between(database: Database) -> None:
    await put_all(database, *(NewJob("work", "a", ordering_key="k") for _ in range(3)))
    for number in reversed(await ids(database, Filter(lane="a"))):
        assert (await cancel(database, number)).ids == [number]
        assert await states(database) == {
            n: "cancelled" if n >= number else "waiting" if n == 1 else "blocked" for n in (1, 2, 3)
        }


async def test_only_what_has_ended_is_purged(database: Database) -> None:
    numbers = await seeds(database)
    before = await states(database)
    changed = await purge(database, *before, 99)
    ended = sorted(numbers[state] for state in ENDED)
    assert changed.ids == ended
    assert changed.refused == {n: "has not ended" for n in before if n not in ended} | {99: read.NO_MORE}
    assert await states(database) == {n: state for n, state in before.items() if n not in ended}


async def test_a_purge_brings_no_create_back_behind_its_delete(database: Database) -> None:
    await put_all(database, NewJob("work", "a", ordering_key="k"), NewJob("work", "a", ordering_key="k"))
    for outcome in (GiveUp("no"), Done()):
        await end(database, *((job, outcome) for job in await take(database)))
    assert await purge(database, 2) == Changed([], {2: read.GUARDS})
    assert await retry(database, 1) == Changed([], {1: read.FOLLOWED})
    assert (await purge(database, 1, 2)).ids == [1, 2]


async def test_what_ended_well_holds_no_later_one_back(database: Database) -> None:
    await put_all(database, NewJob("work", "a", ordering_key="k"), NewJob("work", "a", ordering_key="k"))
    for outcome in (Done(), GiveUp("no")):
        await end(database, *((job, outcome) for job in await take(database)))
    assert await ids(database, Filter(states=("failed",))) == [2]
    assert (await purge(database, 2)).ids == [2]


async def test_what_was_given_up_is_counted_by_host_and_reason(database: Database) -> None:
    await put_all(database, *(NewJob("work", f"host:{name}.example") for name in "aabc"), NewJob("other", "host:a"))
    jobs = await take(database)
    why = {"host:a.example": GiveUp("404"), "host:b.example": GiveUp("410"), "host:a": GiveUp("404")}
    await end(database, *((job, why.get(job.lane, Done())) for job in jobs))
    async with database.read() as tx:
        now = await moment(tx)
        found = await read.given_up(tx, "work", now - HOUR)
        assert [tuple(row) for row in found] == [("host:a.example", "404", 2), ("host:b.example", "410", 1)]
        assert await read.given_up(tx, "work", now + HOUR) == []


async def test_who_is_left_alone_is_listed_with_what_waits(database: Database) -> None:
    await put_all(database, *(NewJob("work", f"host:{name}.example") for name in "aab"))
    async with database.write() as tx:
        assert await hosts.left_alone(tx) == []
        values = {"fails": 10, "quarantine": HOUR, "open_until": await moment(tx) + HOUR}
        await tx.execute(update(lanes).where(lanes.c.lane == "host:a.example").values(**values))
    async with database.read() as tx:
        (row,) = await hosts.left_alone(tx)
    assert (row.lane, row.waiting, row.leased) == ("host:a.example", 2, 0)


async def test_the_indexes_of_the_states_are_used(database: Database) -> None:
    """However many rows there are, what is asked of a few states looks at those."""
    if not database.is_sqlite:
        pytest.skip("PostgreSQL chooses by its statistics")
    wanted = {
        ("waiting", "work", None): "ix_job_waiting",
        ("waiting", "work", "host:a"): "ix_job_waiting",
        ("waiting", None, "host:a"): "ix_job_waiting",
        ("waiting", None, None): "ix_job_waiting",
        ("leased", None, None): "ix_job_lease",
        ("leased", "work", "host:a"): "ix_job_leased",
        ("blocked", None, None): "ix_job_blocked",
        (DONE, "work", None): "ix_job_finished_at",
        ("failed", None, "host:a"): "ix_job_finished_at",
    }
    async with database.read() as tx:
        for (state, kind, lane), index in wanted.items():
            section = read._sections(Filter(kind, lane, (state,), before=1.0), "")[0]
            newest = table.c.finished_at.desc() if state in ENDED else (table.c.id + 0).desc()
            for query in (section, section.order_by(newest, table.c.id.desc()).limit(50)):
                sql = str(query.compile(dialect=tx.connection.dialect, compile_kwargs={"literal_binds": True}))
                plan = " ".join(row[3] for row in await tx.raw(f"EXPLAIN QUERY PLAN {sql}"))
                assert f"USING INDEX {index}" in plan or f"USING COVERING INDEX {index}" in plan, (state, plan)
                assert "SCAN job" not in plan, plan
