"""Looking up follows."""

from makers import make_follow, make_persona, make_remote
from privapub.database.connect import Database
from privapub.follows import follow, read

NOW = 1_800_000_000.0


async def test_the_same_id_is_another_follow_for_another_actor(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        dave = await make_remote(tx, "dave@other.test")
        await follow.receive(tx, carol.id, alice.id, "https://peer.test/f/1", NOW)
        await follow.receive(tx, dave.id, alice.id, "https://peer.test/f/1", NOW)
        for follower in (carol, dave):
            found = await read.by_uri(tx, "https://peer.test/f/1", follower_id=follower.id)
            assert found is not None
            assert found.follower_id == follower.id
        assert await read.by_uri(tx, "https://peer.test/f/1", followed_id=carol.id) is None
        assert await read.by_uri(tx, "https://peer.test/f/2") is None
        assert await read.by_id(tx, found.id) == found


async def test_followers_come_in_pages_with_their_actors_newest_first(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        for number in range(5):
            remote = await make_remote(tx, f"fan{number}@peer.test")
            await follow.receive(tx, remote.id, alice.id, f"https://peer.test/f/{number}", NOW + number)
        first = await read.followers_of(tx, alice.id, limit=3)
        second = await read.followers_of(tx, alice.id, before=first[-1][1].id, limit=3)
        assert [actor.handle for actor, _follow in first + second] == ["fan4", "fan3", "fan2", "fan1", "fan0"]
        assert all(actor.id == standing.follower_id for actor, standing in first)
        assert await read.counts(tx, alice.id) == read.Counts(followers=5, following=0)


async def test_only_what_was_accepted_counts_unless_all_is_asked_for(database: Database) -> None:
    async with database.write() as tx:
        alice, shy = await make_persona(tx), await make_persona(tx, "shy", locked=True)
        carol, dave, erin = [await make_remote(tx, f"{name}@peer.test") for name in ("carol", "dave", "erin")]
        await make_follow(tx, alice.id, carol.id)
        await make_follow(tx, alice.id, dave.id, "pending")
        await make_follow(tx, alice.id, erin.id, "rejected")
        await make_follow(tx, carol.id, shy.id, "pending")
        assert [actor.handle for actor, _ in await read.following_of(tx, alice.id)] == ["carol"]
        every = await read.following_of(tx, alice.id, state=None)
        assert {actor.handle: standing.state for actor, standing in every} == {
            "carol": "accepted",
            "dave": "pending",
            "erin": "rejected",
        }
        assert await read.followed_among(tx, alice.id, [carol.id, dave.id, erin.id]) == {carol.id}
        assert await read.followed_among(tx, alice.id, []) == frozenset()
        assert await read.counts(tx, shy.id) == read.Counts(0, 0)
        assert await read.follower_ids(tx, shy.id, local=False) == []
        asking = await read.followers_of(tx, shy.id, state="pending")
        assert [actor.handle for actor, _ in asking] == ["carol"]
        assert await read.follower_ids(tx, carol.id) == [alice.id]
        assert await read.follower_ids(tx, carol.id, local=False) == []
