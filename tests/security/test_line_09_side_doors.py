"""Line 9, side doors: one decision who may see a post, and what is missing looks like what is forbidden, at every door.

Elsewhere: that every way out asks it, `rules/test_ways_out.py`; the decision, `properties/test_audience.py` and
`test_audience_in_worlds.py`; how long either takes, `rooms/web/test_pages.py`; what is counted and logged,
`test_line_09_counts.py`; caches, `rooms/federation/served/test_served.py` and `test_threads_out.py`.
"""

from typing import Any

import pytest

from fakes.activities import create, follow_of, note, of
from fakes.world import PUBLIC, Answered, Person, World
from makers import make_post
from privapub import clock
from privapub.actors.read import Actor
from privapub.errors import InvalidInput
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.follows import blocking
from privapub.identifiers import token
from privapub.posts import delete, pin
from privapub.posts.read import DIRECT, FOLLOWERS, Post

HERE = "https://sut.test"
DOCUMENT, PAGE = "application/activity+json", "text/html"
DOORS = (
    "",
    "/replies",
    "/replies?page=true",
    "/context",
    "/context?page=true",
    "/likes",
    "/shares",
    "/shares?page=true",
)
SECRET = "what-nobody-else-may-read"


async def read(world: World, path: str, *, accept: str = DOCUMENT, by: Person | None = None) -> Answered:
    headers = (("Host", "sut.test"), ("Accept", accept))
    if by is not None:
        request = HttpRequest("GET", f"{HERE}{path}", headers)
        headers += sign(request, PrivateKey.from_pem(by.key_id, by.private), "cavage", clock.now())
    return await world.get(path, dict(headers))


def looks(answered: Answered) -> tuple[int, str, dict[str, str]]:
    """All that an answer tells, but the time."""
    return answered.status, answered.body, {k: v for k, v in answered.headers.items() if k != "date"}


def path_of(uri: str) -> str:
    return uri.removeprefix(HERE)


async def hidden(world: World, alice: Actor) -> dict[str, Post]:
    """Posts of alice's that mallory may not see, each for another reason."""
    dave = await world.learnt(world.person("https://other.test/u/dave"))
    async with world.database.write() as tx:
        named = {FOLLOWERS: [], DIRECT: [dave.id]}
        found = {kind: await make_post(tx, alice.id, kind, SECRET, people) for kind, people in named.items()}
        gone = await make_post(tx, alice.id, FOLLOWERS, SECRET)
        await delete.delete(tx, gone.id, alice.id, clock.now())
    await world.drain()
    return {**found, "deleted": gone}


@pytest.mark.parametrize("accept", [DOCUMENT, PAGE])
async def test_what_is_forbidden_looks_like_what_is_missing(world: World, accept: str) -> None:
    alice = await world.persona()
    mallory = world.person("https://peer.test/u/mallory")
    posts = await hidden(world, alice)
    for by in (None, mallory):
        for door in DOORS:
            nothing = looks(await read(world, f"/posts/{token()}{door}", accept=accept, by=by))
            assert nothing[0] == 404
            assert nothing[2]["cache-control"] == "private, no-store"
            for why, post in posts.items():
                found = await read(world, path_of(post.uri) + door, accept=accept, by=by)
                assert looks(found) == nothing, (why, door)
                assert SECRET not in found.body
    for post in posts.values():
        missing = looks(await read(world, f"/activities/{token()}"))
        assert looks(await read(world, path_of(post.activity_uri or "/activities/none"))) == missing


async def test_whom_the_persona_blocks_finds_nothing_that_others_find(world: World) -> None:
    alice, mallory = await world.persona(), world.person("https://peer.test/u/mallory")
    theirs = await world.learnt(mallory)
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
        await blocking.block(tx, alice.id, theirs.id, f"{HERE}/activities/b", clock.now())
    await world.drain()
    missing = looks(await read(world, f"/posts/{token()}", by=mallory))
    for door in DOORS:
        assert (await read(world, path_of(post.uri) + door)).status == 200
        assert looks(await read(world, path_of(post.uri) + door, by=mallory)) == missing


async def test_nothing_that_anybody_may_read_tells_of_it(world: World) -> None:
    """Pages, tags (OpenGraph), outbox, what is featured, counts and nodeinfo: the same before and after."""
    alice = await world.persona()
    carol = world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    async with world.database.write() as tx:
        shown = await make_post(tx, alice.id, text="hello #garden")
    await world.drain()
    of_alice = ("", "/outbox", "/outbox?page=true", "/followers", "/following", "/featured", "/featured-tags")
    wellknown = ("/nodeinfo/2.1", "/.well-known/webfinger?resource=acct:alice@sut.test")
    documents = [path_of(alice.uri) + door for door in of_alice] + [path_of(shown.uri) + door for door in DOORS]
    pages = ("/", "/@alice", "/tags/garden", path_of(shown.uri))
    doors = [(path, DOCUMENT) for path in (*documents, *wellknown)] + [(path, PAGE) for path in pages]

    async def all_doors() -> dict[tuple[str, str], Any]:
        return {door: looks(await read(world, door[0], accept=door[1])) for door in doors}

    before = await all_doors()
    assert {found[0] for found in before.values()} == {200}
    her = await world.actor(carol.uri)
    assert her is not None
    async with world.database.write() as tx:
        for audience in (FOLLOWERS, DIRECT):
            post = await make_post(tx, alice.id, audience, f"{SECRET} #garden", named=[her.id])
            with pytest.raises(InvalidInput):
                await pin.pin(tx, post.id, alice.id, clock.now())
    answer = note(carol, "https://peer.test/n/2", to=[alice.uri], inReplyTo=shown.uri, content=f"<p>{SECRET}</p>")
    await world.post(alice.inbox, create(carol, answer, "https://peer.test/a/2"), by=carol)
    boost = of("Announce", carol, shown.uri, "https://peer.test/b/1") | {"to": [f"{carol.uri}/followers"]}
    await world.post(alice.inbox, boost, by=carol)
    await world.drain()
    after = await all_doors()
    changed = {door for door in doors if after[door] != before[door]}
    # A boost is counted, whoever it is for: who boosted is not told.
    assert {path for path, _ in changed} <= {f"{path_of(shown.uri)}/shares", path_of(shown.uri)}
    assert [door for door in doors if SECRET in after[door][1] or "peer.test" in after[door][1]] == []


async def test_nobody_gets_by_asking_to_follow(world: World) -> None:
    """CVE-2025-30741: a follow that waits, was refused or is somebody else's opens nothing."""
    alice = await world.persona(locked=True)
    carol = world.person("https://peer.test/u/carol")
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id, FOLLOWERS, SECRET)
    await world.drain()
    assert SECRET not in str(world.sent())
    assert (await read(world, path_of(post.uri), by=carol)).status == 404
    # Nor by an Accept that was never ours to give.
    accept = {
        "type": "Accept",
        "id": "https://peer.test/x",
        "actor": carol.uri,
        "object": "https://peer.test/follow/77",
    }
    await world.post(alice.inbox, accept, by=carol)
    await world.drain()
    assert (await read(world, path_of(post.uri), by=carol)).status == 404


async def test_answers_to_what_is_hidden_are_told_alike(world: World) -> None:
    """What a stranger sends about a post is answered in the same way whether there is one or not."""
    alice, mallory = await world.persona(), world.person("https://peer.test/u/mallory")
    await world.learnt(mallory)
    posts = {**await hidden(world, alice), "none": None}
    told = {}
    for why, post in posts.items():
        uri = f"{HERE}/posts/{token()}" if post is None else post.uri
        world.peer.received.clear()
        sent = [
            of("Like", mallory, uri, f"https://peer.test/{why}/like"),
            of("EmojiReact", mallory, uri, f"https://peer.test/{why}/react") | {"content": "🎉"},
            of("Announce", mallory, uri, f"https://peer.test/{why}/boost") | {"to": [PUBLIC]},
            of("QuoteRequest", mallory, uri, f"https://peer.test/{why}/q")
            | {"instrument": f"https://peer.test/{why}/n"},
            of("Flag", mallory, [uri], f"https://peer.test/{why}/flag"),
        ]
        answers = [looks(await world.post(alice.inbox, activity, by=mallory)) for activity in sent]
        await world.drain()
        told[why] = (answers, world.sent())
    assert {repr(answer) for answer in told.values()} == {repr(told["none"])}
    assert told["none"][1] == []
