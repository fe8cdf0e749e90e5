"""Line 12, recursion: one budget for each root cause, and what was visited is known: threads, lists, quotes, keys.

Each peer here goes on for ever: every document names the next. How often it is asked is counted at its socket.
"""

import json
from collections import Counter

from aiohttp import web

from fakes.activities import create, note, post_at
from fakes.world import CONTEXT, PUBLIC, Person, World
from privapub.actors.read import Actor

JSON = "application/activity+json"
NEXT = "https://peer.test/n/"


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
