"""What ties two personas to one login stands in two tables and nowhere else."""

from typing import Any

from sqlalchemy import select

from makers import DOMAIN, make_follow, make_persona, make_post, make_remote
from privapub.accounts import holds, sign_up
from privapub.database.connect import Database
from privapub.database.tables import metadata

NOW = 1_800_000_000.0
OF_ACCOUNTS = {"account", "account_persona"}


async def _rows(database: Database) -> dict[str, list[dict[str, Any]]]:
    async with database.read() as tx:
        return {
            table.name: [row._asdict() for row in await tx.all(select(table))] for table in metadata.tables.values()
        }


async def _live(database: Database, accounts: list[str]) -> list[int]:
    """Two personas that do the same things, held by these accounts; the numbers of the accounts."""
    async with database.write() as tx:
        carol = await make_remote(tx)
        numbers = {email: await sign_up.create(tx, email, "hash", NOW) for email in dict.fromkeys(accounts)}
        for handle, email in zip(("alice", "night"), accounts, strict=True):
            persona = await make_persona(tx, handle)
            await holds.give(tx, numbers[email], persona.id)
            await make_follow(tx, persona.id, carol.id)
            await make_post(tx, persona.id, named=[carol.id])
    return list(numbers.values())


async def test_no_other_table_knows_an_account(database: Database) -> None:
    numbers = await _live(database, ["ann@example.org", "ann@example.org"])
    rows = await _rows(database)
    assert len(rows["account_persona"]) == 2
    told = {name: repr(found) for name, found in rows.items() if name not in OF_ACCOUNTS}
    assert len(told["actor"]) > len(DOMAIN)
    for name, text in told.items():
        assert "ann@" not in text, name
        assert all(str(number) not in text for number in numbers), name


async def test_two_personas_of_one_account_share_no_value_that_others_do_not(database: Database) -> None:
    await _live(database, ["ann@example.org", "ann@example.org"])
    rows = await _rows(database)
    first, second = [row for row in rows["actor"] if row["local"]]
    for name in ("id", "uri", "handle", "url", "inbox", "outbox", "followers", "following"):
        assert first[name] != second[name], name
    posts = rows["post"]
    assert posts[0]["uri"] != posts[1]["uri"]
    assert posts[0]["activity_uri"] != posts[1]["activity_uri"]
    follows = rows["follow"]
    assert follows[0]["uri"] != follows[1]["uri"]
