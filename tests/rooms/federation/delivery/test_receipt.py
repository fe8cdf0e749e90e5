"""What an author may know of the way of a post."""

from fakes.world import World
from makers import make_follow, make_persona
from privapub import clock
from privapub.actors.read import Actor
from privapub.composing.compose import write_post
from privapub.federation.delivery.receipt import Receipt, Way, receipt, state_of, summed
from privapub.posts.read import Post


async def followed_from(world: World, *uris: str) -> Actor:
    """A persona with these followers."""
    alice = await world.persona()
    for uri in uris:
        person = await world.learnt(world.person(uri))
        async with world.database.write() as tx:
            await make_follow(tx, person.id, alice.id)
    await world.drain()
    return alice


async def of(world: World, post: Post) -> Receipt:
    async with world.database.read() as tx:
        return await receipt(tx, post, clock.now())


def test_the_words_for_what_became_of_a_delivery() -> None:
    for outcome, why, held, state in (
        ("taken", "", False, "taken"),
        ("waiting", "answered 500", False, "waiting"),
        ("waiting", "network", True, "held"),
        ("failed", "answered 404", False, "refused"),
        ("failed", "answered 403 whichever way it was signed", False, "refused"),
        ("failed", "disallowed", False, "refused"),
        ("failed", "answered 429", False, "given_up"),
        ("failed", "answered 503", False, "given_up"),
        ("failed", "timeout", False, "given_up"),
        ("failed", "taken back before it was sent", False, "given_up"),
    ):
        assert state_of(Way("peer.test", outcome, why, held=held)) == state, why


def test_inboxes_of_one_host_are_told_together() -> None:
    found = summed(
        [
            Way("peer.test", "taken"),
            Way("peer.test", "waiting", "answered 500", 70.0),
            Way("peer.test", "waiting", "answered 500", 60.0),
            Way("other.test", "taken"),
        ]
    )
    peer, other = found.hosts
    assert (peer.host, peer.counts["taken"], peer.counts["waiting"]) == ("peer.test", 1, 2)
    assert (peer.reasons, peer.next_at) == (("answered 500",), 60.0)
    assert (other.counts["taken"], other.next_at) == (1, None)
    assert found.counts == {"taken": 2, "waiting": 2, "held": 0, "refused": 0, "given_up": 0}


async def test_a_receipt_tells_what_was_taken_waits_and_was_refused(world: World) -> None:
    alice = await followed_from(world, "https://peer.test/u/carol", "https://other.test/u/dave")
    page = world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    refusing = world.serve("https://other.test/u/dave/inbox", b"", status=404)
    post = await write_post(world.server, alice.id, "hello", "public")
    assert (await of(world, post)).hosts == ()  # nothing has been put on its way yet
    await world.drain()
    found = {each.host: each for each in (await of(world, post)).hosts}
    assert found["peer.test"].counts["waiting"] == 1
    assert found["peer.test"].reasons == ("answered 500",)
    assert (found["peer.test"].next_at or 0) > clock.now()
    assert found["other.test"].counts["refused"] == 1
    assert (found["other.test"].reasons, found["other.test"].next_at) == (("answered 404",), None)
    page.status, refusing.status = 202, 202
    clock.advance(3600)
    await world.drain()
    assert (await of(world, post)).counts["taken"] == 1


async def test_what_waits_for_a_host_that_is_left_alone_is_held(world: World) -> None:
    alice = await followed_from(world, "https://peer.test/u/carol")
    world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    for n in range(10):
        await write_post(world.server, alice.id, f"number {n}", "public")
        await world.drain()
    post = await write_post(world.server, alice.id, "eleven", "public")
    await world.drain()
    (peer,) = (await of(world, post)).hosts
    assert peer.counts["held"] == 1
    assert peer.reasons == ("its server does not answer, and is left alone",)
    assert (peer.next_at or 0) > clock.now() + 3000


async def test_of_a_direct_post_nobody_is_named(world: World) -> None:
    alice = await followed_from(world, "https://peer.test/u/carol", "https://peer.test/u/erin")
    world.serve("https://peer.test/u/carol/inbox", b"", status=500)
    world.serve("https://peer.test/u/erin/inbox", b"", status=202)
    post = await write_post(world.server, alice.id, "@carol@peer.test @erin@peer.test psst", "direct")
    await world.drain()
    found = await of(world, post)
    (peer,) = found.hosts
    assert (peer.counts["taken"], peer.counts["waiting"]) == (1, 1)
    assert "carol" not in repr(found)
    assert "erin" not in repr(found)


async def test_a_post_that_goes_nowhere_has_an_empty_receipt(world: World) -> None:
    async with world.database.write() as tx:
        lone = await make_persona(tx, "lone")
    post = await write_post(world.server, lone.id, "hello", "public")
    await world.drain()
    assert (await of(world, post)).hosts == ()
