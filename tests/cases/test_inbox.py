"""The shared cases of the inbox."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from cases.replay import Stage, case, stage
from fakes.activities import kept_out, of, post_at, state
from fakes.world import PUBLIC, World
from privapub.actors.read import Actor
from privapub.posts import read as posts
from privapub.timelines import read as timelines

CAROL = "https://peer.test/u/carol"
MALLORY = "https://peer.test/u/mallory"


async def follows_carol(on: Stage) -> Actor:
    """Alice follows carol, who accepted."""
    carol = on.people[CAROL]
    theirs = await on.world.learnt(carol)
    uri = await on.world.follow(on.alice, theirs)
    await on.world.post(on.alice.inbox, of("Accept", carol, uri, "https://peer.test/acc/0"), by=carol)
    await on.world.drain()
    return theirs


async def test_inbox_01_a_second_follow_reuses_the_id_of_an_undone_one(world: World) -> None:
    on = await stage(world)
    answers = await on.play(case("inbox/01-refollow-same-id")["given"]["steps"], drain=False)
    await world.drain()
    assert {answer.status for answer in answers} == {202}
    assert await state(world, await world.actor(CAROL), on.alice) == "accepted"
    accepts = [each for each in world.sent() if each["type"] == "Accept"]
    assert [each["object"]["id"] for each in accepts] == ["https://peer.test/follow/77"] * 2
    assert len({each["id"] for each in accepts}) == 2


async def test_inbox_03_delete_and_undo_before_what_they_are_about(world: World) -> None:
    on = await stage(world)
    await on.make_note()
    answers = await on.play(case("inbox/03-undo-delete-before-target")["given"]["steps"])
    assert [answer.status for answer in answers] == [202, 202, 202, 202, 400, 202]
    assert await post_at(world, "https://peer.test/n/5") is None
    assert await post_at(world, "https://peer.test/n/7") is not None


async def test_inbox_04_a_storm_of_deletes_of_unknown_actors(world: World) -> None:
    on = await stage(world)
    (step,) = case("inbox/04-delete-of-unknown-actor")["given"]["steps"]
    answers = await on.play([{**step, "n": 50}])
    assert {answer.status for answer in answers} == {202}
    assert world.peer.received == []
    assert await world.actor("https://peer.test/u/gone7") is None
    assert world.arrivals() == {("", "dropped", "delete-of-unknown-actor"): 50}


async def test_inbox_06_the_spellings_of_public(world: World) -> None:
    on = await stage(world)
    await follows_carol(on)
    for variant in case("inbox/06-public-aliases")["given"]["variants"]:
        (answer,) = await on.play(variant["steps"])
        assert answer.status == 202
        post = await post_at(world, variant["steps"][0]["json"]["object"]["id"])
        assert post is not None, variant["name"]
        assert post.audience == variant["visibility"].partition("-")[0], variant["name"]


async def test_inbox_07_another_actor_of_the_host_touches_what_is_not_its_own(world: World) -> None:
    on = await stage(world)
    await on.make_note()
    carol, mallory = on.people[CAROL], on.people[MALLORY]
    await world.learnt(mallory)
    followed = of("Follow", carol, on.alice.uri, "https://peer.test/follow/c1")
    victim = {"type": "Note", "id": "https://peer.test/n/victim", "attributedTo": CAROL, "content": "<p>mine</p>"}
    written = of("Create", carol, {**victim, "to": [PUBLIC, on.alice.uri]}, "https://peer.test/a/victim")
    for activity in (followed, written):
        await world.post(on.alice.inbox, activity, by=carol)
    await world.drain()
    before = await on.state()
    for variant in case("inbox/07-same-host-actor-spoof")["given"]["variants"]:
        (answer,) = await on.play(variant["steps"])
        if variant["name"] == "signer-differs":
            assert answer.status == 401
        after = await on.state()
        assert after == before, variant["name"]


def _plain(content: str) -> bool:
    return "\0" not in content and all(not 0xD800 <= ord(letter) < 0xE000 for letter in content)


async def test_inbox_09_nul_and_unpaired_surrogates(world: World) -> None:
    on = await stage(world)
    given = case("inbox/09-nul-and-surrogates")["given"]
    for variant in given["variants"]:
        (answer,) = await on.play(variant["steps"])
        if variant["name"] == "nul-in-id":
            assert answer.status == 400
            continue
        assert answer.status == 202, variant["name"]
        post = await post_at(world, json.loads(variant["steps"][0]["raw"])["object"]["id"])
        assert post is not None, variant["name"]
        assert _plain(post.content + json.dumps([dict(tag) for tag in post.tags], ensure_ascii=False))
        assert _plain(json.dumps([dict(each) for each in post.attachments], ensure_ascii=False))
    assert await kept_out(world) == [None] * (len(given["variants"]) - 1)


async def test_inbox_10_two_updates_in_reverse_order(world: World) -> None:
    on = await stage(world)
    await follows_carol(on)
    steps = case("inbox/10-stale-update")["given"]["steps"]
    first = {**steps[0]["json"]["object"], "content": "<p>first</p>"}
    del first["updated"]
    carol = on.people[CAROL]
    await world.post(on.alice.inbox, of("Create", carol, first, "https://peer.test/a/e1"), by=carol)
    await world.drain()
    await on.play(steps)
    post = await post_at(world, "https://peer.test/n/e1")
    assert post is not None
    assert (post.content, post.sensitive, post.summary) == ("<p>third</p>", False, "")
    assert post.edited_at == 1_772_366_403.0


def _note(changes: dict[str, Any]) -> dict[str, Any]:
    note = {"type": "Note", "id": "https://peer.test/n/big", "attributedTo": CAROL, "content": "<p>hi</p>"}
    return {"type": "Create", "id": "https://peer.test/a/big", "object": {**note, "to": [PUBLIC], **changes}}


def _deep(levels: int) -> bytes:
    return b'{"type":"Note","replies":' * levels + b"1" + b"}" * levels


BIG: dict[str, Callable[[Stage], Any]] = {
    "name-1MB": lambda on: {
        "type": "Update",
        "id": "https://peer.test/up/1",
        "object": {**on.people[CAROL].document(), "name": "a" * 1_000_000},
    },
    "fields-5000": lambda on: {
        "type": "Update",
        "id": "https://peer.test/up/1",
        "object": {
            **on.people[CAROL].document(),
            "attachment": [{"type": "PropertyValue", "name": f"n{n}", "value": "v"} for n in range(5000)],
        },
    },
    "poll-10000": lambda _: _note(
        {"type": "Question", "oneOf": [{"type": "Note", "name": f"{n}"} for n in range(10000)]}
    ),
    "mentions-5000": lambda _: _note(
        {"tag": [{"type": "Mention", "href": f"https://other.test/u/{n}", "name": f"@{n}"} for n in range(5000)]}
    ),
    "alt-200k": lambda _: _note(
        {"attachment": {"type": "Image", "url": "https://peer.test/m/1.png", "name": "x" * 200_000}}
    ),
    "depth-5000": lambda _: _deep(5000),
    "int-1e400": lambda _: (
        json.dumps(
            {**_note({"type": "Question", "endTime": "9999999999-01-01T00:00:00Z", "votersCount": 7}), "actor": CAROL}
        )
        .replace(": 7", ": 1e400")
        .encode()
    ),
    "body-20MB": lambda _: _note({"content": "x" * 20_000_000}),
}
LARGEST = 20_000


@pytest.mark.parametrize("name", BIG)
async def test_inbox_12_properties_without_bounds(world: World, name: str) -> None:
    on = await stage(world)
    assert name in {variant["name"] for variant in case("inbox/12-unbounded-properties")["given"]["variants"]}
    await follows_carol(on)
    built = BIG[name](on)
    activity = {"actor": CAROL, **built} if isinstance(built, dict) else built
    answer = await world.post(on.alice.inbox, activity, by=on.people[CAROL])
    assert answer.status == {"body-20MB": 413, "depth-5000": 400, "int-1e400": 400}.get(name, 202)
    await world.drain()
    # Neither 5000 fetches nor 5000 rows, and nothing that is longer than the documents' bounds.
    assert len(world.other.received) <= 1
    known = await world.actor(CAROL)
    assert known is not None
    assert len(known.name) <= LARGEST
    assert len(known.fields) <= 50
    async with world.database.read() as tx:
        home = await timelines.home(tx, on.alice.id)
        for post in home:
            assert len(json.dumps([dict(each) for each in post.attachments])) <= LARGEST
            assert len(post.tags) <= 200
            assert len((await posts.recipient_ids(tx, [post.id]))[post.id]) <= 2
