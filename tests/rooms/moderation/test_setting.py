"""PRIVAPUB_FEDERATION: what a process is told when it starts is so for all of them."""

from pathlib import Path

from makers import make_persona, make_remote
from privapub.actors.read import by_id
from privapub.app import Stopping, close_server, open_server, run
from privapub.database.connect import Database
from privapub.moderation import rules
from privapub.settings import Settings


async def start(database_url: str, folder: Path, federation: str) -> None:
    settings = Settings(data=folder, database_url=database_url, base_url="https://sut.test", federation=federation)
    await run(settings, sockets=None, work=None, started=lambda _: None, stopping=Stopping())


async def test_a_process_that_starts_turns_it_round_and_back(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    async with database.write() as tx:
        await make_persona(tx)
        carol = await make_remote(tx)
    for federation, standing in (
        ("open", "open"),
        ("allow-list", "blocked"),
        ("allow-list", "blocked"),
        ("open", "open"),
    ):
        await start(database_url, tmp_path, federation)
        async with database.read() as tx:
            found = await by_id(tx, carol.id)
            assert found is not None
            assert found.standing == standing
            assert (await rules.policy(tx))[1] is (federation == "allow-list")


async def test_every_process_asks_the_rules_at_its_door(database: Database, database_url: str, tmp_path: Path) -> None:
    await start(database_url, tmp_path, "allow-list")
    opened = open_server(Settings(data=tmp_path, database_url=database_url, base_url="https://sut.test"))
    assert await opened.door.refuses("https://peer.test/u/carol")
    assert not await opened.door.refuses("https://sut.test/actors/x")
    await close_server(opened)
    del database
