"""The actor of the server itself."""

import anyio

from makers import ADDRESSES, DOMAIN
from privapub.actors import application, keys, read
from privapub.actors.read import Actor
from privapub.database.connect import Database

NOW = 1_800_000_000.0


async def test_it_is_made_once_with_its_keys(database: Database) -> None:
    async with database.write() as tx:
        made = await application.ensure(tx, ADDRESSES, DOMAIN, NOW)
        assert await application.ensure(tx, ADDRESSES, DOMAIN, NOW + 1) == made
        assert (made.kind, made.handle, made.host, made.local) == ("Application", DOMAIN, DOMAIN, True)
        assert made.uri == ADDRESSES.application
        key_id, pem = await keys.signing_key(tx, made.id)
        assert key_id == f"{made.uri}#main-key"
        assert pem.startswith("-----BEGIN PRIVATE KEY-----")
        assert [key.algorithm for key in await read.keys_of(tx, made.id)] == ["rsa", "ed25519"]


async def test_two_processes_that_start_at_once_agree_on_one(database: Database) -> None:
    made: list[Actor] = []

    async def start() -> None:
        async with database.write() as tx:
            made.append(await application.ensure(tx, ADDRESSES, DOMAIN, NOW))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(start)
    assert len({actor.id for actor in made}) == 1
    async with database.read() as tx:
        assert len(await read.keys_of(tx, made[0].id)) == 2
