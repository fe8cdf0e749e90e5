"""What goes out with a post for followers, and who is told who they are (FEP-8fcf)."""

import json

import pytest

from asgi import DOCUMENT, serving
from fakes.internet import Received
from fakes.world import World
from makers import make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors.keys import RSA
from privapub.actors.read import Actor, keys_of
from privapub.database.connect import Database
from privapub.federation.documents import synchronization
from privapub.federation.fetching import scheme as schemes
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import HttpRequest
from privapub.follows import blocking

CAROL, CECIL, DAVE = "https://peer.test/u/carol", "https://peer.test/u/cecil", "https://other.test/u/dave"


async def followed(world: World) -> Actor:
    """Alice, whom two of one server and one of another follow."""
    alice = await world.persona()
    for uri in (CAROL, CECIL, DAVE):
        theirs = await world.learnt(world.person(uri))
        async with world.database.write() as tx:
            await make_follow(tx, theirs.id, alice.id)
    await world.drain()
    return alice


async def published(world: World, alice: Actor, audience: str) -> list[Received]:
    """What came to Carol's server of a new post."""
    world.peer.received.clear()
    async with world.database.write() as tx:
        carol = await world.actor(CAROL)
        assert carol is not None
        await make_post(tx, alice.id, audience, named=[carol.id])
    await world.drain()
    return [each for each in world.peer.received if each.method == "POST" and each.json["type"] == "Create"]


@pytest.mark.parametrize("scheme", ["cavage", "rfc9421"])
async def test_a_post_for_followers_tells_each_server_of_its_own(world: World, scheme: Scheme) -> None:
    alice = await followed(world)
    async with world.database.write() as tx:
        await schemes.remember(tx, "peer.test", scheme, clock.now())
    came = await published(world, alice, "followers")
    assert came
    for each in came:
        said = synchronization.read(each.headers[synchronization.HEADER])
        assert said is not None
        assert said.collection == alice.followers
        assert said.url == f"{alice.uri}/followers/peer.test"
        assert said.digest == synchronization.digest([CAROL, CECIL])


async def test_the_signature_covers_it(world: World) -> None:
    alice = await followed(world)
    (each, *_) = await published(world, alice, "followers")
    async with world.database.read() as tx:
        (key,) = [key for key in await keys_of(tx, alice.id) if key.algorithm == RSA]
    public = PublicKey.from_pem(key.id, alice.uri, key.public)
    fields = tuple((name, value) for name, value in each.headers.items())
    request = HttpRequest("POST", f"https://peer.test{each.path}", fields, each.body)
    check(examine(request, clock.now()), request, public)
    assert "collection-synchronization" in examine(request, clock.now()).covered


@pytest.mark.parametrize("audience", ["public", "unlisted", "direct"])
async def test_what_is_not_for_followers_alone_tells_nothing(world: World, audience: str) -> None:
    alice = await followed(world)
    came = await published(world, alice, audience)
    assert came
    assert not [each for each in came if synchronization.HEADER in each.headers]


async def test_a_server_gets_its_own_followers_and_no_others(database: Database) -> None:
    async with database.write() as tx:
        alice = (await make_persona(tx)).actor
        carol, cecil = await make_remote(tx), await make_remote(tx, "cecil@peer.test")
        dave, erin = await make_remote(tx, "dave@other.test"), await make_remote(tx, "erin@third.test")
        for each in (carol, cecil, dave):
            await make_follow(tx, each.id, alice.id)
    address = f"{alice.uri}/followers/"
    async with serving(database) as sut:
        answer = await sut.get(address + "peer.test", accept=DOCUMENT, by=carol)
        assert answer.status == 200
        assert answer.headers["cache-control"] == "private, no-store"
        document = json.loads(answer.body)
        assert document["id"] == address + "peer.test"
        assert document["orderedItems"] == sorted([carol.uri, cecil.uri])
        of_dave = await sut.get(address + "other.test", accept=DOCUMENT, by=dave)
        assert json.loads(of_dave.body)["orderedItems"] == [dave.uri]
        none = await sut.get(address + "third.test", accept=DOCUMENT, by=erin)
        assert json.loads(none.body)["orderedItems"] == []


async def test_nobody_else_learns_who_they_are(database: Database) -> None:
    async with database.write() as tx:
        alice = (await make_persona(tx)).actor
        carol, dave = await make_remote(tx), await make_remote(tx, "dave@other.test")
        mallory = await make_remote(tx, "mallory@peer.test")
        await make_follow(tx, carol.id, alice.id)
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
    address = f"{alice.uri}/followers/peer.test"
    async with serving(database) as sut:
        for by, status in ((None, 401), (dave, 403), (mallory, 404)):
            answer = await sut.get(address, accept=DOCUMENT, **({} if by is None else {"by": by}))
            assert answer.status == status
            assert answer.headers["cache-control"] == "private, no-store"
            assert carol.uri.encode() not in answer.body
        nobody = await sut.get("https://sut.test/actors/nobody/followers/peer.test", accept=DOCUMENT, by=carol)
        assert nobody.status == 404
