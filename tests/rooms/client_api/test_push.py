"""Programs are woken when their persona is told something: by a real push service, which reads nothing."""

import json
from collections.abc import AsyncIterator
from typing import Any

import http_ece
import pytest

from asgi import Application
from fakes.certificates import Authority
from fakes.world import World
from makers import make_follow, make_post, make_remote
from privapub import clock
from privapub.accounts import tokens
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.notifications import notify, push, web_push
from privapub.personas import read as personas
from program import Program, Town, town
from rooms.notifications.test_web_push import RECEIVER, SECRET, part, point, text

PATH = "/api/v1/push/subscription"
ENDPOINT = "https://peer.test/push/1"
KEYS = {"p256dh": text(point(RECEIVER)), "auth": text(SECRET)}


def asked(alerts: tuple[str, ...] = ("mention",), *, standard: bool = True, policy: str = "all") -> dict[str, Any]:
    return {
        "subscription": {"endpoint": ENDPOINT, "keys": KEYS, "standard": standard},
        "data": {"alerts": dict.fromkeys(alerts, True), "policy": policy},
    }


@pytest.fixture
async def world(database: Database, authority: Authority) -> AsyncIterator[World]:
    async with World(database, authority) as opened:
        async with database.write() as tx:
            await push.ensure_key(tx, web_push.new_key())
        yield opened


async def program(world: World, persona: Actor) -> Program:
    async with world.database.read() as tx:
        known = await personas.known(tx, persona.id)
    return await Town(Application(world.server), world.database).another(known)


async def mention(world: World, alice: Actor, words: str = "hello there", *, follows: bool = False) -> None:
    async with world.database.write() as tx:
        carol = await make_remote(tx, "carol@other.test", inbox="https://other.test/inbox")
        if follows:
            await make_follow(tx, carol.id, alice.id)
        post = await make_post(tx, carol.id, "public", words, named=[alice.id])
        await notify.of_post(tx, post, clock.now())


def pushes(world: World) -> list[Any]:
    return [each for each in world.peer.received if each.path == "/push/1"]


async def test_a_program_says_where_it_is_woken_changes_and_ends_it(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        assert await app.refused("GET", PATH) == (404, "Record not found")
        made = await app.told("POST", PATH, asked(("mention", "follow")))
        assert (made["endpoint"], made["standard"], made["policy"]) == (ENDPOINT, True, "all")
        assert [name for name, on in made["alerts"].items() if on] == ["mention", "follow"]
        assert made["alerts"]["admin.sign_up"] is False
        assert await app.get(PATH) == made
        other = await sut.another(alice)
        assert (await other.refused("GET", PATH))[0] == 404
        changed = await app.told("PUT", PATH, {"data": {"alerts": {"poll": True}}, "policy": "followed"})
        assert ([name for name, on in changed["alerts"].items() if on], changed["policy"]) == (["poll"], "followed")
        again = await app.told("POST", PATH, asked(standard=False))
        assert await app.get(PATH) == again
        assert await app.told("DELETE", PATH) == {}
        assert (await app.refused("PUT", PATH, {"data": {}}))[0] == (await app.refused("GET", PATH))[0] == 404


async def test_a_form_with_brackets_says_the_same(database: Database) -> None:
    async with town(database) as sut:
        _, app = await sut.program("alice")
        form = {
            "subscription[endpoint]": ENDPOINT, "subscription[keys][p256dh]": KEYS["p256dh"],
            "subscription[keys][auth]": KEYS["auth"], "data[alerts][mention]": "true", "data[alerts][poll]": "false",
        }  # fmt: skip
        made = await app.told("POST", PATH, form, form=True)
        assert ([name for name, on in made["alerts"].items() if on], made["standard"]) == (["mention"], False)


async def test_what_cannot_be_woken_is_refused(database: Database) -> None:
    async with town(database) as sut:
        alice, app = await sut.program("alice")
        for changes in (
            {"subscription": {}}, {"subscription": "x"}, {"data": {"policy": "everybody"}},
            {"subscription": {"endpoint": "ftp://x", "keys": KEYS}}, {"subscription": {"endpoint": ENDPOINT}},
            {"subscription": {"endpoint": ENDPOINT + "x" * 3000, "keys": KEYS}},
        ):  # fmt: skip
            assert (await app.refused("POST", PATH, asked() | changes))[0] == 422, changes
        assert (await app.refused("GET", PATH))[0] == 404
        narrow = await sut.another(alice, "read write")
        for method in ("GET", "POST", "PUT", "DELETE"):
            assert (await narrow.refused(method, PATH))[0] == 403
            assert (await sut.stranger.refused(method, PATH))[0] == 401


async def test_programs_are_told_the_key_of_the_server(world: World) -> None:
    alice = await world.persona("alice")
    app = await program(world, alice)
    made = await app.told("POST", "/api/v1/apps", {"client_name": "x", "redirect_uris": "urn:ietf:wg:oauth:2.0:oob"})
    async with world.database.read() as tx:
        private = await push.key(tx)
    assert private is not None
    assert made["vapid_key"] == web_push.public_of(private)
    assert (await app.told("POST", PATH, asked()))["server_key"] == made["vapid_key"]


@pytest.mark.parametrize("standard", [True, False])
async def test_what_is_told_reaches_the_program_and_nobody_else_reads_it(world: World, *, standard: bool) -> None:
    alice = await world.persona("alice")
    app = await program(world, alice)
    await app.told("POST", PATH, asked(standard=standard))
    await mention(world, alice, "hello there")
    await world.drain()
    (sent,) = pushes(world)
    assert sent.headers["TTL"]
    assert sent.headers["Authorization"].startswith("vapid t=" if standard else "WebPush ")
    assert b"hello" not in sent.body
    more: dict[str, Any] = {"version": "aes128gcm"}
    if not standard:
        crypto = sent.headers["Crypto-Key"]
        assert "p256ecdsa=" in crypto
        more = {"version": "aesgcm", "salt": part(sent.headers["Encryption"], "salt"), "dh": part(crypto, "dh")}
    read = json.loads(http_ece.decrypt(sent.body, private_key=RECEIVER, auth_secret=SECRET, **more))
    (told,) = await app.get("/api/v1/notifications")
    assert read["notification_id"] == told["id"]
    assert (read["notification_type"], read["title"], read["body"]) == (
        "mention",
        "\u2068Carol\u2069 mentioned you",
        "hello there",
    )
    assert set(read) == {"notification_id", "notification_type", "title", "body", "icon", "preferred_locale"}
    assert read["icon"].startswith("https://sut.test/")


@pytest.mark.parametrize(
    ("alerts", "policy", "follows", "woken"),
    [
        (("mention",), "all", False, 1),
        (("follow", "poll"), "all", False, 0),
        (("mention",), "none", False, 0),
        (("mention",), "followed", True, 0),
        (("mention",), "follower", True, 1),
        (("mention",), "follower", False, 0),
    ],
)
async def test_it_hears_of_what_and_whom_it_wants(
    world: World, alerts: tuple[str, ...], policy: str, woken: int, *, follows: bool
) -> None:
    alice = await world.persona("alice")
    app = await program(world, alice)
    await app.told("POST", PATH, asked(alerts, policy=policy))
    await mention(world, alice, follows=follows)
    await world.drain()
    assert len(pushes(world)) == woken


@pytest.mark.parametrize(("status", "stays"), [(201, True), (404, False), (410, False), (400, True)])
async def test_where_there_is_no_program_any_more_none_is_woken(world: World, status: int, *, stays: bool) -> None:
    alice = await world.persona("alice")
    app = await program(world, alice)
    await app.told("POST", PATH, asked())
    world.serve(ENDPOINT, b"", status=status)
    await mention(world, alice)
    await world.drain()
    assert len(pushes(world)) == 1
    assert (await app.ask("GET", PATH)).status == (200 if stays else 404)


async def test_nothing_is_told_that_was_dismissed_or_by_a_token_that_was_taken_back(world: World) -> None:
    alice, bob = await world.persona("alice"), await world.persona("bob")
    app, gone = await program(world, alice), await program(world, bob)
    await app.told("POST", PATH, asked())
    await gone.told("POST", PATH, asked())
    await mention(world, alice)
    await mention(world, bob)
    await app.told("POST", "/api/v1/notifications/clear")
    async with world.database.write() as tx:
        found = await tokens.find(tx, gone.token)
        assert found is not None
        await tokens.revoke(tx, found.id)
    await world.drain()
    assert pushes(world) == []
