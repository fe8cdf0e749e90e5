"""The shared cases of who follows whom, and what goes to whom because of it."""

import pytest

from cases.folder import case
from cases.stage import stage
from fakes.activities import asked, create, note, of, post_at, state
from fakes.world import World
from makers import at_home
from privapub.posts import audience

pytestmark = pytest.mark.case("privacy/03-pending-is-not-following")
CAROL = "https://peer.test/u/carol"


async def test_privacy_03_who_only_asked_does_not_follow(world: World) -> None:
    probes = case("privacy/03-pending-is-not-following")["given"]["probe"]
    assert probes
    on = await stage(world)
    carol = on.people[CAROL]
    theirs = await world.learnt(carol)
    bob = await world.actor(on.placeholders["bob.id"])
    assert bob is not None
    follow = await world.follow(on.alice, theirs)
    await world.follow(bob, theirs)
    accept = of("Accept", carol, asked(on.alice, carol, follow), "https://peer.test/acc/1")
    await world.post(on.alice.inbox, accept, by=carol)
    await world.drain()
    private = note(carol, "https://peer.test/n/priv", to=[f"{CAROL}/followers"])
    await world.post("https://sut.test/inbox", create(carol, private), by=carol)
    await world.drain()
    post = await post_at(world, "https://peer.test/n/priv")
    assert post is not None
    assert await state(world, bob, theirs) == "pending"
    async with world.database.read() as tx:
        assert await audience.may_see_now(tx, post, on.alice.id)
        assert not await audience.may_see_now(tx, post, bob.id)
        assert [each.id for each in await at_home(tx, on.alice.id)] == [post.id]
        assert await at_home(tx, bob.id) == []
    # After a Reject new ones come to nobody here.
    reject = of("Reject", carol, asked(on.alice, carol, follow), "https://peer.test/rej/1")
    await world.post(on.alice.inbox, reject, by=carol)
    await world.drain()
    later = note(carol, "https://peer.test/n/later", to=[f"{CAROL}/followers"])
    await world.post("https://sut.test/inbox", create(carol, later, "https://peer.test/a/2"), by=carol)
    await world.drain()
    assert await post_at(world, "https://peer.test/n/later") is None
