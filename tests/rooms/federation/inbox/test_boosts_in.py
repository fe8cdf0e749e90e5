"""Somebody elsewhere boosts a post, and takes it back; a group passes on what its members did."""

import asyncio
from itertools import permutations
from typing import Any

import pytest

from fakes.activities import create, kept_out, note, of, post_at
from fakes.world import PUBLIC, Person, World
from makers import make_follow, make_post, make_remote
from privapub import clock
from privapub.actors.read import Actor
from privapub.federation.inbox.store import Accepted, store
from privapub.follows.tables import follow
from privapub.posts import boost_read
from privapub.posts.boost_read import Boost
from privapub.posts.delete import delete
from privapub.posts.read import Post

ANNOUNCE = "https://peer.test/b/1"
UNDO = "https://peer.test/undo/1"
ELSEWHERE = "https://other.test/n/1"
UPDATED = "2026-03-02T10:00:00Z"


def announce(carol: Person, what: object, uri: str = ANNOUNCE, **more: Any) -> dict[str, Any]:
    return {**of("Announce", carol, what, uri), "to": [PUBLIC], "cc": [f"{carol.uri}/followers"], **more}


async def written(world: World, by: Actor, audience: str = "public") -> Post:
    async with world.database.write() as tx:
        return await make_post(tx, by.id, audience)


async def followed(world: World, alice: Actor, carol: Person) -> None:
    """One of ours follows them."""
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, theirs.id)


def posted(world: World, uri: str = ELSEWHERE, **changes: Any) -> Person:
    """A post at other.test, by dave."""
    dave = world.person("https://other.test/u/dave")
    world.serve(uri, {"@context": "https://www.w3.org/ns/activitystreams", **note(dave, uri, **changes)})
    return dave


async def boosts(world: World, uri: str) -> list[Boost]:
    post = await post_at(world, uri)
    async with world.database.read() as tx:
        return [] if post is None else await boost_read.of_post(tx, post.id, limit=2000)


async def test_a_boost_of_a_post_of_ours_is_kept_whoever_boosts(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    for _ in range(2):
        assert (await world.post(alice.inbox, announce(carol, post.uri), by=carol)).status == 202
        await world.drain()
    (boost,) = await boosts(world, post.uri)
    assert (boost.uri, boost.audience) == (ANNOUNCE, "public")
    assert await kept_out(world) == [None]


@pytest.mark.parametrize(
    ("addressed", "audience"),
    [
        ({"to": [PUBLIC], "cc": []}, "public"),
        ({"to": "as:Public"}, "public"),
        ({"to": ["https://peer.test/u/carol/followers"], "cc": [PUBLIC]}, "unlisted"),
        ({"to": ["https://peer.test/u/carol/followers"], "cc": []}, "followers"),
        ({"to": [], "cc": []}, "followers"),
    ],
)
async def test_a_boost_is_for_whom_it_names(world: World, addressed: dict[str, Any], audience: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    sent = announce(carol, post.uri, **addressed, published="2026-03-01T10:00:00Z")
    await world.post(alice.inbox, sent, by=carol)
    await world.drain()
    (boost,) = await boosts(world, post.uri)
    assert boost.audience == audience
    assert clock.iso(boost.created_at) == "2026-03-01T10:00:00.000Z"


@pytest.mark.parametrize("embedded", [False, True])
async def test_a_post_that_is_boosted_is_asked_of_its_own_host_and_of_no_other(world: World, embedded: bool) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await followed(world, alice, carol)
    dave = posted(world, content="<p>mine</p>")
    what = note(dave, ELSEWHERE, content="<p>forged</p>") if embedded else ELSEWHERE
    await world.post(alice.inbox, announce(carol, what), by=carol)
    await world.drain()
    post = await post_at(world, ELSEWHERE)
    assert post is not None
    assert post.content == "<p>mine</p>"
    assert len(await boosts(world, ELSEWHERE)) == 1
    assert len(world.asked("/n/1", world.other)) == 1


async def test_a_boost_by_somebody_whom_nobody_here_follows_costs_no_fetch(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    posted(world)
    await world.post(alice.inbox, announce(carol, ELSEWHERE), by=carol)
    await world.drain()
    assert await kept_out(world) == ["not-for-us"]
    assert world.other.received == []
    assert await post_at(world, ELSEWHERE) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"to": ["https://other.test/u/dave/followers"]}, "not-to-be-boosted"),
        ({"to": []}, "not-to-be-boosted"),
        ({"attributedTo": "https://peer.test/u/carol"}, "NotAllowed"),
        ({"type": "Tombstone"}, "gone"),
        ({"type": "Chess"}, "wrong-type"),
        ({"name": "yes", "content": "", "inReplyTo": "https://other.test/q/1"}, "vote"),
    ],
)
async def test_what_is_not_for_everybody_or_no_post_is_kept_out(
    world: World, changes: dict[str, Any], reason: str
) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await followed(world, alice, carol)
    posted(world, **changes)
    await world.post(alice.inbox, announce(carol, ELSEWHERE), by=carol)
    await world.drain()
    assert await kept_out(world) == [reason]
    assert await post_at(world, ELSEWHERE) is None


async def test_a_post_that_its_host_does_not_have_is_kept_out(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await followed(world, alice, carol)
    await world.post(alice.inbox, announce(carol, ELSEWHERE), by=carol)
    await world.drain()
    assert await kept_out(world) == ["not-fetched: 404"]


async def test_closed_and_deleted_posts_of_ours_are_not_boosted(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, theirs.id, alice.id)
        closed = await make_post(tx, alice.id, "followers")
        direct = await make_post(tx, alice.id, "direct", named=[theirs.id])
        gone = await make_post(tx, alice.id)
        await delete(tx, gone.id, alice.id, clock.now())
    for number, post in enumerate((closed, direct, gone)):
        await world.post(alice.inbox, announce(carol, post.uri, f"{ANNOUNCE}/{number}"), by=carol)
        await world.drain()
    assert await kept_out(world) == ["not-to-be-boosted", "not-to-be-boosted", "deleted-before"]


async def test_an_announce_with_an_id_elsewhere_is_refused(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    answer = await world.post(alice.inbox, announce(carol, post.uri, "https://other.test/b/1"), by=carol)
    assert answer.status == 400


async def test_an_announce_without_an_id_is_one_boost(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    sent = announce(carol, post.uri)
    del sent["id"]
    await world.post(alice.inbox, sent, by=carol)
    await world.drain()
    assert len(await boosts(world, post.uri)) == 1
    await world.post(alice.inbox, of("Undo", carol, sent, UNDO), by=carol)
    await world.drain()
    assert await boosts(world, post.uri) == []


async def test_the_announce_of_the_own_post_for_followers_is_taken(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await followed(world, alice, carol)
    mine = note(carol, to=[f"{carol.uri}/followers"])
    for sent in (create(carol, mine), announce(carol, mine["id"], to=[f"{carol.uri}/followers"], cc=[])):
        await world.post(alice.inbox, sent, by=carol)
        await world.drain()
    (boost,) = await boosts(world, mine["id"])
    assert boost.audience == "followers"


@pytest.mark.parametrize("how", ["whole", "bare"])
async def test_an_undo_takes_a_boost_back_and_nobody_elses(world: World, how: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    mallory = world.person("https://peer.test/u/mallory")
    post = await written(world, alice)
    sent = announce(carol, post.uri)
    undone = sent if how == "whole" else ANNOUNCE
    await world.post(alice.inbox, sent, by=carol)
    await world.post(alice.inbox, of("Undo", mallory, ANNOUNCE, UNDO + "/m"), by=mallory)
    await world.drain()
    assert len(await boosts(world, post.uri)) == 1
    await world.post(alice.inbox, of("Undo", carol, undone, UNDO), by=carol)
    await world.drain()
    assert await boosts(world, post.uri) == []


async def test_an_undo_of_an_older_boost_leaves_the_newer(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    older, newer = announce(carol, post.uri), announce(carol, post.uri, ANNOUNCE + "/2")
    for sent in (older, newer, of("Undo", carol, older, UNDO)):
        await world.post(alice.inbox, sent, by=carol)
        await world.drain()
    (boost,) = await boosts(world, post.uri)
    assert boost.uri == newer["id"]


@pytest.mark.parametrize("how", ["whole", "bare"])
async def test_a_boost_and_its_undo_end_alike_in_both_orders_also_with_copies(world: World, how: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for number, order in enumerate(permutations("AU")):
        for at_once in (True, False):
            post = await written(world, alice)
            sent = announce(carol, post.uri, f"{ANNOUNCE}/{number}{at_once}")
            undo = of("Undo", carol, sent if how == "whole" else sent["id"], f"{UNDO}/{number}{at_once}")
            for which in (*order, *("A" if at_once else "")):
                await world.post(alice.inbox, {"A": sent, "U": undo}[which], by=carol)
                if not at_once:
                    await world.drain()
            await world.drain()
            assert await boosts(world, post.uri) == [], (order, at_once)


async def test_an_undo_counts_while_the_boost_still_waits_for_its_post(world: World) -> None:
    """The post's host does not answer now; by the time it does, nobody remembers the Undo."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await followed(world, alice, carol)
    posted(world)
    page = world.pages[ELSEWHERE]
    page.status = 503
    sent = announce(carol, ELSEWHERE)
    await world.post(alice.inbox, sent, by=carol)
    await world.drain()
    await world.post(alice.inbox, of("Undo", carol, sent, UNDO), by=carol)
    await world.drain()
    page.status = 200
    for _ in range(8):
        clock.advance(3600)
        await world.drain()
    assert await boosts(world, ELSEWHERE) == []
    assert await kept_out(world) == ["undone-before", "nothing-to-undo"]


async def test_a_boost_and_its_undo_that_two_workers_handle_at_once_end_alike(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    post = await written(world, alice)
    for number in range(8):
        sent = announce(carol, post.uri, f"{ANNOUNCE}/{number}")
        undo = of("Undo", carol, sent if number % 4 < 2 else sent["id"], f"{UNDO}/{number}")
        for each in (sent, undo) if number % 2 else (undo, sent):
            await world.post(alice.inbox, each, by=carol)
        await asyncio.gather(world.drain(), world.drain())
        assert await boosts(world, post.uri) == [], number


async def test_many_boosts_of_one_post_fetch_it_once(world: World) -> None:
    alice = await world.persona()
    posted(world)
    people, now = 100, clock.now()
    async with world.database.write() as tx:
        for number in range(people):
            who = await make_remote(tx, f"p{number}@peer.test")
            row = {"id": number, "follower_id": alice.id, "followed_id": who.id, "uri": "x", "state": "accepted"}
            await tx.execute(follow.insert().values(**row, created_at=now, answered_at=now))
            sent = {"type": "Announce", "id": f"{ANNOUNCE}/{number}", "actor": who.uri, "object": ELSEWHERE}
            await store(
                tx,
                Accepted(
                    owner="",
                    activity_id=sent["id"],
                    digest=str(number),
                    kind="Announce",
                    actor_id=who.id,
                    actor_uri=who.uri,
                    document={**sent, "to": PUBLIC},
                    now=now,
                ),
            )
    await world.drain()
    assert len(await boosts(world, ELSEWHERE)) == people
    assert len(world.asked("/n/1", world.other)) == 1
    assert len(world.asked("/u/dave", world.other)) == 1


# What a group passes on


def passed_on(group: Person, kind: str, what: object, number: int = 1) -> dict[str, Any]:
    inner = {"type": kind, "id": f"https://other.test/a/{kind}{number}", "actor": "https://other.test/u/dave"}
    return announce(group, {**inner, "object": what}, f"https://peer.test/b/{kind}{number}")


async def test_a_post_that_a_group_passes_on_is_asked_of_its_origin_and_is_no_boost(world: World) -> None:
    alice, group = await world.persona(), world.person("https://peer.test/c/main", changes={"type": "Group"})
    await followed(world, alice, group)
    dave = posted(world, content="<p>mine</p>")
    forged = note(dave, ELSEWHERE, content="<p>forged</p>")
    await world.post(alice.inbox, passed_on(group, "Create", forged), by=group)
    await world.drain()
    post = await post_at(world, ELSEWHERE)
    assert post is not None
    assert post.content == "<p>mine</p>"
    assert await boosts(world, ELSEWHERE) == []
    posted(world, content="<p>better</p>", updated=UPDATED)
    await world.post(alice.inbox, passed_on(group, "Update", forged), by=group)
    await world.drain()
    post = await post_at(world, ELSEWHERE)
    assert post is not None
    assert post.content == "<p>better</p>"
    await world.post(alice.inbox, passed_on(group, "Update", forged, 2), by=group)
    await world.drain()
    assert await kept_out(world) == [None, None, "not-newer"]


@pytest.mark.parametrize("answer", [410, "tombstone"])
async def test_a_delete_that_a_group_passes_on_counts_if_the_origin_says_so(world: World, answer: int | str) -> None:
    alice, group = await world.persona(), world.person("https://peer.test/c/main")
    await followed(world, alice, group)
    posted(world)
    await world.post(alice.inbox, passed_on(group, "Delete", ELSEWHERE, 0), by=group)
    await world.post(alice.inbox, passed_on(group, "Create", ELSEWHERE), by=group)
    await world.drain()
    await world.post(alice.inbox, passed_on(group, "Delete", ELSEWHERE, 1), by=group)
    await world.drain()
    assert await post_at(world, ELSEWHERE) is not None
    if isinstance(answer, int):
        world.serve(ELSEWHERE, status=answer)
    else:
        world.serve(ELSEWHERE, {"id": ELSEWHERE, "type": "Tombstone"})
    await world.post(alice.inbox, passed_on(group, "Delete", ELSEWHERE, 2), by=group)
    await world.drain()
    assert await post_at(world, ELSEWHERE) is None
    assert await kept_out(world) == ["nothing-to-delete", None, "not-deleted", None]


async def test_a_delete_that_a_group_passes_on_counts_for_nothing_where_the_origin_only_has_no_answer(
    world: World,
) -> None:
    alice, group = await world.persona(), world.person("https://peer.test/c/main")
    await followed(world, alice, group)
    posted(world)
    await world.post(alice.inbox, passed_on(group, "Create", ELSEWHERE), by=group)
    await world.drain()
    world.serve(ELSEWHERE, status=404)
    await world.post(alice.inbox, passed_on(group, "Delete", ELSEWHERE), by=group)
    await world.drain()
    assert await post_at(world, ELSEWHERE) is not None
    assert await kept_out(world) == [None, "not-fetched: 404"]


@pytest.mark.parametrize("kind", ["Update", "Delete"])
async def test_no_group_speaks_of_a_post_that_is_not_for_everyone(world: World, kind: str) -> None:
    alice, group = await world.persona(), world.person("https://peer.test/c/main")
    dave = world.person("https://other.test/u/dave")
    await followed(world, alice, group)
    await followed(world, alice, dave)
    private = note(dave, ELSEWHERE, to=[f"{dave.uri}/followers"])
    await world.post(alice.inbox, create(dave, private, "https://other.test/a/1"), by=dave)
    await world.drain()
    world.serve(ELSEWHERE, status=410)
    await world.post(alice.inbox, passed_on(group, kind, ELSEWHERE), by=group)
    await world.drain()
    assert await post_at(world, ELSEWHERE) is not None
    assert await kept_out(world) == [None, "not-for-us"]
    assert world.asked("/n/1", world.other) == []


async def test_other_things_that_a_group_passes_on_are_kept_out_by_their_kind(world: World) -> None:
    alice, group = await world.persona(), world.person("https://peer.test/c/main")
    stranger = world.person("https://peer.test/c/other")
    await followed(world, alice, group)
    dave = posted(world)
    ours = await written(world, alice)
    for number, kind in enumerate(("Like", "Dislike", "Undo")):
        await world.post(alice.inbox, passed_on(group, kind, ELSEWHERE, number), by=group)
        await world.drain()
    for who, kind, what in ((stranger, "Create", note(dave, ELSEWHERE)), (group, "Delete", ours.uri)):
        await world.post(alice.inbox, passed_on(who, kind, what, 9), by=who)
        await world.drain()
    assert await kept_out(world) == [
        "announce-of-Like",
        "announce-of-Dislike",
        "announce-of-Undo",
        "not-for-us",
        "nothing-to-delete",
    ]
    assert await post_at(world, ours.uri) is not None
    assert await post_at(world, ELSEWHERE) is None
