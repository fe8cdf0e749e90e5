"""A follower whose inbox is no address takes nothing from the others."""

import pytest

from fakes.world import World
from makers import make_post, make_remote
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
        # Such an actor is not learnt any more; one may stand in the table from before.
        async with world.database.write() as tx:
            follower = await make_remote(tx, f"m{number}@peer.test", inbox=inbox, shared_inbox=None)
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
