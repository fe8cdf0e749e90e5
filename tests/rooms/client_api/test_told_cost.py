"""What is told, kept together and looked for costs the same for many as for few, and goes by indexes."""

import re

import pytest

from fakes.asked import asked
from makers import make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.notifications import notify
from privapub.posts import audience, react
from privapub.timelines import conversations
from program import Town, town

# Of a table: what a query makes itself is gone through, a table of one row too, and those who ask to be found, of whom
# so many are looked at; an index of words is asked by words or by a number.
GONE_THROUGH = (
    r"\w VIRTUAL TABLE", r"anon_\d", r"\(subquery", "CONSTANT ROW", "up$", "proxy$",
    "actor USING INDEX ix_actor_discoverable", r"post_text VIRTUAL TABLE INDEX \d+:[=M]",
)  # fmt: skip
SCAN = re.compile(f"SCAN (?!{'|'.join(GONE_THROUGH)})")
PATHS = (
    "/api/v1/notifications",
    "/api/v1/notifications/requests",
    "/api/v2/notifications",
    "/api/v2/notifications/unread_count",
    "/api/v2/notifications/policy",
    "/api/v1/conversations",
    "/api/v1/markers?timeline[]=home",
    "/api/v2/filters",
    "/api/v2/search?q=hello",
    "/api/v2/search?q=hello&type=statuses",
)


async def many(sut: Town, alice_id: int, first: int, number: int) -> None:
    """So many people who name Alice, write to her directly and like what she wrote."""
    async with sut.database.write() as tx:
        for place in range(first, first + number):
            carol = await make_remote(tx, f"u{place}@peer.test")
            for whom in ("public", "direct"):
                post = await make_post(tx, carol.id, whom, "hello", named=[alice_id])
                await notify.of_post(tx, post, clock.now())
                await conversations.keep(tx, post, await audience.recipients(tx, post), clock.now())
            own = await make_post(tx, alice_id, text="hello")
            await react.receive(tx, carol.id, own.id, "", None, f"https://peer.test/l/{place}", clock.now())
            await notify.of_reaction(tx, own, carol.id, "", clock.now())


@pytest.mark.parametrize("path", PATHS)
async def test_many_cost_as_many_questions_as_few(database: Database, path: str) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        costs = []
        for first, number in ((0, 2), (2, 10)):
            await many(sut, alice.id, first, number)
            with asked(database) as statements:
                await app.get(path)
            costs.append(len(statements))
    assert costs[1] <= costs[0]


@pytest.mark.parametrize("path", PATHS)
async def test_every_look_up_goes_by_an_index(sqlite_url: str, path: str) -> None:
    database = Database(sqlite_url)
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        await many(sut, alice.id, 0, 3)
        with asked(database) as statements:
            await app.get(path)
        scans = []
        async with database.write() as tx:
            for statement, values in statements:
                if statement.lstrip().upper().startswith(("SELECT", "WITH")):
                    plan = await tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", tuple(values))
                    scans += [f"{row.detail}: {statement}" for row in plan if SCAN.match(row.detail)]
    await database.close()
    assert scans == []
