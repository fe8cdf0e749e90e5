"""What is kept of hosts, and for how long."""

from sqlalchemy import insert, select, update

from privapub.database.connect import Database
from privapub.jobs import hosts
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job, lane

DAY = 86400.0
NOW = 1e9


async def know(database: Database, **heard_at: float | None) -> None:
    async with database.write() as tx:
        await tx.execute(
            insert(lane),
            [{"kind": "send", "lane": f"host:{name}.example", "heard_at": at} for name, at in heard_at.items()],
        )


async def known(database: Database) -> set[str]:
    async with database.read() as tx:
        rows = await tx.all(select(lane.c.lane))
    return {row.lane.removeprefix("host:").removesuffix(".example") for row in rows}


async def prune(database: Database, now: float, **values: int) -> int:
    async with database.write() as tx:
        return await hosts.prune(tx, now, **values)


async def test_hosts_not_heard_of_for_ninety_days_are_forgotten_unless_something_waits_for_them(
    database: Database,
) -> None:
    await know(database, **dict.fromkeys(("old", "busy", "lost", "dead"), NOW - 91 * DAY), young=NOW - 89 * DAY)
    async with database.write() as tx:
        await put(tx, [NewJob("send", f"host:{name}.example") for name in ("busy", "lost", "dead")])
    async with database.write() as tx:
        # Something of them is unfinished, though their rows say that nothing waits.
        await tx.execute(update(lane).where(lane.c.lane != "host:busy.example").values(next_at=None))
        await tx.execute(update(job).where(job.c.lane == "host:dead.example").values(alone=True))
    assert await prune(database, NOW) == 1
    assert await known(database) == {"busy", "lost", "dead", "young"}


async def test_a_host_never_heard_of_is_kept_for_ninety_days_from_the_first_look(database: Database) -> None:
    await know(database, silent=None)
    assert await prune(database, NOW) == 0
    assert await prune(database, NOW + 89 * DAY) == 0
    assert await prune(database, NOW + 91 * DAY) == 1
    assert await known(database) == set()


async def test_their_number_is_bounded_and_the_longest_unheard_go_first(database: Database) -> None:
    await know(database, **{f"h{n}": NOW - n for n in range(10)})
    assert await prune(database, NOW, most=4) == 6
    assert await known(database) == {"h0", "h1", "h2", "h3"}
    assert await prune(database, NOW, most=3, limit=1) == 1
