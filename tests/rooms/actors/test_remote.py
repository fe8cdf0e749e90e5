"""What we keep of actors elsewhere."""

import anyio
import pytest

from makers import facts, make_persona, make_remote, profile
from privapub.actors import read, remote
from privapub.actors.read import Actor
from privapub.actors.remote import LearntKey
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotAllowed
from privapub.outbound.validators import Validators

NOW = 1_800_000_000.0
CAROL = "https://peer.test/u/carol"


async def carol_of(tx: Transaction) -> Actor:
    carol = await read.by_uri(tx, CAROL)
    assert carol is not None
    return carol


async def test_everything_that_was_told_is_kept(database: Database) -> None:
    told = profile(
        name="Carol",
        host="Peer.Test",
        summary="<p>hi</p>",
        url="https://peer.test/@carol",
        icon="https://peer.test/icon.png",
        icon_alt="A cat",
        image="https://peer.test/image.png",
        fields=({"name": "site", "value": "<a>x</a>"},),
        locked=True,
        discoverable=True,
        indexable=True,
        also_known_as=("https://old.test/u/carol",),
        moved_to="https://new.test/u/carol",
        updated_at=NOW - 5,
        etag='"1"',
        last_modified="Sun, 01 Nov 2020 12:00:00 GMT",
    )
    async with database.write() as tx:
        actor_id = await remote.learn(tx, told, NOW)
        carol = await carol_of(tx)
        assert await remote.validators(tx, CAROL) == Validators(told.etag, told.last_modified)
    assert carol.id == actor_id
    for name in remote.Profile.__dataclass_fields__:
        if name not in {"keys", "host", "etag", "last_modified"}:
            assert getattr(carol, name) == getattr(told, name), name
    assert (carol.host, carol.local, carol.state) == ("peer.test", False, "here")
    assert (carol.created_at, carol.fetched_at) == (NOW, NOW)
    assert carol.address == "carol@peer.test"


async def test_the_same_uri_is_the_same_actor_letter_by_letter(database: Database) -> None:
    async with database.write() as tx:
        first = await remote.learn(tx, profile(), NOW)
        assert await remote.learn(tx, profile(name="Karo"), NOW + 1) == first
        assert await remote.learn(tx, profile(uri=CAROL + "/", keys=()), NOW) != first
        carol = await carol_of(tx)
        assert (carol.name, carol.created_at, carol.fetched_at) == ("Karo", NOW, NOW + 1)


async def test_an_older_profile_is_ignored_as_a_whole_but_counts_as_read(database: Database) -> None:
    old_key = (LearntKey(f"{CAROL}#old", "rsa", "old"),)
    async with database.write() as tx:
        first = await remote.learn(tx, profile(name="new", updated_at=NOW), NOW)
        assert await remote.learn(tx, profile(name="old", updated_at=NOW - 1, keys=old_key), NOW + 9) == first
        carol = await carol_of(tx)
        assert (carol.name, carol.updated_at, carol.fetched_at) == ("new", NOW, NOW + 9)
        assert [key.id for key in await read.keys_of(tx, first)] == [f"{CAROL}#main-key"]


async def test_a_profile_without_a_time_is_taken_and_the_time_stays(database: Database) -> None:
    async with database.write() as tx:
        await remote.learn(tx, profile(name="one", updated_at=NOW), NOW)
        await remote.learn(tx, profile(name="two"), NOW)
        carol = await carol_of(tx)
        assert (carol.name, carol.updated_at) == ("two", NOW)


async def test_keys_are_those_of_the_profile(database: Database) -> None:
    rotated = (LearntKey(f"{CAROL}#main-key", "rsa", "rotated"), LearntKey(f"{CAROL}#ed", "ed25519", "z6Mk"))
    async with database.write() as tx:
        carol_id = await remote.learn(tx, profile(), NOW)
        await remote.learn(tx, profile(keys=rotated), NOW + 1)
        kept = await read.keys_of(tx, carol_id)
        assert [(key.id, key.algorithm, key.public, key.fetched_at) for key in kept] == [
            (f"{CAROL}#main-key", "rsa", "rotated", NOW + 1),
            (f"{CAROL}#ed", "ed25519", "z6Mk", NOW + 1),
        ]
        await remote.learn(tx, profile(keys=rotated[:1]), NOW + 2)
        assert [key.id for key in await read.keys_of(tx, carol_id)] == [f"{CAROL}#main-key"]
        await remote.learn(tx, profile(keys=()), NOW + 3)
        assert len(await read.keys_of(tx, carol_id)) == 1


async def test_a_key_id_of_another_actor_is_never_taken_over(database: Database) -> None:
    async with database.write() as tx:
        carol = await make_remote(tx)
        alice = await make_persona(tx)
        theirs = (
            LearntKey(f"{CAROL}#main-key", "rsa", "mallory's"),
            LearntKey(f"{alice.actor.uri}#main-key", "rsa", "mallory's"),
        )
        mallory = await make_remote(tx, "mallory@peer.test", keys=theirs)
        assert await read.keys_of(tx, mallory.id) == ()
        found = await read.by_key(tx, f"{CAROL}#main-key")
        assert found is not None
        assert found[0].id == carol.id
        assert found[1].public != "mallory's"
        assert not await remote.learn_key(tx, mallory.id, theirs[0], NOW)
        assert not await remote.learn_key(tx, alice.id, theirs[1], NOW)
        assert await remote.learn_key(tx, mallory.id, LearntKey("https://peer.test/k", "rsa", "own"), NOW)


async def test_nobody_tells_us_who_our_own_actors_are(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        with pytest.raises(NotAllowed):
            await remote.learn(tx, profile(uri=alice.actor.uri, name="Mallory"), NOW)
        assert await read.by_id(tx, alice.id) == alice.actor


async def test_an_actor_goes_once(database: Database) -> None:
    async with database.write() as tx:
        carol, alice = await make_remote(tx), await make_persona(tx)
        assert await remote.mark_gone(tx, carol.id, NOW)
        assert not await remote.mark_gone(tx, carol.id, NOW)
        assert not await remote.mark_gone(tx, alice.id, NOW)
        assert not await remote.mark_gone(tx, 1, NOW)
        assert await facts(tx) == [{"actor_id": carol.id}]
        gone = await carol_of(tx)
        assert gone.is_gone
        assert len(await read.keys_of(tx, carol.id)) == 1
        await make_remote(tx)
        assert not (await carol_of(tx)).is_gone


async def test_many_who_learn_of_one_actor_at_once_make_one(database: Database) -> None:
    numbers = set()

    async def learn(number: int) -> None:
        async with database.write() as tx:
            numbers.add(await remote.learn(tx, profile(name=f"name {number}"), NOW))

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(learn, number)
    assert len(numbers) == 1


async def test_lookups_find_what_there_is(database: Database) -> None:
    async with database.write() as tx:
        carol, dave = await make_remote(tx), await make_remote(tx, "Dave@other.test")
        assert await read.by_ids(tx, [carol.id, dave.id, 1]) == {carol.id: carol, dave.id: dave}
        assert await read.by_uris(tx, [carol.uri, "https://nobody.test/"]) == {carol.uri: carol}
        assert await read.by_ids(tx, []) == {}
        assert await read.by_uris(tx, []) == {}
        assert await read.by_id(tx, 1) is None
        assert await read.by_key(tx, "https://nobody.test/#key") is None
