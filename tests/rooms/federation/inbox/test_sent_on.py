"""What somebody answers to a post of ours goes on to our followers, byte for byte, and only with its own signature."""

import json
from typing import Any

import pytest

from fakes.activities import create, note, of, post_at
from fakes.vouched import linked, proven, proving
from fakes.world import PUBLIC, Person, World
from makers import make_post, private_keys
from privapub import clock
from privapub.actors import blocks
from privapub.actors.read import Actor
from privapub.follows import blocking, domains, follow
from privapub.moderation.domain_rules import Rule
from privapub.personas.rotate import rotate_keys
from privapub.posts.read import Post

INBOX = "https://sut.test/inbox"
CAROL, DAVE, ERIN = "https://peer.test/u/carol", "https://other.test/u/dave", "https://third.test/u/erin"
NOTE = "https://other.test/n/9"


class Thread:
    """Alice has written something; Carol and Erin, of two servers, follow her; Dave, of a third, answers."""

    def __init__(self, world: World, alice: Actor, post: Post, dave: Person) -> None:
        self.world, self.alice, self.post, self.dave = world, alice, post, dave

    def answer(self, **changes: Any) -> dict[str, Any]:
        said = {"inReplyTo": self.post.uri, "to": [PUBLIC], "cc": [self.alice.uri, self.alice.followers], **changes}
        return create(self.dave, note(self.dave, NOTE, **said), "https://other.test/a/9")

    async def bring(self, document: dict[str, Any] | bytes) -> None:
        assert (await self.world.post(INBOX, document, by=self.dave)).status == 202
        await self.world.drain()

    def got(self) -> list[bytes]:
        """What came to Carol's server that Dave did."""
        return [each.body for each in self.world.peer.received if each.method == "POST" and DAVE.encode() in each.body]


async def thread(world: World, audience: str = "public") -> Thread:
    alice, dave = await world.persona(), proving(world, DAVE)
    third = await world.site("third.test")
    followers = [world.person(CAROL), world.person(ERIN), dave]
    learnt = [await world.learnt(person) for person in followers]
    async with world.database.write() as tx:
        for each in learnt:
            await follow.receive(tx, each.id, alice.id, f"{each.uri}/follow", clock.now())
        named = [each.id for each in learnt] if audience == "direct" else []
        post = await make_post(tx, alice.id, audience, named=named)
    await world.drain()
    for site in (world.peer, world.other, third):
        site.received.clear()
    return Thread(world, alice, post, dave)


@pytest.mark.parametrize("audience", ["public", "unlisted", "followers"])
@pytest.mark.parametrize("vouched", [proven, linked])
async def test_an_answer_goes_on_byte_for_byte(world: World, audience: str, vouched: Any) -> None:
    told = await thread(world, audience)
    body = json.dumps(vouched(told.answer(), told.dave), indent=3).encode()
    await told.bring(body)
    assert told.got() == [body]
    (sent,) = [each for each in world.peer.received if each.method == "POST"]
    assert told.alice.uri in sent.headers["Signature"]
    assert world.sent(world.other) == []  # it is from there


async def test_of_one_host_so_much_goes_on_and_no_more_but_ends_always_do(world: World) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(), told.dave))
    assert len(told.got()) == 1
    while world.server.limits.send_on("other.test", clock.now()):
        continue
    another = note(
        told.dave, f"{NOTE}0", inReplyTo=told.post.uri, to=[PUBLIC], cc=[told.alice.uri, told.alice.followers]
    )
    await told.bring(proven(create(told.dave, another, "https://other.test/a/10"), told.dave))
    assert await post_at(world, f"{NOTE}0") is not None
    assert len(told.got()) == 1
    await told.bring(proven(of("Delete", told.dave, NOTE, "https://other.test/a/11"), told.dave))
    assert len(told.got()) == 2


async def test_what_is_not_signed_within_does_not_go_on(world: World) -> None:
    told = await thread(world)
    await told.bring(told.answer())
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_a_signature_of_somebody_elses_host_is_none(world: World) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(), Person(CAROL, "carol")))
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


@pytest.mark.parametrize("cc", [[], [CAROL], ["https://other.test/u/dave/followers"], ["https://sut.test/followers"]])
async def test_what_is_not_for_our_followers_does_not_go_on(world: World, cc: list[str]) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(cc=cc), told.dave))
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_an_answer_to_what_was_for_few_does_not_go_on(world: World) -> None:
    told = await thread(world, "direct")
    await told.bring(proven(told.answer(), told.dave))
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_an_answer_to_somebody_else_does_not_go_on(world: World) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(inReplyTo="https://peer.test/n/1"), told.dave))
    assert told.got() == []


async def test_who_is_blocked_or_of_a_limited_server_is_not_helped(world: World) -> None:
    told = await thread(world)
    async with world.database.write() as tx:
        await domains.keep(tx, [Rule("other.test", "limit")], {"sut.test"}, clock.now())
    await told.bring(proven(told.answer(), told.dave))
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_an_answer_of_somebody_blocked_does_not_go_on(world: World) -> None:
    told = await thread(world)
    dave = await world.actor(DAVE)
    assert dave is not None
    async with world.database.write() as tx:
        await blocking.block(tx, told.alice.id, dave.id, "https://sut.test/b/1", clock.now())
        assert await blocks.either_way(tx, told.alice.id, [dave.id])
    await told.bring(proven(told.answer(), told.dave))
    assert told.got() == []


async def test_it_goes_on_once(world: World) -> None:
    told = await thread(world)
    document = proven(told.answer(), told.dave)
    await told.bring(document)
    await told.bring(document)
    assert (await world.post(told.alice.inbox, document, by=told.dave)).status == 202
    await world.drain()
    assert len(told.got()) == 1


async def test_what_somebody_else_brings_does_not_go_on(world: World) -> None:
    """So nothing goes in circles."""
    told = await thread(world)
    erin = Person(ERIN, "erin")
    assert (await world.post(INBOX, proven(told.answer(), told.dave), by=erin)).status == 202
    await world.drain()
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_its_edits_and_its_end_go_to_whoever_got_it(world: World) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(), told.dave))
    carol = await world.actor(CAROL)
    assert carol is not None
    async with world.database.write() as tx:
        await follow.undo(tx, carol.id, told.alice.id, clock.now())
    edited = {**told.answer()["object"], "content": "<p>better</p>", "updated": "2026-03-01T11:00:00Z"}
    await told.bring(proven(of("Update", told.dave, edited, "https://other.test/a/10"), told.dave))
    await told.bring(proven(of("Delete", told.dave, NOTE, "https://other.test/a/11"), told.dave))
    assert [json.loads(body)["type"] for body in told.got()] == ["Create", "Update", "Delete"]


@pytest.mark.parametrize("limited", [False, True])
async def test_who_is_blocked_or_limited_by_then_is_helped_to_delete_and_not_to_edit(
    world: World, limited: bool
) -> None:
    told = await thread(world)
    await told.bring(proven(told.answer(), told.dave))
    dave = await world.actor(DAVE)
    assert dave is not None
    async with world.database.write() as tx:
        if limited:
            await domains.keep(tx, [Rule("other.test", "limit")], {"sut.test"}, clock.now())
        else:
            await blocking.block(tx, told.alice.id, dave.id, "https://sut.test/b/1", clock.now())
    edited = {**told.answer()["object"], "content": "<p>worse</p>", "updated": "2026-03-01T11:00:00Z"}
    await told.bring(proven(of("Update", told.dave, edited, "https://other.test/a/10"), told.dave))
    await told.bring(proven(of("Delete", told.dave, NOTE, "https://other.test/a/11"), told.dave))
    assert [json.loads(body)["type"] for body in told.got() if b"/b/1" not in body] == ["Create", "Delete"]


async def test_what_is_blown_up_does_not_go_on(world: World) -> None:
    """One request would make us send as much to each server of our followers, and keep it until all have got it."""
    told = await thread(world)
    body = json.dumps(proven(told.answer(), told.dave)).encode()
    await told.bring(body + b" " * (256 * 1024))
    assert await post_at(world, NOTE) is not None
    assert told.got() == []


async def test_what_never_went_on_is_not_followed_by_its_end(world: World) -> None:
    told = await thread(world)
    await told.bring(told.answer())
    await told.bring(proven(of("Delete", told.dave, NOTE, "https://other.test/a/11"), told.dave))
    assert await post_at(world, NOTE) is None
    assert told.got() == []


async def test_a_new_key_of_ours_signs_nothing_that_is_somebody_elses(world: World) -> None:
    told = await thread(world)
    document = proven(told.answer(), told.dave)
    world.serve(f"{CAROL}/inbox", status=503)
    await told.bring(document)
    assert len(told.got()) == 1
    clock.advance(60)
    async with world.database.write() as tx:
        await rotate_keys(tx, told.alice.id, private_keys(), clock.now())
    world.serve(f"{CAROL}/inbox", status=202)
    clock.advance(7200)
    await world.drain()
    assert [json.loads(body)["proof"] for body in told.got()[1:]] == [document["proof"]]
