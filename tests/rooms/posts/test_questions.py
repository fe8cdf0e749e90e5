"""How many questions the reads ask of the database, and that each finds its rows by an index."""

import re
from typing import Any

from fakes.asked import asked
from makers import at_home, make_follow, make_persona, make_post, make_remote
from privapub.actors import keys
from privapub.actors import read as actors
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.follows import follow
from privapub.follows import read as follows
from privapub.personas import read as personas
from privapub.posts import audience, read
from privapub.posts.receive import ReceivedPost, receive, receive_delete, receive_edit
from privapub.timelines.fill import fill

NOW = 1_800_000_000.0
# Of a table: a list of values is gone through as a matter of course, and an index of words is asked by its number.
SCAN = re.compile("SCAN (?!. VIRTUAL TABLE|post_text VIRTUAL TABLE INDEX 0:=)")


async def test_a_page_costs_as_many_questions_as_a_line(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        for number in range(12):
            author = await make_remote(tx, f"author{number}@peer.test")
            await make_follow(tx, alice.id, author.id)
            await make_follow(tx, author.id, alice.id)
            for whom in ("public", "followers"):
                await fill(tx, await make_post(tx, author.id, whom, named=[alice.id]), NOW)
    costs: list[list[int]] = []
    for limit in (1, 24):
        async with database.read() as tx:
            cost = []
            for question in (
                lambda tx=tx, limit=limit: at_home(tx, alice.id, limit=limit),
                lambda tx=tx, limit=limit: follows.followers_of(tx, alice.id, limit=limit),
                lambda tx=tx, limit=limit: follows.following_of(tx, alice.id, limit=limit),
            ):
                with asked(database) as statements:
                    await question()
                cost.append(len(statements))
            posts = await at_home(tx, alice.id, limit=limit)
            assert len(posts) == limit
            with asked(database) as statements:
                await audience.visible_to(tx, posts, alice.id)
                await actors.by_ids(tx, [post.author_id for post in posts])
                await read.recipient_ids(tx, [post.id for post in posts])
            cost.append(len(statements))
        costs.append(cost)
    assert costs[1][:3] == [1, 1, 1]
    assert costs[1][3] <= 6
    assert costs[0][3] <= costs[1][3]


async def _everything(tx: Transaction, database: Database) -> list[tuple[str, Any]]:
    alice, carol = await make_persona(tx), await make_remote(tx)
    post = await make_post(tx, carol.id, "followers", named=[alice.id])
    note = ReceivedPost(uri="https://peer.test/n/1", content="x", in_reply_to=post.uri, updated_at=NOW)
    with asked(database) as statements:
        await actors.by_uri(tx, carol.uri)
        await actors.by_key(tx, f"{carol.uri}#main-key")
        await actors.keys_of(tx, carol.id)
        await keys.signing_key(tx, alice.id)
        await personas.by_handle(tx, "alice")
        await personas.by_uri(tx, alice.actor.uri)
        await follow.ask(tx, alice.id, carol.id, "https://sut.test/activities/1", NOW)
        await follow.accepted(tx, alice.id, carol.id, NOW)
        await follows.by_uri(tx, "https://sut.test/activities/1", followed_id=carol.id)
        await follows.followers_of(tx, carol.id)
        await follows.following_of(tx, alice.id)
        await follows.follower_ids(tx, carol.id)
        await follows.counts(tx, carol.id)
        await receive(tx, note, carol.id, "public", [alice.id], NOW)
        await receive_edit(tx, note, carol.id, [], NOW)
        await receive_delete(tx, note.uri, carol.id, carol.uri, carol.host, NOW)
        await receive_delete(tx, "https://peer.test/n/2", carol.id, carol.uri, carol.host, NOW)
        await read.by_uri(tx, post.uri)
        await read.by_activity_uri(tx, "https://sut.test/activities/2")
        await read.of_author(tx, carol.id)
        await read.count_public(tx, carol.id)
        await read.recipient_ids(tx, [post.id])
        await audience.may_see_now(tx, post, alice.id)
        await fill(tx, post, NOW)
        await at_home(tx, alice.id)
        await follow.withdraw(tx, alice.id, carol.id, NOW)
    return statements


async def test_every_look_up_goes_by_an_index(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    scans: list[str] = []
    async with database.write() as tx:
        for statement, values in await _everything(tx, database):
            verb = statement.split(maxsplit=1)[0].upper()
            if verb not in {"SELECT", "UPDATE", "DELETE", "INSERT"} or "INTO job" in statement or "lane" in statement:
                continue  # the queue has its own tests
            plan = await tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            scans += [f"{row.detail}: {statement}" for row in plan if SCAN.match(row.detail)]
    await database.close()
    assert scans == []
