"""Line 12, recursion: one budget for each root cause, and what was visited is known: threads, lists, quotes, keys.

Each peer here goes on for ever: every document names the next. How often it is asked is counted at its socket.
"""

import json
from collections import Counter
from dataclasses import replace

import pytest
from aiohttp import web

from fakes.activities import create, follow_of, note, of, post_at
from fakes.world import CONTEXT, PUBLIC, Person, World
from privapub import budget, clock
from privapub.actors.read import Actor
from privapub.posts import threads

JSON = "application/activity+json"
NEXT = "https://peer.test/n/"


def shrink(monkeypatch: pytest.MonkeyPatch, kind: str, **limits: int) -> None:
    """Causes of this kind may lead to less."""
    now = budget.LIMITS
    changed = {**now, kind: replace(now.get(kind, now[budget.OTHER]), **limits)}
    monkeypatch.setattr(budget, "LIMITS", changed)


def endless(world: World, carol: Person, **more: str) -> Counter[str]:
    """peer.test has a note at each number, with these properties leading to the next; counts what is asked of them."""
    asked: Counter[str] = Counter()
    before = world.peer.answer

    async def answer(request: web.Request) -> web.StreamResponse:
        if not request.path.startswith("/n/"):
            return await before(request)
        asked[request.raw_path] += 1
        number = int(request.path.removeprefix("/n/"))
        said = note(carol, f"{NEXT}{number}", **{name: value.format(number + 1) for name, value in more.items()})
        return web.Response(body=json.dumps({"@context": CONTEXT, **said}), content_type=JSON)

    world.peer.answer = answer
    return asked


async def told(world: World, alice: Actor, carol: Person, **more: object) -> None:
    """Carol writes to alice, and all is done that follows from it."""
    post = note(carol, f"{NEXT}0", to=[PUBLIC, alice.uri], **more)
    assert (await world.post(alice.inbox, create(carol, post), by=carol)).status == 202
    for _ in range(100):
        if not await world.drain():
            break
    assert await post_at(world, f"{NEXT}0") is not None


async def test_quotes_of_quotes_end(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asked = endless(world, carol, quote=NEXT + "{}")
    await told(world, alice, carol, quote=f"{NEXT}1")
    assert 1 <= sum(asked.values()) <= 5, asked
    assert set(asked.values()) == {1}


async def test_boosts_of_boosts_end(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    follow = await world.follow(alice, await world.learnt(carol))
    accepted = {"type": "Follow", "id": follow, "actor": alice.uri, "object": carol.uri}
    await world.post(alice.inbox, of("Accept", carol, accepted, "https://peer.test/accept/1"), by=carol)
    await world.drain()
    asked = endless(world, carol, type="Announce", object=NEXT + "{}", actor=carol.uri)
    await world.post(alice.inbox, of("Announce", carol, f"{NEXT}1", "https://peer.test/boost/1"), by=carol)
    await world.drain()
    assert asked == {"/n/1": 1}


async def test_the_way_up_a_thread_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, "context", objects=12)
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asked = endless(world, carol, inReplyTo=NEXT + "{}")
    await told(world, alice, carol, inReplyTo=f"{NEXT}1")
    assert 5 <= sum(asked.values()) <= 12
    assert set(asked.values()) == {1}


async def test_the_pages_of_a_collection_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, "context", lists=8)
    carol = world.person("https://peer.test/u/carol")
    asked: Counter[str] = Counter()
    before = world.peer.answer

    async def answer(request: web.Request) -> web.StreamResponse:
        if not request.path.startswith("/c/"):
            return await before(request)
        asked[request.raw_path] += 1
        number = int(request.path.removeprefix("/c/"))
        page = {
            "type": "CollectionPage",
            "id": f"https://peer.test/c/{number}",
            "next": f"https://peer.test/c/{number + 1}",
        }
        items = [f"https://host{number}-{n}.test/n/1" for n in range(1000)]
        return web.Response(body=json.dumps({"@context": CONTEXT, **page, "items": items}), content_type=JSON)

    world.peer.answer = answer
    root = "https://peer.test/r"
    world.serve(root, {"@context": CONTEXT, **note(carol, root, replies="https://peer.test/c/0")})
    async with world.database.write() as tx:
        await threads.ask(tx, root, clock.now())
    await world.drain()
    assert 2 <= sum(asked.values()) <= 8
    assert set(asked.values()) == {1}
    assert (
        len([name for name in world.internet.names.asked if name.startswith("host")]) <= budget.LIMITS["context"].hosts
    )


async def test_keys_of_keys_end(world: World) -> None:
    """CVE-2026-34148 and its like: one request leads to a bounded number, whatever the answers name."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    asked: Counter[str] = Counter()

    async def answer(request: web.Request) -> web.StreamResponse:
        asked[request.raw_path] += 1
        number = int(request.path.removeprefix("/k/"))
        here, following = f"https://other.test/k/{number}", f"https://other.test/k/{number + 1}"
        key = {"@context": CONTEXT, "id": here, "owner": following, "publicKeyPem": carol.pem}
        return web.Response(body=json.dumps(key), content_type=JSON)

    world.other.answer = answer
    forger = Person("https://other.test/k/1", "k", key_name=carol.uri)
    for _ in range(3):
        said = await world.post(alice.inbox, follow_of(forger, alice), by=forger, key_id="https://other.test/k/0")
        assert said.status == 401
    assert asked == {"/k/0": 1, "/k/1": 1}


async def test_names_of_names_end(world: World) -> None:
    """Whose host calls them by another address, whose host calls them by another, and so on."""
    asked: Counter[str] = Counter()

    async def answer(request: web.Request) -> web.StreamResponse:
        asked[request.path] += 1
        number = sum(asked.values())
        jrd = {
            "subject": f"acct:carol{number}@peer.test",
            "links": [{"rel": "self", "type": JSON, "href": f"https://peer.test/u/carol{number}"}],
        }
        return web.Response(body=json.dumps(jrd), content_type="application/jrd+json")

    carol = world.person("https://other.test/u/carol")
    world.serve_jrd("carol@other.test", carol.uri, subject="carol0@peer.test")
    world.peer.answer = answer
    learnt = await world.learnt(carol)
    assert learnt.host == "other.test"
    assert asked == {"/.well-known/webfinger": 1}


async def test_what_one_activity_leads_to_is_paid_from_one_budget(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its post, who wrote that, their address, and where it all is sent on to: each is one more of the same."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    accepted = {"type": "Follow", "id": await world.follow(alice, await world.learnt(carol)), "object": carol.uri}
    await world.post(
        alice.inbox, of("Accept", carol, {**accepted, "actor": alice.uri}, "https://peer.test/accept/1"), by=carol
    )
    await world.drain()
    dave = world.person("https://other.test/u/dave")
    world.serve("https://other.test/n/1", {"@context": CONTEXT, **note(dave, "https://other.test/n/1")})
    for name in ("inbox", "ask_origin", "quote"):
        shrink(monkeypatch, name, objects=2)
    world.other.received.clear()
    await world.post(alice.inbox, of("Announce", carol, "https://other.test/n/1", "https://peer.test/b/1"), by=carol)
    await world.drain()
    assert [each.path for each in world.other.received] == ["/n/1", "/u/dave"]
    told = [(row["trigger"], row["outcome"]) for row in world.server.fetches._rows if row["reason"] == "budget"]
    assert told == [("inbox", "refused")]
    assert await world.actor(dave.uri) is None  # nobody is known under an address that nobody confirmed
