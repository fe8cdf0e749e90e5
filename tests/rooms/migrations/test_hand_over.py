"""Two releases over the same data: work goes forward, back and forward again; nothing is sent twice or lost."""

# ruff: noqa: S608 - the statements are put together from what stands here

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from multiprocessing.process import BaseProcess

import anyio
import pytest
from alembic.util import CommandError
from sqlalchemy import text

from fakes.processes import FORKED
from privapub import identifiers
from privapub.database.connect import Database
from privapub.migrations import apply
from privapub.migrations.hand_over import hand_over
from rooms.migrations import killed, newer, older
from rooms.migrations.receiver import Receiver, receiving

BEFORE, AFTER = "9002a", "9002b"
ROUNDS = 3


def url(database: Database) -> str:
    return database.url.render_as_string(hide_password=False)


@pytest.fixture
async def running(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database as the older release left it."""
    monkeypatch.setattr(apply, "VERSIONS", (*apply.VERSIONS, killed.RELEASES))
    await apply.apply(url(database), "9001")
    return database


async def forward(database: Database, upto: str = AFTER) -> None:
    await apply.apply(url(database), upto)


async def back(database: Database) -> None:
    await apply.apply(url(database), BEFORE, back=True)


async def patiently(database: Database, *, back: bool) -> None:
    """Forward or back, as soon as nothing is held by those who were killed."""
    with anyio.fail_after(30):
        while True:
            try:
                await apply.apply(url(database), BEFORE if back else AFTER, back=back)
            except CommandError as error:
                assert "still at work" in str(error)  # noqa: PT017 - any other one is a failure of the test
                await asyncio.sleep(0.1)
            else:
                return


async def unsent(database: Database) -> Counter[str]:
    """How often each activity is there to be sent, in both mechanisms."""
    async with database.read() as tx:
        args = "args" if database.is_sqlite else "args::json"
        rows = await tx.all(text("SELECT activity FROM outbox WHERE state IN ('pending', 'sending')"))
        rows = [*rows, *await tx.all(text(f"SELECT {args}->>'activity' FROM job WHERE finished_at IS NULL"))]
    return Counter(row[0] for row in rows)


async def everything(database: Database) -> list[tuple[object, ...]]:
    """All rows of both mechanisms."""
    async with database.read() as tx:
        found = [tuple(row) for row in await tx.all(text("SELECT * FROM outbox ORDER BY id"))]
        return found + [tuple(row) for row in await tx.all(text("SELECT id, kind, state, args FROM job ORDER BY id"))]


def named(letter: str, count: int) -> list[str]:
    return [f"{letter}{n}" for n in range(count)]


@asynccontextmanager
async def newer_at_work(database: Database, receiver: Receiver) -> AsyncIterator[None]:
    """A worker of the newer release, which is asked to stop in the end."""
    worker = newer.worker(database, receiver.port)
    running = asyncio.create_task(worker.run())
    yield
    worker.stop()
    await running


async def test_work_in_flight_goes_forward_back_and_forward_again(running: Database) -> None:
    with anyio.fail_after(60):
        async with receiving() as receiver:
            port = receiver.port
            await older.put(running, named("a", 8))
            assert await older.send_one(running, port)

            # Before: the older release goes on beside the newer one.
            await forward(running, BEFORE)
            await older.put(running, named("b", 8))
            assert await older.send_one(running, port)
            await newer.put(running, named("c", 2))
            assert await newer.drain(running, port) == 2

            # After: the older one has been stopped.
            await forward(running)
            assert await unsent(running) == Counter(named("a", 8)[2:] + named("b", 8))
            await newer.put(running, named("d", 8), "b.example")
            await newer.put(running, named("e", 2), kind="announce", host="c.example")
            async with newer_at_work(running, receiver):
                await receiver.more_than(7)
            left = await unsent(running)
            assert left, "it was stopped in the middle"

            # Back: what the older release can express is its own again, the rest waits.
            await back(running)
            assert await unsent(running) == left
            await older.put(running, named("f", 4))
            await older.send_one(running, port)
            sent_so_far = len(receiver.came)
            older_ones = {activity for release, activity, _ in receiver.came if release == "older"}
            assert older_ones

            # Forward again, and to the end.
            await forward(running)
            assert await newer.drain(running, port)
            assert {release for release, _, _ in receiver.came[sent_so_far:]} == {"newer"}
            assert await older.drain(running, port) == 0
    put = named("a", 8) + named("b", 8) + named("c", 2) + named("d", 8) + named("e", 2) + named("f", 4)
    assert receiver.times == Counter(put)
    assert await unsent(running) == Counter()


async def test_an_older_release_that_has_heard_of_nothing_sends_nothing_twice(running: Database) -> None:
    with anyio.fail_after(60):
        async with receiving() as receiver:
            await older.put(running, named("a", 5))
            await forward(running)
            # Started by mistake over what was taken over, and it even has work of its own.
            await older.put(running, named("b", 3))
            assert await older.drain(running, receiver.port) == 3
            assert await newer.drain(running, receiver.port) == 5
            await back(running)
            assert await older.drain(running, receiver.port) == 0
    assert receiver.times == Counter(named("a", 5) + named("b", 3))


async def test_what_the_older_release_cannot_express_waits_until_forward_again(running: Database) -> None:
    with anyio.fail_after(60):
        async with receiving() as receiver:
            await forward(running)
            await newer.put(running, ["plain"])
            await newer.put(running, ["strange"], kind="announce")
            await back(running)
            assert await older.drain(running, receiver.port) == 1
            assert receiver.came == [("older", "plain", "a.example")]
            await forward(running)
            assert await newer.drain(running, receiver.port) == 1
    assert receiver.came[1:] == [("newer", "strange", "a.example")]


async def test_what_somebody_is_at_is_not_handed_over(running: Database) -> None:
    with anyio.fail_after(60):
        async with receiving() as receiver:
            await older.put(running, ["held"])
            sending = asyncio.create_task(older.send_one(running, receiver.port))
            await receiver.more_than(0)
            sending.cancel()  # as if it were killed: the row is held by nobody now, for a while
            await forward(running, BEFORE)
            before = await everything(running)
            with pytest.raises(CommandError, match="still at work on 1 of outbox"):
                await forward(running)
            assert await everything(running) == before
            await patiently(running, back=False)
            assert await unsent(running) == {"held": 1}


async def test_a_hand_over_that_does_not_add_up_changes_nothing(running: Database) -> None:
    await forward(running)
    await older.put(running, named("a", 3))
    before = await everything(running)

    def lossy(connection: object) -> None:
        hand_over(
            connection,  # type: ignore[arg-type]  # the synchronous face of it
            source="outbox",
            held="SELECT 0",
            make="INSERT INTO lane(kind, lane) SELECT 'send', activity FROM outbox WHERE id < 3",
            mark="UPDATE outbox SET state = 'taken'",
        )

    with pytest.raises(CommandError, match="3 were to be handed over, and 2 could be made"):
        async with running.engine.begin() as connection:
            await connection.run_sync(lossy)
    assert await everything(running) == before


@pytest.mark.parametrize("way", ["forward", "back", "forward again"])
async def test_a_step_that_is_killed_between_any_two_statements_has_not_been_taken(running: Database, way: str) -> None:
    await older.put(running, named("a", 4))
    await forward(running, BEFORE)
    if way != "forward":
        await forward(running)
        await newer.put(running, named("b", 3))
    if way == "forward again":
        await back(running)
        await older.put(running, named("c", 2))
    before = await everything(running)
    upto = BEFORE if way == "back" else AFTER
    deaths = 0
    with anyio.fail_after(120):
        while True:
            process = FORKED.Process(target=killed.take_step, args=(url(running), upto, way == "back", deaths + 1))
            process.start()
            await asyncio.to_thread(process.join)
            if process.exitcode == 0:
                break
            assert process.exitcode == 9
            deaths += 1
            assert await everything(running) == before
        assert deaths > 5
        assert await everything(running) != before
        async with receiving() as receiver:
            count = len(before) if way == "forward" else 7 if way == "back" else 9
            assert await (older if way == "back" else newer).drain(running, receiver.port) == count
            assert await (newer if way == "back" else older).drain(running, receiver.port) == 0
    assert set(receiver.times.values()) == {1}
    assert len(receiver.times) == count


@contextmanager
def at_work(release: str, database: Database, receiver: Receiver) -> Iterator[BaseProcess]:
    process = FORKED.Process(target=killed.work, args=(release, url(database), receiver.port), daemon=True)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join(10)


async def held(database: Database) -> set[str]:
    """What was in flight when its sender was killed: nobody can know whether it arrived."""
    async with database.read() as tx:
        args = "args" if database.is_sqlite else "args::json"
        rows = await tx.all(text("SELECT activity FROM outbox WHERE state = 'sending'"))
        rows = [*rows, *await tx.all(text(f"SELECT {args}->>'activity' FROM job WHERE state = 'leased'"))]
    return {row[0] for row in rows}


async def test_workers_of_both_releases_that_are_killed_lose_nothing_and_send_nothing_twice(
    running: Database,
) -> None:
    count, in_flight = 0, set[str]()
    await forward(running, BEFORE)
    with anyio.fail_after(200):
        async with receiving() as receiver:
            for _ in range(ROUNDS):
                for release in ("older", "newer"):
                    put = older.put if release == "older" else newer.put
                    await put(running, [f"n{n}" for n in range(count, count + 12)])
                    count += 12
                    came = len(receiver.came)
                    with at_work(release, running, receiver):
                        await receiver.more_than(came + 2)
                        await asyncio.sleep(identifiers.uniform(0.0, 0.02))
                    in_flight |= await held(running)
                    await patiently(running, back=release == "newer")
            await forward(running)
            while await unsent(running):
                await newer.drain(running, receiver.port)
                await asyncio.sleep(0.05)
    times = receiver.times
    assert set(times) == {f"n{n}" for n in range(count)}, "nothing is lost"
    assert {activity for activity, number in times.items() if number > 1} <= in_flight
    assert {release for release, _, _ in receiver.came} == {"older", "newer"}
