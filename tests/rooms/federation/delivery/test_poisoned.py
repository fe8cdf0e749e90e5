"""A follower whose inbox is no address takes nothing from the others."""

import pytest

from fakes.world import World
from makers import make_post
from privapub import clock
from privapub.federation.delivery.deliver import lane_of
from privapub.follows import follow

POISON = (
    "https://peer.test:99999/inbox",
    "https://[peer.test/inbox",
    "https://[::1/inbox",
    "https://peer.test:port/inbox",
    "https://\u200d.test/inbox",
    "https://peer.test\\/inbox",
)


@pytest.mark.parametrize("inbox", POISON)
def test_every_inbox_has_a_lane(inbox: str) -> None:
    assert lane_of(inbox).startswith("host:")


async def test_a_follower_without_a_usable_inbox_keeps_no_post_from_others(world: World) -> None:
    alice, carol = await world.persona(), await world.learnt(world.person("https://peer.test/u/carol"))
    for number, inbox in enumerate(POISON):
        mallory = world.person(f"https://peer.test/u/m{number}", changes={"inbox": inbox})
        follower = await world.learnt(mallory)
        async with world.database.write() as tx:
            await follow.receive(tx, follower.id, alice.id, f"https://peer.test/f/{number}", clock.now())
    async with world.database.write() as tx:
        await follow.receive(tx, carol.id, alice.id, "https://peer.test/f/carol", clock.now())
    await world.drain()
    world.peer.received.clear()
    async with world.database.write() as tx:
        await make_post(tx, alice.id, "public")
    await world.drain()
    assert [activity["type"] for activity in world.sent()] == ["Create"]
