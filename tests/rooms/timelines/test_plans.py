"""Timelines of a large server are read by their keys: no table is read as a whole, whatever is asked."""

import re
from typing import Any

from sqlalchemy import insert, text

from fakes.asked import asked
from makers import make_persona
from privapub.actors.tables import actor
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows.tables import follow
from privapub.notifications import read as notifications
from privapub.posts.tables import post, post_tag
from privapub.timelines import lists
from privapub.timelines.home import home, of_list
from privapub.timelines.read import mentions, public, tagged
from privapub.timelines.tables import timeline_entry

NOW = 1_800_000_000.0
PEOPLE, POSTS = 200, 3000
LARGE = re.compile(r"Seq Scan on (post|timeline_entry|post_tag)( |$)")


def person(number: int) -> dict[str, Any]:
    uri = f"https://peer.test/u/{number}"
    return {
        "id": number, "uri": uri, "kind": "Person", "local": False, "handle": f"u{number}", "host": "peer.test",
        "inbox": f"{uri}/inbox", "created_at": NOW,
    }  # fmt: skip


def written(number: int) -> dict[str, Any]:
    return {
        "id": 10_000 + number, "uri": f"https://peer.test/n/{number}", "author_id": 1 + number % PEOPLE, "local": False,
        "audience": "public", "published_at": NOW, "received_at": NOW,
        "in_reply_to": f"https://peer.test/n/{number - 1}" if number % 4 == 1 else None,
        "in_reply_to_id": 9_999 + number if number % 4 == 1 else None,
    }  # fmt: skip


async def fill(tx: Transaction, persona_id: int) -> int:
    """Many posts by many people, half of whom are followed; the number of a list with one of them."""
    await tx.execute(insert(actor), [person(number) for number in range(1, PEOPLE + 1)])
    await tx.execute(insert(post), [written(number) for number in range(POSTS)])
    await tx.execute(insert(post_tag), [{"tag": f"t{n % 50}", "post_id": 10_000 + n} for n in range(POSTS)])
    await tx.execute(
        insert(follow),
        [
            {
                "id": n,
                "follower_id": persona_id,
                "followed_id": n,
                "uri": f"f{n}",
                "state": "accepted",
                "created_at": NOW,
            }
            for n in range(1, PEOPLE // 2 + 1)
        ],
    )
    await tx.execute(
        insert(timeline_entry),
        [{"persona_id": persona_id, "entry_id": 10_000 + n, "post_id": 10_000 + n} for n in range(POSTS)],
    )
    made = await lists.add(tx, persona_id, "some", now=NOW)
    await lists.put_on(tx, persona_id, made, [3])
    return made


async def scans(tx: Transaction, statement: str, values: Any) -> list[str]:
    """The steps of the database's plan that read a whole table."""
    if tx.dialect == "sqlite":
        rows = (await tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)).all()
        return [row[3] for row in rows if row[3].startswith("SCAN") and row[3] != "SCAN CONSTANT ROW"]
    # Few rows are read as a whole where it is left to choose, and rightly: it is asked for the plan that many rows get.
    await tx.execute(text("SET LOCAL enable_seqscan = off"))
    rows = (await tx.connection.exec_driver_sql(f"EXPLAIN {statement}", values)).all()
    return [row[0] for row in rows if LARGE.search(row[0])]


async def test_no_page_of_a_timeline_reads_a_whole_table(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        made = await fill(tx, alice.id)
    async with database.write() as tx:
        if tx.dialect == "postgresql":
            await tx.execute(text("ANALYZE"))
    async with database.read() as tx:
        with asked(database) as statements:
            for window in (Window(), Window(before=11_000), Window(after=11_000), Window(just_after=11_000, limit=10)):
                page = await home(tx, alice.id, window, NOW)
                assert len(page.items) == window.limit
                await of_list(tx, alice.id, made, window, NOW)
                for where in ("all", "local", "remote"):
                    await public(tx, alice.id, window, NOW, where=where)  # type: ignore[arg-type]  # of the right words
                await tagged(tx, "t3", alice.id, window, NOW)
                await mentions(tx, alice.id, window, NOW)
                await notifications.of(tx, alice.id, window, NOW)
        assert len(statements) > 24
        wrong = {statement: found for statement, values in statements if (found := await scans(tx, statement, values))}
    assert [(found, statement[-1800:]) for statement, found in wrong.items()] == []


async def test_what_was_written_here_is_found_among_very_much_from_elsewhere(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    async with database.read() as tx:
        with asked(database) as statements:
            await public(tx, None, Window(), NOW, where="local")
        ((statement, values),) = statements
        rows = (await tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)).all()
    await database.close()
    assert any("ix_post_local" in row[3] for row in rows), rows
