"""What a persona wears: an avatar and a header, one of each at most, and its followers' servers are told."""

from pathlib import Path
from typing import Any

import pytest

from makers import ADDRESSES, facts, make_follow, make_persona, make_remote
from privapub import clock
from privapub.actors.read import Actor, keys_of
from privapub.database.connect import Database
from privapub.federation.delivery.deliver import DELIVERY
from privapub.federation.documents.write_actor import person
from privapub.jobs.job import GiveUp, Job
from privapub.media import let_go, make, names
from privapub.media.accept import MEDIA, accept
from privapub.media.let_go import UNSTORE
from privapub.media.wear import take_off
from privapub.personas.read import known
from privapub.server import Server
from uploading import found, jobs, kept, picture, pieces, run, server_of


@pytest.fixture
async def alice(database: Database) -> Actor:
    async with database.write() as tx:
        return await make_persona(tx)


def job_of(number: int) -> Job:
    return Job(number, MEDIA, MEDIA, {"medium": number}, 1, "", "", 0.0, 0.0, 0.0)


async def worn(server: Server, persona_id: int) -> dict[str, Any]:
    async with server.database.read() as tx:
        actor = (await known(tx, persona_id)).actor
        document = person(actor, await keys_of(tx, persona_id), ADDRESSES)
    return {name: document[name]["url"].rpartition("/")[2] for name in ("icon", "image") if name in document}


async def upload(server: Server, persona_id: int, use: Any, side: int = 60) -> int:
    return await accept(server, persona_id, pieces(picture(side)), use=use)


async def name_of(server: Server, number: int) -> str:
    made = await found(server, number)
    assert made is not None
    return str(made.files[0]["name"])


async def test_what_is_ready_is_put_on_and_told_and_the_former_goes(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    async with database.write() as tx:
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
    first, header = await upload(server, alice.id, "avatar"), await upload(server, alice.id, "header")
    assert await worn(server, alice.id) == {}
    await run(server, MEDIA)
    assert await worn(server, alice.id) == {
        "icon": await name_of(server, first),
        "image": await name_of(server, header),
    }
    before = await jobs(server, DELIVERY)
    await run(server, "persona_edited", UNSTORE)
    assert await jobs(server, DELIVERY) > before
    second = await upload(server, alice.id, "avatar", 90)
    await run(server, MEDIA, UNSTORE)
    assert (await worn(server, alice.id))["icon"] == await name_of(server, second)
    assert await found(server, first) is None
    there = [await found(server, number) for number in (second, header)]
    assert await kept(server.files) == sorted(
        names.place(file["name"]) for each in there if each is not None for file in each.files
    )


async def test_the_change_and_its_news_are_one(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    number = await upload(server, alice.id, "avatar")
    job = job_of(number)
    stored = await make.fetch(server, job)
    assert isinstance(stored, make.Stored)
    with pytest.raises(KeyboardInterrupt):
        async with database.write() as tx:
            await make.write(ADDRESSES, tx, job, stored, clock.now())
            assert await facts(tx, "persona_edited") == [{"persona_id": alice.id}]
            raise KeyboardInterrupt
    async with database.read() as tx:
        assert await facts(tx, "persona_edited") == []
    assert await worn(server, alice.id) == {}


async def test_who_took_it_off_wears_none(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    await upload(server, alice.id, "avatar")
    await run(server, MEDIA)
    waiting = await upload(server, alice.id, "avatar")
    async with database.write() as tx:
        await take_off(tx, alice.id, "avatar", clock.now())
        await take_off(tx, alice.id, "header", clock.now())  # there is none
    await run(server, MEDIA, UNSTORE)
    assert await worn(server, alice.id) == {}
    assert await found(server, waiting) is None
    assert await kept(server.files) == []
    async with database.read() as tx:
        assert len(await facts(tx, "persona_edited")) == 2


async def test_the_later_one_stays_whichever_is_ready_first(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    numbers = [await upload(server, alice.id, "avatar") for _ in range(2)]
    jobs_of = [job_of(number) for number in numbers]
    stored = [await make.fetch(server, job) for job in jobs_of]
    for at in (1, 0):
        each = stored[at]
        assert isinstance(each, make.Stored)
        async with database.write() as tx:
            assert not isinstance(await make.write(ADDRESSES, tx, jobs_of[at], each, clock.now()), GiveUp)
    assert await worn(server, alice.id) == {"icon": await name_of(server, numbers[1])}
    assert await found(server, numbers[0]) is None


async def test_what_failed_is_told_and_goes_after_a_day(database: Database, alice: Actor, tmp_path: Path) -> None:
    server = server_of(database, tmp_path)
    cut_off = picture(400)[:-300]
    number = await accept(server, alice.id, pieces(cut_off), use="avatar")
    await run(server, MEDIA)
    failed = await found(server, number)
    assert failed is not None
    assert (failed.state, failed.why) == ("failed", "The picture cannot be read: it is damaged or cut off.")
    assert await worn(server, alice.id) == {}
    async with database.write() as tx:
        await let_go.prune(tx, clock.now() + let_go.UNATTACHED + 60)
    assert await found(server, number) is None


async def test_what_is_worn_stays_when_what_nobody_attached_goes(
    database: Database, alice: Actor, tmp_path: Path
) -> None:
    server = server_of(database, tmp_path)
    number = await upload(server, alice.id, "header")
    await run(server, MEDIA)
    async with database.write() as tx:
        await let_go.prune(tx, clock.now() + let_go.UNATTACHED + 60)
    assert await found(server, number) is not None
