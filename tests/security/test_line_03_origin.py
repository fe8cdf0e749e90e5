"""Line 3, origin: nothing is believed but from the host that it belongs to, and our own ids from nobody outside.

Elsewhere: what answers has its own id or is asked again, and redirects (CVE-2024-23832, CVE-2024-52591),
`rooms/federation/fetching/test_document.py`; webfinger both ways, `rooms/federation/fetching/test_webfinger.py`; keys
that lie about their owner, `rooms/federation/test_asker.py`; stamps, `rooms/federation/inbox/test_quotes_in.py`.
"""

import json
from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, follow_of, kept_out, note, of, post_at, rows, state
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import make_post
from privapub import scope
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.actors.tables import actor
from privapub.composing.learn import seen_post
from privapub.errors import NotAllowed, PrivaPubError
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.webfinger import resolve
from privapub.outbound.answers import FetchProblem
from privapub.posts import read as posts
from privapub.posts.tables import post

CAROL, DAVE, EVE = "https://peer.test/u/carol", "https://other.test/u/dave", "https://other.test/u/eve"
FORGED = "<p>forged</p>"
ACTIVITY = "application/activity+json"


async def people(world: World) -> set[str]:
    """The uris of the actors of others that are known."""
    async with world.database.read() as tx:
        return {row.uri for row in await tx.all(select(actor.c.uri).where(~actor.c.local))}


async def forged(world: World) -> list[str]:
    """The uris of posts that say what was forged."""
    async with world.database.read() as tx:
        return [row.uri for row in await tx.all(select(post.c.uri).where(post.c.content.contains("forged")))]


async def followed(world: World, by: Actor, who: Person) -> None:
    """One of ours follows them, so that what they send is of interest."""
    uri = await world.follow(by, await world.learnt(who))
    await world.drain()
    said = {"type": "Follow", "id": uri, "actor": by.uri, "object": who.uri}
    accepted = of("Accept", who, said, f"https://{who.host}/accept/{who.handle}")
    assert (await world.post(by.inbox, accepted, by=who)).status == 202
    await world.drain()
    world.peer.received.clear()
    world.other.received.clear()


# CVE-2024-23832: a document of one host that says to be somebody of another


async def test_a_document_is_nobodys_of_another_host(world: World) -> None:
    alice, carol, eve = await world.persona(), world.person(CAROL), Person(EVE, "eve")
    world.serve(EVE, {**eve.document(), "id": CAROL, "inbox": f"{EVE}/inbox"})
    with scope.trigger("inbox"):
        found = await fetch_actor(world.server, EVE)
    assert (found.uri, found.inbox) == (CAROL, f"{CAROL}/inbox"), "what carol's own host says"
    world.serve(CAROL, status=404)
    with scope.trigger("inbox"), pytest.raises(FetchProblem):
        await fetch_actor(world.server, EVE, fresh=True)
    # Signed with a key that eve's document calls carol's.
    for key_id in (f"{EVE}#main-key", EVE):
        said = await world.post(alice.inbox, follow_of(carol, alice), by=eve, key_id=key_id)
        assert said.status == 401
    assert await state(world, await world.actor(CAROL), alice) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"publicKey": {"id": f"{CAROL}#main-key", "owner": EVE, "publicKeyPem": "{pem}"}},
        {"publicKey": {"id": f"{CAROL}#main-key", "owner": CAROL, "publicKeyPem": "{pem}"}},
        {"publicKey": {"id": f"{EVE}#main-key", "owner": CAROL, "publicKeyPem": "{pem}"}},
    ],
)
async def test_a_key_is_of_its_actors_host_and_says_so(world: World, changes: dict[str, Any]) -> None:
    alice = await world.persona()
    carol, eve = world.person(CAROL), Person(EVE, "eve")
    document = json.loads(json.dumps({**eve.document(), **changes}).replace("{pem}", eve.pem.replace("\n", "\\n")))
    world.serve(EVE, document)
    await world.learnt(carol)
    for key_id in (f"{CAROL}#main-key", f"{EVE}#main-key", EVE):
        assert (await world.post(alice.inbox, follow_of(carol, alice), by=eve, key_id=key_id)).status == 401
    await world.drain()
    assert await state(world, await world.actor(CAROL), alice) is None
    async with world.database.read() as tx:
        known = await actors.by_key(tx, f"{CAROL}#main-key")
    assert known is not None
    assert known[0].uri == CAROL
    assert known[1].public.strip() == carol.pem.strip()


# id, actor, attributedTo, object: one host


# What is changed of a post that eve wrote, and of the activity in which she sends it.
IN_ANOTHERS_NAME: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"id": "https://peer.test/n/1"}, {}),
    ({"attributedTo": CAROL}, {}),
    ({"attributedTo": [CAROL, EVE]}, {}),
    ({"attributedTo": [EVE, {"type": "Person", "id": CAROL}]}, {}),
    ({"attributedTo": {"type": "Person", "id": CAROL}}, {}),
    ({"attributedTo": None, "actor": CAROL}, {}),
    ({"as:attributedTo": CAROL, "attributedTo": None}, {}),
    ({"id": "https://peer.test/n/1", "attributedTo": CAROL}, {}),
    ({}, {"id": "https://peer.test/a/1"}),
    ({}, {"actor": CAROL}),
    ({}, {"actor": [CAROL, EVE]}),
    ({}, {"actor": {"id": CAROL, "url": EVE}}),
    ({"id": "https://sut.test/posts/x"}, {}),
    ({"id": "https://SUT.test./posts/x"}, {}),
    ({"id": "http://sut.test:443/posts/x"}, {}),
    ({"attributedTo": "{alice}"}, {}),
    ({}, {"actor": "{alice}"}),
]


@pytest.mark.parametrize("kind", ["Create", "Update"])
async def test_nothing_is_taken_in_anothers_name(world: World, kind: str) -> None:
    alice, eve = await world.persona(), world.person(EVE)
    world.person(CAROL)
    await followed(world, alice, eve)
    for number, (object_changes, activity_changes) in enumerate(IN_ANOTHERS_NAME):
        uri, before = f"https://other.test/n/{number}", await rows(world)
        written = note(eve, uri, content=FORGED, to=[PUBLIC, alice.uri], **object_changes)
        activity = {**create(eve, written, f"{uri}/told"), "type": kind, **activity_changes}
        body = json.loads(json.dumps(activity).replace("{alice}", alice.uri))
        status = (await world.post(alice.inbox, body, by=eve)).status
        await world.drain()
        assert await forged(world) == [], body
        if status == 202:  # it is hers to say, and what it says is not hers
            assert (await kept_out(world))[-1] in {"not-theirs", "no-author", "not-fetched: bad-redirect"}, body
        else:
            assert (status, await rows(world)) in {(400, before), (401, before)}, body


async def test_the_wording_of_that_test_would_be_taken_if_it_were_true(world: World) -> None:
    alice, eve = await world.persona(), world.person(EVE)
    await followed(world, alice, eve)
    written = note(eve, "https://other.test/n/1", content=FORGED, to=[PUBLIC, alice.uri])
    assert (await world.post(alice.inbox, create(eve, written, "https://other.test/a/1"), by=eve)).status == 202
    await world.drain()
    assert await forged(world) == ["https://other.test/n/1"]


# What is only named is asked of its own host


async def test_what_is_embedded_of_another_host_is_asked_there(world: World) -> None:
    alice, carol, eve = await world.persona(), world.person(CAROL), world.person(EVE)
    await followed(world, alice, eve)
    false = note(carol, content=FORGED)
    await world.post(alice.inbox, of("Announce", eve, false, "https://other.test/boost/1"), by=eve)
    await world.drain()
    assert await post_at(world, "https://peer.test/n/1") is None
    world.serve("https://peer.test/n/1", {"@context": CONTEXT, **note(carol, content="<p>true</p>")})
    world.server.door.forget("peer.test")
    await world.post(alice.inbox, of("Announce", eve, false, "https://other.test/boost/2"), by=eve)
    await world.drain()
    found = await post_at(world, "https://peer.test/n/1")
    assert found is not None
    assert found.content == "<p>true</p>"
    assert await forged(world) == []


@pytest.mark.parametrize("by_redirect", [False, True])
async def test_a_post_that_another_host_answers_is_none(world: World, by_redirect: bool) -> None:
    """CVE-2024-52591, CVE-2025-25306: what its own host leads to, and what names an id of another host."""
    alice, eve = await world.persona(), world.person(EVE)
    world.person(CAROL)
    await followed(world, alice, eve)
    false = {"@context": CONTEXT, **note(Person(CAROL, "carol"), "https://peer.test/n/1", content=FORGED)}
    world.serve("https://other.test/n/1", false)
    if by_redirect:
        world.serve("https://peer.test/n/1", status=302, headers={"Location": "https://other.test/n/1"})
    for number, what in enumerate(("https://other.test/n/1", "https://peer.test/n/1")):
        boost = of("Announce", eve, what, f"https://other.test/boost/{number}")
        assert (await world.post(alice.inbox, boost, by=eve)).status == 202
        with pytest.raises(PrivaPubError):
            await seen_post(world.server, alice.id, what)
    await world.drain()
    assert await forged(world) == []


async def test_an_author_of_another_host_is_none(world: World) -> None:
    alice, eve = await world.persona(), world.person(EVE)
    carol = world.person(CAROL)
    world.serve("https://other.test/n/1", {"@context": CONTEXT, **note(carol, "https://other.test/n/1")})
    with pytest.raises(NotAllowed):
        await seen_post(world.server, alice.id, "https://other.test/n/1")
    del eve
    assert await post_at(world, "https://other.test/n/1") is None


async def test_a_page_that_is_claimed_by_another_host_leads_to_nobody(world: World) -> None:
    """CVE-2025-25306: a `url` is where something may be read, and does not say what it is."""
    alice = await world.persona()
    page = f"https://sut.test/@{alice.handle}"
    await world.learnt(world.person(EVE, changes={"url": page}))
    eve = await world.actor(EVE)
    assert eve is not None
    async with world.database.write() as tx:
        await make_post(tx, eve.id)
        await tx.execute(post.update().values(url="https://peer.test/@carol/1"))
    for address in (page, "https://peer.test/@carol/1"):
        async with world.database.read() as tx:
            post_there, actor_there = await posts.by_page(tx, address), await actors.by_page(tx, address)
        assert post_there is None
        assert actor_there is None or actor_there.uri == alice.uri


# Our own ids


@pytest.mark.parametrize(
    "ours",
    [
        "{alice}", "{post}", "http://sut.test/posts/x", "https://SUT.test:443/posts/x", "https://\u017fut.test/posts/x",
        "https://\uff53ut.test/posts/x", "https://sut\u3002test/posts/x",
    ],
)  # fmt: skip
async def test_no_redirect_makes_us_ask_ourselves(world: World, ours: str) -> None:
    alice, eve = await world.persona(), world.person(EVE)
    await followed(world, alice, eve)
    here = await world.site("sut.test")
    async with world.database.write() as tx:
        mine = await make_post(tx, alice.id)
    target = ours.format(alice=alice.uri, post=mine.uri)
    world.serve("https://other.test/n/1", status=302, headers={"Location": target})
    boost = of("Announce", eve, "https://other.test/n/1", "https://other.test/boost/1")
    assert (await world.post(alice.inbox, boost, by=eve)).status == 202
    await world.drain()
    with scope.trigger("inbox"), pytest.raises(FetchProblem):
        await fetch_actor(world.server, "https://other.test/n/1")
    assert here.received == []


async def test_nobody_learns_us_from_outside(world: World) -> None:
    alice, eve = await world.persona(), world.person(EVE)
    ours = {**Person(alice.uri, "alice").document(), "name": "forged", "inbox": f"{EVE}/inbox"}
    world.serve(EVE, ours)
    with scope.trigger("inbox"), pytest.raises(FetchProblem):
        await fetch_actor(world.server, EVE)
    world.serve_person(eve)
    update = of("Update", eve, ours, "https://other.test/a/1")
    assert (await world.post(alice.inbox, update, by=eve)).status == 400
    now = await world.actor(alice.uri)
    assert now is not None
    assert (now.name, now.inbox, now.local) == (alice.name, alice.inbox, True)


# Webfinger agrees both ways


@pytest.mark.parametrize("subject", ["alice@sut.test", "carol@peer.test"])
async def test_nobody_takes_the_address_of_another(world: World, subject: str) -> None:
    await world.persona()
    world.person(CAROL)
    handle = subject.partition("@")[0]
    eve = Person(EVE, handle, changes={"webfinger": subject})
    world.serve_person(eve)
    world.serve_jrd(f"{handle}@other.test", EVE, subject=subject)
    here = await world.site("sut.test")
    learnt = await world.learnt(eve)
    assert (learnt.uri, learnt.host) == (EVE, "other.test")
    with scope.trigger("inbox"):
        for address in (f"{handle}@other.test", subject):
            try:
                found = await resolve(world.server, address)
            except PrivaPubError:
                continue
            assert found.uri != EVE or address.endswith("@other.test"), address
    assert here.received == []
