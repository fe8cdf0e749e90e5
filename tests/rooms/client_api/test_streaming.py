"""What happens, heard live by programs over real sockets: at once, by whom it concerns, and by nobody else."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from fakes.world import World
from makers import make_follow
from privapub import clock
from privapub.accounts import tokens
from privapub.actors.read import Actor
from privapub.app import web_application
from privapub.client_api import live
from privapub.client_api.channels import Channel
from privapub.client_api.live import MOST_WAITING, Listener, Live, Message
from privapub.composing.compose import edit_post, write_post
from privapub.moderation import announcements
from privapub.posts.delete import delete
from privapub.posts.read import Post
from privapub.timelines import filters

SCOPES = "read write follow"


async def token(world: World, persona: Actor, scopes: str = SCOPES) -> tuple[str, int]:
    """What a program of this persona shows, and the token's number."""
    async with world.database.write() as tx:
        of, _ = await tokens.register(tx, "Test", [tokens.OUT_OF_BAND], scopes, None, clock.now())
        made, secret = await tokens.give(tx, of.id, persona.id, of.scopes, clock.now())
    return secret, made.id


@asynccontextmanager
async def listening(world: World, secret: str, **asked: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    query = "&".join(f"{name}={value}" for name, value in {"access_token": secret, **asked}.items())
    url = f"http://127.0.0.1:{world.port}/api/v1/streaming?{query}"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        yield socket


async def heard(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    async with asyncio.timeout(20):
        return json.loads((await socket.receive()).data)


@asynccontextmanager
async def as_browsers_do(world: World, secret: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """The token is the name of a protocol: a page of a browser can set no other header."""
    url = f"http://127.0.0.1:{world.port}/api/v1/streaming?stream=user"
    async with aiohttp.ClientSession() as session, session.ws_connect(url, protocols=[secret]) as socket:
        yield socket


async def write(world: World, author: Actor, text: str, audience: str = "public") -> Post:
    made = await write_post(world.server, author.id, text, audience)
    await world.drain()
    return made


async def test_a_post_its_edit_and_its_end_are_heard_by_followers(world: World) -> None:
    alice, bob, eve = [await world.persona(name) for name in ("alice", "bob", "eve")]
    async with world.database.write() as tx:
        await make_follow(tx, bob.id, alice.id)
    secret, _ = await token(world, bob)
    of_eve, _ = await token(world, eve)
    async with listening(world, secret, stream="user") as ours, listening(world, of_eve, stream="user") as theirs:
        post = await write(world, alice, "for followers", "followers")
        told = await heard(ours)
        assert (told["stream"], told["event"]) == (["user"], "update")
        assert json.loads(told["payload"])["content"] == "<p>for followers</p>"
        await edit_post(world.server, alice.id, post.id, "changed")
        await world.drain()
        told = await heard(ours)
        assert (told["event"], json.loads(told["payload"])["content"]) == ("status.update", "<p>changed</p>")
        async with world.database.write() as tx:
            await delete(tx, post.id, alice.id, clock.now())
        assert await heard(ours) == {"stream": ["user"], "event": "delete", "payload": str(post.id)}
        # What is not for eve she does not hear: the first that she does is her own.
        mine = await write(world, eve, "mine")
        told = await heard(theirs)
        assert json.loads(told["payload"])["id"] == str(mine.id)


async def test_streams_are_chosen_and_left_on_one_connection(world: World) -> None:
    alice = await world.persona("alice")
    secret, _ = await token(world, alice)
    async with listening(world, secret) as socket:
        await socket.send_json({"type": "subscribe", "stream": "hashtag", "tag": "#Cats"})
        await socket.send_json({"type": "subscribe", "stream": "nothing"})
        assert await heard(socket) == {"error": "Unknown stream type", "status": 400}
        await write(world, alice, "no tag")
        post = await write(world, alice, "a #cats")
        told = await heard(socket)
        assert (told["stream"], json.loads(told["payload"])["id"]) == (["hashtag", "Cats"], str(post.id))
        await socket.send_json({"type": "unsubscribe", "stream": "hashtag", "tag": "Cats"})
        await socket.send_json({"type": "subscribe", "stream": "public:local"})
        await socket.send_str("{")
        assert await heard(socket) == {"error": "Invalid JSON", "status": 400}
        await write(world, alice, "more #cats")
        assert (await heard(socket))["stream"] == ["public:local"]


async def test_server_sent_events_tell_the_same(world: World) -> None:
    alice = await world.persona("alice")
    secret, _ = await token(world, alice)
    url = f"http://127.0.0.1:{world.port}/api/v1/streaming/public"
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {secret}"}) as session,
        session.get(url) as events,
        asyncio.timeout(20),
    ):
        assert (events.status, events.content_type) == (200, "text/event-stream")
        assert await events.content.readline() == b":)\n"
        post = await write(world, alice, "hello")
        assert await events.content.readline() == b"event: update\n"
        told = (await events.content.readline()).removeprefix(b"data: ")
        assert json.loads(told)["id"] == str(post.id)


async def test_a_persona_hears_what_it_is_told_and_that_its_filters_changed(world: World) -> None:
    alice, bob = await world.persona("alice"), await world.persona("bob")
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, bob.id)  # of strangers, a private mention is filtered
    secret, _ = await token(world, alice)
    async with (
        listening(world, secret, stream="user:notification") as told,
        listening(world, secret, stream="direct") as written,
    ):
        await write(world, bob, "hello @alice", "direct")
        message = await heard(told)
        assert (message["stream"], message["event"]) == (["user:notification"], "notification")
        found = json.loads(message["payload"])
        assert (found["type"], found["account"]["username"]) == ("mention", "bob")
        message = await heard(written)
        assert (message["stream"], message["event"]) == (["direct"], "conversation")
        assert [each["username"] for each in json.loads(message["payload"])["accounts"]] == ["bob"]
        await told.send_json({"type": "subscribe", "stream": "user"})
        await told.send_str("{")
        assert (await heard(told))["status"] == 400
        async with world.database.write() as tx:
            await filters.add(tx, alice.id, "cats", places=["home"], words=[("cat", True)], now=clock.now())
        assert await heard(told) == {"stream": ["user"], "event": "filters_changed"}


async def test_everyone_hears_what_is_announced_and_taken_back(world: World) -> None:
    alice = await world.persona("alice")
    secret, _ = await token(world, alice)
    async with listening(world, secret, stream="user") as socket:
        async with world.database.write() as tx:
            made = await announcements.write(tx, "Hello all", None, None, clock.now())
        message = await heard(socket)
        assert (message["stream"], message["event"]) == (["user"], "announcement")
        told = json.loads(message["payload"])
        assert (told["id"], told["read"]) == (str(made.id), False)
        assert "Hello all" in told["content"]
        async with world.database.write() as tx:
            await announcements.remove(tx, made.id)
        gone = {"stream": ["user"], "event": "announcement.delete", "payload": str(made.id)}
        assert await heard(socket) == gone


async def test_a_token_that_is_taken_back_ends_its_connection(world: World) -> None:
    alice = await world.persona("alice")
    secret, number = await token(world, alice)
    async with listening(world, secret, stream="user") as socket:
        async with world.database.write() as tx:
            await tokens.revoke(tx, number)
        async with asyncio.timeout(20):
            assert (await socket.receive()).type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}


async def test_a_token_that_was_taken_back_before_anybody_listened_hears_nothing(world: World) -> None:
    listener = Listener(1, 2)
    async with Live(world.server).listening(listener):
        assert listener.waiting.get_nowait() is None


async def test_a_persona_has_so_many_connections(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_CONNECTIONS", 1)
    alice, bob = await world.persona("alice"), await world.persona("bob")
    secret, _ = await token(world, alice)
    other, _ = await token(world, bob)
    async with listening(world, secret, stream="user"), listening(world, other, stream="user"):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with listening(world, secret, stream="user"):
                raise AssertionError
    assert refused.value.status == 429


@pytest.mark.parametrize(
    ("scopes", "asked", "status"),
    [
        (None, "?stream=user", 401),
        ("write", "?stream=user", 403),
        ("read:statuses", "?stream=user", 400),
        ("read", "?stream=list", 400),
        ("read", "?stream=hashtag", 400),
    ],
)
async def test_who_may_not_listen_is_told_so(world: World, scopes: str | None, asked: str, status: int) -> None:
    alice = await world.persona("alice")
    secret = "nothing" if scopes is None else (await token(world, alice, scopes))[0]
    url = f"http://127.0.0.1:{world.port}/api/v1/streaming{asked}"
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {secret}"}) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(url)
    assert refused.value.status == (400 if status == 403 else status)


async def test_connections_are_counted_as_streams_let_in_or_not(world: World) -> None:
    secret, _ = await token(world, await world.persona("alice"))
    world.server.traffic._counts.clear()
    async with listening(world, secret, stream="user"):
        pass
    with pytest.raises(aiohttp.WSServerHandshakeError):
        async with listening(world, "nothing", stream="user"):
            raise AssertionError
    counts = world.server.traffic._counts
    found = {key[1:4]: times for key, times in counts.items() if str(key[1]).startswith("api:")}
    assert found == {("api:streaming", "GET", 100): 1, ("api:streaming", "GET", 400): 1}


def test_who_does_not_listen_is_let_go() -> None:
    listener = Listener(1, 2)
    for _ in range(MOST_WAITING + 1):
        listener.tell(Message(Channel("user"), "update", "x"))
    assert listener.waiting.get_nowait() is None
    assert listener.waiting.empty()


async def test_a_token_may_come_as_the_name_of_a_protocol(world: World) -> None:
    alice = await world.persona("alice")
    secret, _ = await token(world, alice)
    async with as_browsers_do(world, secret) as socket:
        assert socket.protocol == secret  # a browser ends it where it hears another, or none
        post = await write(world, alice, "hello")
        told = await heard(socket)
        assert json.loads(told["payload"])["id"] == str(post.id)
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        async with as_browsers_do(world, "another"):
            pass
    assert refused.value.status == 401


async def test_who_is_gone_without_a_word_is_no_fault_of_ours(world: World) -> None:
    secret, _ = await token(world, await world.persona("alice"))
    events = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1006}])
    said = []

    async def receive() -> dict[str, Any]:
        return next(events)

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            raise OSError
        said.append(message["type"])

    scope = {
        "type": "websocket", "path": "/api/v1/streaming", "raw_path": b"/api/v1/streaming", "headers": [],
        "query_string": f"access_token={secret}".encode(), "subprotocols": [], "scheme": "ws", "client": None,
    }  # fmt: skip
    async with asyncio.timeout(20):
        await web_application(world.server)(scope, receive, send)  # type: ignore[arg-type]  # plain dicts, as ASGI has it
    assert said == ["websocket.accept"]
