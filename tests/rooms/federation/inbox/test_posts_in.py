"""Posts and profiles as they come, change and go."""

import json
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from fakes.activities import create, kept_out, note, of, post_at
from fakes.world import PUBLIC, Person, World
from makers import at_home, make_post
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.federation.inbox import dispatch
from privapub.federation.inbox.arrived import Fetched
from privapub.follows import read as follows
from privapub.jobs.job import Done, Job
from privapub.posts import read as posts


async def followed(world: World) -> tuple[Actor, Person, Actor]:
    """Alice, and carol as she is and as we know her: alice follows her."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    theirs = await world.learnt(carol)
    uri = await world.follow(alice, theirs)
    await world.post(alice.inbox, of("Accept", carol, uri, "https://peer.test/acc/1"), by=carol)
    await world.drain()
    world.peer.received.clear()
    return alice, carol, theirs


async def names(world: World, uri: str) -> tuple[str, ...]:
    """Whom the post names, by handle."""
    post = await post_at(world, uri)
    assert post is not None
    async with world.database.read() as tx:
        named = (await posts.recipient_ids(tx, [post.id]))[post.id]
        return tuple(actor.handle for actor in (await actors.by_ids(tx, named)).values())


async def test_a_post_of_somebody_who_is_followed_is_cleaned_and_reaches_the_timeline(world: World) -> None:
    alice, carol, theirs = await followed(world)
    written = note(carol, content='<p>hi <script>alert(1)</script><a href="javascript:x">there</a></p>')
    assert (await world.post("https://sut.test/inbox", create(carol, written), by=carol)).status == 202
    await world.drain()
    post = await post_at(world, "https://peer.test/n/1")
    assert post is not None
    assert (post.author_id, post.audience) == (theirs.id, "public")
    assert "script" not in post.content
    async with world.database.read() as tx:
        assert [entry.id for entry in await at_home(tx, alice.id)] == [post.id]


@pytest.mark.parametrize(
    "bad",
    [
        {"tag": [{"type": "Hashtag", "name": "#x", "href": "https://peer.test/\x00"}]},
        {"tag": [{"type": "Mention", "name": "@x", "href": "https://peer.test/\x00"}]},
        {"attachment": [{"type": "Image", "id": "https://peer.test/\x00", "url": "https://peer.test/\ud800"}]},
        {"url": "https://peer.test/\ud800"},
        {"conversation": "tag:\x00", "context": "https://peer.test/c/\x00"},
        {"replies": {"type": "Collection", "id": "https://peer.test/r/\x00"}},
        {"odd": float("1e308"), "mass": [{"kg": 1e308}]},
    ],
)
async def test_a_field_that_cannot_be_kept_costs_itself_and_not_the_post(world: World, bad: dict[str, Any]) -> None:
    _alice, carol, _ = await followed(world)
    raw = json.dumps(create(carol, note(carol, **bad))).replace("1e+308", "1e999").encode()
    assert (await world.post("https://sut.test/inbox", raw, by=carol)).status == 202
    await world.drain()
    post = await post_at(world, "https://peer.test/n/1")
    assert post is not None
    assert post.content == "<p>hi</p>"
    kept = [post.url, post.conversation, post.context, post.replies, post.tags, post.attachments]
    assert "\ufffd" not in repr(kept)


async def test_the_same_post_by_shared_and_personal_inbox_is_one_post(world: World) -> None:
    alice, carol, _ = await followed(world)
    for to in ("https://sut.test/inbox", alice.inbox, alice.inbox):
        assert (await world.post(to, create(carol, note(carol)), by=carol)).status == 202
        await world.drain()
    assert world.arrivals()[("peer.test", "copy", "")] == 1
    async with world.database.read() as tx:
        assert len(await at_home(tx, alice.id)) == 1


async def test_a_post_of_a_stranger_that_concerns_nobody_is_kept_out(world: World) -> None:
    await world.persona()
    dave = world.person("https://other.test/u/dave")
    await world.post(
        "https://sut.test/inbox", create(dave, note(dave, "https://other.test/n/1"), "https://other.test/a/1"), by=dave
    )
    await world.drain()
    assert await kept_out(world) == ["not-for-us"]
    assert await post_at(world, "https://other.test/n/1") is None


@pytest.mark.parametrize("how", ["to", "cc scalar", "mention", "own inbox", "answer"])
async def test_a_post_of_a_stranger_that_concerns_one_of_ours_is_taken_in(world: World, how: str) -> None:
    alice, dave = await world.persona(), world.person("https://other.test/u/dave")
    async with world.database.write() as tx:
        ours = await make_post(tx, alice.id)
    changes: dict[str, Any] = {
        "to": {"to": [PUBLIC, alice.uri]},
        "cc scalar": {"to": "as:Public", "cc": alice.uri},
        "mention": {"tag": {"type": "Mention", "href": alice.uri, "name": "@alice@sut.test"}},
        "own inbox": {},
        "answer": {"inReplyTo": ours.uri},
    }[how]
    written = note(dave, "https://other.test/n/1", **changes)
    to = alice.inbox if how == "own inbox" else "https://sut.test/inbox"
    await world.post(to, create(dave, written, "https://other.test/a/1"), by=dave)
    await world.drain()
    post = await post_at(world, "https://other.test/n/1")
    assert post is not None
    assert post.audience == "public"


async def test_a_direct_post_is_for_those_it_names_and_not_for_the_followers_of_its_author(world: World) -> None:
    alice, carol, _ = await followed(world)
    bob = await world.persona("bob")
    elsewhere = note(carol, "https://peer.test/n/2", to=["https://other.test/u/dave"])
    await world.post("https://sut.test/inbox", create(carol, elsewhere, "https://peer.test/a/2"), by=carol)
    await world.post("https://sut.test/inbox", create(carol, note(carol, to=[bob.uri])), by=carol)
    await world.drain()
    assert sorted(str(why) for why in await kept_out(world)) == ["None", "None", "not-for-us"]
    assert await names(world, "https://peer.test/n/1") == ("bob",)
    async with world.database.read() as tx:
        assert await at_home(tx, alice.id) == []


async def test_what_names_nobody_and_comes_to_a_personal_inbox_is_for_its_owner(world: World) -> None:
    """So a circle's members get their posts: the owner of the inbox is the audience."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.persona("bob")
    await world.post(alice.inbox, create(carol, note(carol, to=[], cc=[])), by=carol)
    await world.drain()
    post = await post_at(world, "https://peer.test/n/1")
    assert post is not None
    assert post.audience == "direct"
    assert await names(world, "https://peer.test/n/1") == ("alice",)


async def test_a_create_that_only_names_its_object_has_it_fetched(world: World) -> None:
    _, carol, _ = await followed(world)
    world.serve("https://peer.test/n/1", {"@context": "https://www.w3.org/ns/activitystreams", **note(carol)})
    activity = {**create(carol, "https://peer.test/n/1"), "to": [PUBLIC]}
    await world.post("https://sut.test/inbox", activity, by=carol)
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is not None
    (asked,) = world.asked("/n/1")
    assert 'keyId="https://sut.test/actors/application#main-key"' in asked.headers["Signature"]


async def test_an_object_that_cannot_be_had_is_kept_out_and_one_whose_host_is_silent_is_asked_again(
    world: World,
) -> None:
    _, carol, _ = await followed(world)
    await world.post("https://sut.test/inbox", create(carol, "https://peer.test/n/404"), by=carol)
    await world.drain()
    assert await kept_out(world) == [None, "not-fetched: 404"]
    world.serve("https://peer.test/n/503", status=503)
    await world.post(
        "https://sut.test/inbox", create(carol, "https://peer.test/n/503", "https://peer.test/a/2"), by=carol
    )
    await world.drain()
    async with world.database.read() as tx:
        (job,) = await tx.all(text("SELECT state, why FROM job WHERE kind = 'inbox' AND finished_at IS NULL"))
    assert job.state == "waiting"
    assert job.why == "peer.test could not be asked: 503."


async def test_a_delete_that_came_first_leaves_a_tombstone_that_stays(world: World) -> None:
    _, carol, _ = await followed(world)
    gone = of("Delete", carol, {"type": "Tombstone", "id": "https://peer.test/n/1"}, "https://peer.test/d/1")
    await world.post("https://sut.test/inbox", gone, by=carol)
    await world.drain()
    await world.post("https://sut.test/inbox", create(carol, note(carol)), by=carol)
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is None
    assert await kept_out(world) == [None, None, "deleted-before"]


async def test_a_delete_takes_a_post_away_and_no_copy_brings_it_back(world: World) -> None:
    _, carol, _ = await followed(world)
    await world.post("https://sut.test/inbox", create(carol, note(carol)), by=carol)
    await world.drain()
    await world.post(
        "https://sut.test/inbox", of("Delete", carol, "https://peer.test/n/1", "https://peer.test/d/1"), by=carol
    )
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is None
    await world.post("https://sut.test/inbox", create(carol, note(carol), "https://peer.test/a/other"), by=carol)
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is None


async def test_every_update_of_one_post_has_one_id_and_each_is_taken(world: World) -> None:
    """Friendica: `<object>/Update`."""
    _, carol, _ = await followed(world)
    await world.post("https://sut.test/inbox", create(carol, note(carol)), by=carol)
    for number in (1, 2):
        edited = note(carol, content=f"<p>edit {number}</p>", updated=f"2026-03-01T12:00:0{number}Z")
        update = {**create(carol, edited, "https://peer.test/n/1/Update"), "type": "Update"}
        await world.post("https://sut.test/inbox", update, by=carol)
        await world.drain()
        post = await post_at(world, "https://peer.test/n/1")
        assert post is not None
        assert post.content == f"<p>edit {number}</p>"


async def test_an_update_of_an_unknown_post_fetches_it_as_it_is_now(world: World) -> None:
    _, carol, _ = await followed(world)
    now = note(carol, content="<p>newest</p>", updated="2026-03-01T13:00:00Z")
    world.serve("https://peer.test/n/1", {"@context": "https://www.w3.org/ns/activitystreams", **now})
    stale = note(carol, content="<p>stale</p>", updated="2026-03-01T12:00:00Z")
    await world.post("https://sut.test/inbox", {**create(carol, stale), "type": "Update"}, by=carol)
    await world.drain()
    post = await post_at(world, "https://peer.test/n/1")
    assert post is not None
    assert post.content == "<p>newest</p>"


async def test_an_update_of_an_unknown_post_that_we_may_not_fetch_is_taken_as_it_came(world: World) -> None:
    alice, carol, _ = await followed(world)
    changed = note(carol, to=[f"{carol.uri}/followers"], updated="2026-03-01T12:00:00Z")
    await world.post(alice.inbox, {**create(carol, changed), "type": "Update"}, by=carol)
    await world.drain()
    post = await post_at(world, "https://peer.test/n/1")
    assert post is not None
    assert post.audience == "followers"


async def test_an_update_of_a_profile_is_learnt_and_an_older_one_is_not(world: World) -> None:
    _, carol, _ = await followed(world)
    for number, (name, hour) in enumerate((("New", "13"), ("Old", "12"))):
        document = {**carol.document(), "name": name, "updated": f"2026-03-01T{hour}:00:00Z"}
        await world.post(
            "https://sut.test/inbox", of("Update", carol, document, f"https://peer.test/up/{number}"), by=carol
        )
        await world.drain()
    known = await world.actor(carol.uri)
    assert known is not None
    assert known.name == "New"


async def test_a_delete_of_an_actor_marks_it_gone_and_ends_its_follows(world: World) -> None:
    alice, carol, _ = await followed(world)
    gone = of("Delete", carol, carol.uri, f"{carol.uri}#delete")
    assert (await world.post("https://sut.test/inbox", gone, by=carol)).status == 202
    await world.drain()
    known = await world.actor(carol.uri)
    assert known is not None
    assert known.is_gone
    async with world.database.read() as tx:
        assert await follows.between(tx, alice.id, known.id) is None
    # What it still sends is dropped, counted, and no reason for its host to try again.
    assert (await world.post("https://sut.test/inbox", create(carol, note(carol)), by=carol)).status == 202
    assert world.arrivals()[("peer.test", "dropped", "gone-actor")] == 1


async def test_what_is_not_handled_is_kept_out_with_a_reason_and_is_no_error(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    for number, kind in enumerate(("Dislike", "View", "Strange")):
        sent = of(kind, carol, f"https://peer.test/x/{number}", f"https://peer.test/k/{number}")
        assert (await world.post(alice.inbox, sent, by=carol)).status == 202
    strange = create(carol, {"type": "Chess", "id": "https://peer.test/c/1", "attributedTo": carol.uri})
    await world.post(alice.inbox, strange, by=carol)
    await world.drain()
    assert await kept_out(world) == ["kind-Dislike", "kind-View", "kind-other", "wrong-type"]


@pytest.mark.parametrize(
    ("kind", "what", "whole"),
    [
        ("Create", {"type": "Note", "id": "https://peer.test/n/1"}, True),
        ("Create", "https://peer.test/n/1", False),
        ("Update", {"type": "Note", "id": "https://peer.test/n/1"}, False),
        ("Announce", "https://peer.test/n/1", False),
        ("Like", "https://peer.test/n/1", True),
        ("Arrive", "https://peer.test/n/1", True),
    ],
)
async def test_nothing_is_looked_for_of_what_is_whole(world: World, kind: str, what: Any, *, whole: bool) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.post("https://sut.test/inbox", of(kind, carol, what, "https://peer.test/a/1"), by=carol)
    async with world.database.write() as tx:
        (args,) = [msgspec.json.decode(row.args) for row in await tx.raw("SELECT args FROM job WHERE kind = 'inbox'")]
        assert args["whole"] == whole
        await tx.raw("DELETE FROM incoming")
    # Whoever looked would find the row gone.
    job = Job(1, "inbox", "inbox", args, 1, "", "", 0.0, 0.0, 0.0)
    assert await dispatch.fetch(world.server, job) == (Fetched() if whole else Done())
