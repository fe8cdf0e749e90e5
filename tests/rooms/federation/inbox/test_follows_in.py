"""Somebody follows one of ours, and takes it back."""

from fakes.activities import follow_of, kept_out, of, rows, state
from fakes.world import World
from privapub import clock
from privapub.actors import domain_blocks
from privapub.follows import blocking, follow, read


async def test_a_follow_of_an_open_persona_is_accepted_to_the_one_who_asked(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
    (accept,) = world.sent()
    assert accept["type"] == "Accept"
    assert accept["actor"] == alice.uri
    assert accept["object"]["id"] == "https://peer.test/follow/77"
    assert accept["object"]["actor"] == carol.uri
    assert accept["object"]["object"] == alice.uri


async def test_a_follow_of_a_locked_persona_waits_until_it_decides(world: World) -> None:
    alice, carol = await world.persona(locked=True), world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    follower = await world.actor(carol.uri)
    assert await state(world, follower, alice) == "pending"
    assert world.sent() == []
    assert follower is not None
    async with world.database.write() as tx:
        waiting = await read.between(tx, follower.id, alice.id)
        assert waiting is not None
        await follow.answer(tx, waiting.id, accept=True, now=clock.now())
    await world.drain()
    assert [each["type"] for each in world.sent()] == ["Accept"]


async def test_the_shared_inbox_takes_a_follow_too(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.post("https://sut.test/inbox", follow_of(carol, alice), by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_an_embedded_person_as_the_object_of_a_follow_is_taken_by_its_id(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = {**follow_of(carol, alice), "object": {"type": "Person", "id": alice.uri, "name": "whatever"}}
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_a_follow_without_an_id_is_taken(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    del asks["id"]
    await world.post(alice.inbox, asks, by=carol)
    await world.post(alice.inbox, asks, by=carol)
    assert await rows(world) == 1
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_a_copy_that_comes_while_the_first_waits_is_dropped(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for _ in range(2):
        assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    assert world.arrivals()[("peer.test", "copy", "")] == 1
    await world.drain()
    assert len(world.sent()) == 1


async def test_a_follow_in_force_is_answered_again_under_an_id_of_its_own(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for _ in range(2):
        await world.post(alice.inbox, follow_of(carol, alice), by=carol)
        await world.drain()
    first, second = world.sent()
    assert first["type"] == second["type"] == "Accept"
    assert first["id"] != second["id"]
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_a_follow_of_nobody_is_kept_out_with_a_reason(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = {**follow_of(carol, alice), "object": "https://sut.test/actors/nobody"}
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await kept_out(world) == ["nobody-to-follow"]
    assert world.arrivals()[("peer.test", "kept-out", "nobody-to-follow")] == 1


async def test_the_application_actor_cannot_be_followed(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = {**follow_of(carol, alice), "object": "https://sut.test/actors/application"}
    await world.post("https://sut.test/inbox", asks, by=carol)
    await world.drain()
    assert await kept_out(world) == ["nobody-to-follow"]


async def test_an_undo_ends_the_follow_whether_it_embeds_it_or_names_its_bare_id(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    embedded = follow_of(carol, alice)
    for number, what in enumerate((embedded, embedded["id"], {"type": "Follow", "id": embedded["id"]})):
        await world.post(alice.inbox, embedded, by=carol)
        await world.drain()
        assert await state(world, await world.actor(carol.uri), alice) == "accepted"
        await world.post(alice.inbox, of("Undo", carol, what, f"https://peer.test/undo/{number}"), by=carol)
        await world.drain()
        assert await state(world, await world.actor(carol.uri), alice) is None


async def test_a_follow_id_that_is_used_again_after_an_undo_follows_again(world: World) -> None:
    """Friendica's Follow ids are a hash of the contact: every follow of one actor has the same."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, asks, by=carol)
    await world.post(alice.inbox, of("Undo", carol, asks, "https://peer.test/undo/1"), by=carol)
    await world.drain()
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
    assert [each["object"]["id"] for each in world.sent() if each["type"] == "Accept"][-1] == asks["id"]


async def test_an_undo_with_an_id_on_our_own_host_is_taken(world: World) -> None:
    """snac2 makes it of the id of whom it stops following."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    await world.post(alice.inbox, of("Undo", carol, asks, f"{alice.uri}#Undo"), by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) is None


async def test_another_actor_of_the_same_host_cannot_undo_a_follow(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    mallory = world.person("https://peer.test/u/mallory")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    for number, what in enumerate((asks, asks["id"])):
        await world.post(alice.inbox, of("Undo", mallory, what, f"https://peer.test/undo/{number}"), by=mallory)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
    assert sorted(str(why) for why in await kept_out(world)) == ["None", "not-theirs", "nothing-to-undo"]


async def test_an_undo_that_came_first_swallows_one_follow_and_no_more(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, of("Undo", carol, asks, "https://peer.test/undo/1"), by=carol)
    await world.drain()
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) is None
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_an_undo_that_came_first_is_forgotten_after_half_an_hour(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, of("Undo", carol, asks, "https://peer.test/undo/1"), by=carol)
    await world.drain()
    clock.advance(1801)
    await world.post(alice.inbox, asks, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_an_undo_of_one_follow_that_came_first_does_not_swallow_another_one(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asks = follow_of(carol, alice)
    await world.post(alice.inbox, of("Undo", carol, asks, "https://peer.test/undo/1"), by=carol)
    await world.drain()
    await world.post(alice.inbox, follow_of(carol, alice, "https://peer.test/follow/78"), by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_every_block_of_one_user_has_one_id_and_each_is_taken(world: World) -> None:
    """Friendica."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    block = of("Block", carol, alice.uri, "https://peer.test/block/1")
    for _ in range(2):
        assert (await world.post(alice.inbox, block, by=carol)).status == 202
        await world.drain()
    assert await kept_out(world) == [None]
    assert world.arrivals()[("peer.test", "handled", "Block")] == 2


async def test_a_follow_from_a_server_that_the_persona_blocks_is_none(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    async with world.database.write() as tx:
        await blocking.block_domain(tx, alice.id, "peer.test", clock.now())
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) is None
    async with world.database.write() as tx:
        assert await domain_blocks.drop(tx, alice.id, "peer.test")
    await world.post(alice.inbox, {**follow_of(carol, alice), "id": "https://peer.test/follow/78"}, by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
