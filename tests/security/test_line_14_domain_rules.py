"""Line 14, domain rules: normalised (IDN, trailing dot, port, subdomain) and applied wherever a host stands."""

from collections.abc import AsyncIterator, Sequence

import pytest
from sqlalchemy import select

from fakes.activities import create, follow_of, kept_out, note, of, post_at, rows, state
from fakes.certificates import Authority
from fakes.world import Answered, Person, World
from makers import make_post, private_keys
from privapub import clock, scope
from privapub.actors import keys
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.federation.delivery.tables import sent
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.follows import domains
from privapub.jobs.tables import job
from privapub.moderation import gate as gates
from privapub.moderation import reports
from privapub.moderation.domain_rules import Rule, spelled_domain
from privapub.moderation.gate import DomainGate, own_hosts
from privapub.outbound.answers import FetchProblem

OURS = own_hosts("https://sut.test", "sut.test")
DOCUMENT = "application/activity+json"
CAROL = "https://peer.test/u/carol"


@pytest.fixture
async def world(database: Database, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A server that asks its rules."""
    pair = private_keys()
    monkeypatch.setattr(keys, "make", lambda: pair)
    monkeypatch.setattr(gates, "LOOK_EVERY", 3600.0)  # what is changed here is heard of
    async with World(database, authority, gate=DomainGate(database, OURS)) as opened:
        yield opened


async def rule(world: World, domain: str = "peer.test", severity: str = "block", **more: bool) -> None:
    async with world.database.write() as tx:
        new = Rule(spelled_domain(domain), severity, **more)  # type: ignore[arg-type]  # each test says one there is
        await domains.keep(tx, [new], OURS, clock.now())


async def remove(world: World, domain: str = "peer.test") -> None:
    async with world.database.write() as tx:
        await domains.drop(tx, domain, clock.now())


async def why_failed(world: World) -> list[str]:
    async with world.database.read() as tx:
        found = await tx.all(select(job.c.why).where(job.c.kind == "delivery", job.c.state == "failed"))
    return [row.why for row in found]


async def read_signed(world: World, path: str, by: Person, key_id: str = "") -> Answered:
    request = HttpRequest("GET", f"https://sut.test{path}", (("Host", "sut.test"), ("Accept", DOCUMENT)), b"")
    signed = sign(request, PrivateKey.from_pem(key_id or by.key_id, by.private), "cavage", clock.now())
    return await world.get(path, dict((*request.headers, *signed)))


def path_of(uri: str) -> str:
    return uri.removeprefix("https://sut.test")


# Spellings


@pytest.mark.parametrize("domain", ["peer.test", "PEER.test.", "peer.test:8443", " Peer.Test "])
@pytest.mark.parametrize(
    "uri",
    ["https://peer.test/u/carol", "https://PEER.test/u/carol", "https://peer.test./u/carol",
     "https://peer.test:8443/u/carol", "https://a.b.peer.test/u/carol"],
)  # fmt: skip
async def test_an_actor_in_any_spelling_is_dropped_and_counted(world: World, domain: str, uri: str) -> None:
    alice = await world.persona()
    await rule(world, domain)
    assert (
        await world.post(alice.inbox, follow_of(Person(uri, "carol"), alice), by=Person(uri, "carol"))
    ).status == 202
    assert world.arrivals() == {("", "dropped", "disallowed"): 1}
    assert (world.peer.received, await rows(world)) == ([], 0)


@pytest.mark.parametrize(
    ("domain", "uri"),
    [
        ("*.peer.test", "https://a.peer.test/u/carol"),
        ("bücher.test", "https://xn--bcher-kva.test/u/carol"),
        ("xn--BCHER-kva.test", "https://bücher.test/u/carol"),
        ("\uff50\uff45\uff45\uff52\u3002test", "https://peer.test/u/carol"),
        ("203.0.113.7", "https://0xcb.0.0x7107/u/carol"),
        ("3405803783", "https://203.0.113.7:8443/u/carol"),
        ("[2001:DB8::0:1]", "https://[2001:db8:0::1]/u/carol"),
    ],
)
async def test_names_and_addresses_have_one_spelling(world: World, domain: str, uri: str) -> None:
    await rule(world, domain)
    assert await world.server.door.refuses(uri)


@pytest.mark.parametrize(
    ("domain", "uri"),
    [("*.peer.test", "https://peer.test/"), ("peer.test", "https://notpeer.test/"), ("peer.test", "https://test/"),
     ("peer.test", "https://peer.test.other.test/")],
)  # fmt: skip
async def test_who_is_not_meant_is_not_met(world: World, domain: str, uri: str) -> None:
    await rule(world, domain)
    assert not await world.server.door.refuses(uri)


# Actor, key, address


async def test_a_known_actor_is_dropped_and_heard_again_when_the_rule_is_gone(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    await rule(world)
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    assert world.arrivals() == {("", "dropped", "disallowed"): 1}
    await remove(world)
    await world.post(alice.inbox, follow_of(carol, alice), by=carol)
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_a_key_of_a_blocked_host_is_not_asked_for(world: World) -> None:
    alice, dave = await world.persona(), world.person("https://other.test/u/dave")
    await rule(world)
    said = await world.post(alice.inbox, follow_of(dave, alice), by=dave, key_id="https://peer.test/u/carol#main-key")
    assert said.status == 202
    assert world.arrivals() == {("", "dropped", "disallowed"): 1}
    assert (world.peer.received, world.other.received) == ([], [])


@pytest.mark.parametrize("known", [False, True])
async def test_whoever_is_at_home_on_a_blocked_host_is_kept_out_wherever_their_documents_are(
    world: World, known: bool
) -> None:
    alice, dave = await world.persona(), world.person("https://other.test/u/dave")
    world.serve_jrd("dave@other.test", dave.uri, subject="dave@peer.test")
    world.serve_jrd("dave@peer.test", dave.uri, at="peer.test")
    if known:
        assert (await world.learnt(dave)).host == "peer.test"
    await rule(world)
    assert (await world.post(alice.inbox, follow_of(dave, alice), by=dave)).status == 202
    assert {key[1:] for key in world.arrivals()} == {("dropped", "disallowed")}
    assert (await rows(world), world.peer.received) == (0, [])
    if known:
        # Who names the actor in place of its key is known by that.
        for key_id in (dave.key_id, dave.uri):
            assert (await read_signed(world, path_of(alice.uri), dave, key_id)).status == 404


async def test_what_came_before_the_rule_is_not_handled_after_it(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await rule(world)
    await world.drain()
    assert await kept_out(world) == ["disallowed"]
    assert await state(world, await world.actor(carol.uri), alice) is None


# Objects


async def followed(world: World, by: Actor) -> Person:
    """Dave of other.test, whom one of ours follows."""
    dave = world.person("https://other.test/u/dave")
    theirs = await world.learnt(dave)
    uri = await world.follow(by, theirs)
    await world.drain()
    said = {"type": "Follow", "id": uri, "actor": by.uri, "object": dave.uri}
    await world.post(by.inbox, of("Accept", dave, said, "https://other.test/accept/1"), by=dave)
    await world.drain()
    world.other.received.clear()
    return dave


@pytest.mark.parametrize("embedded", [False, True])
async def test_an_object_of_a_blocked_host_is_not_asked_for_nor_taken(world: World, embedded: bool) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    dave = await followed(world, alice)
    post = note(carol)
    world.serve(post["id"], post)
    await rule(world)
    what = create(carol, post) if embedded else post["id"]
    await world.post(alice.inbox, of("Announce", dave, what, "https://other.test/boost/1"), by=dave)
    await world.drain()
    assert (await kept_out(world))[-1] == "not-fetched: disallowed"
    assert (world.peer.received, await post_at(world, post["id"])) == ([], None)


async def test_a_post_that_we_have_is_not_boosted_from_elsewhere(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    dave, theirs = await followed(world, alice), await world.learnt(carol)
    async with world.database.write() as tx:
        post = await make_post(tx, theirs.id)
    await rule(world)
    await world.post(alice.inbox, of("Announce", dave, post.uri, "https://other.test/boost/1"), by=dave)
    await world.drain()
    assert (await kept_out(world))[-1] == "disallowed"


async def test_an_actor_of_a_blocked_host_is_not_given_though_it_is_known(world: World) -> None:
    carol = world.person(CAROL)
    await world.learnt(carol)
    await rule(world)
    with pytest.raises(FetchProblem) as caught, scope.trigger("inbox"):
        await fetch_actor(world.server, carol.uri)
    assert (caught.value.reason, world.peer.received) == ("disallowed", [])


# Inbox, redirect, deliveries


async def test_nothing_goes_to_an_inbox_on_a_blocked_host(world: World) -> None:
    alice = await world.persona()
    dave = world.person("https://other.test/u/dave", changes={"inbox": "https://peer.test/in"})
    theirs = await world.learnt(dave)
    await rule(world)
    await world.follow(alice, theirs)
    await world.drain()
    assert await why_failed(world) == ["disallowed"]
    assert world.peer.received == []


async def test_what_was_sent_before_is_not_followed_by_more(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    theirs = await world.learnt(carol)
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id, named=[theirs.id])
    await rule(world)
    await world.drain()
    assert await why_failed(world) == ["disallowed"]
    async with world.database.read() as tx:
        (row,) = await tx.all(select(sent.c.outcome, sent.c.why).where(sent.c.post_id == post.id))
    assert (row.outcome, row.why) == ("failed", "disallowed")
    assert world.peer.received == []


async def test_a_redirect_to_a_blocked_host_is_not_followed(world: World) -> None:
    await world.site("bad.test")
    world.serve("https://peer.test/u/x", status=302, headers={"Location": "https://other.test./u/x"})
    await rule(world, "other.test")
    with pytest.raises(FetchProblem) as caught, scope.trigger("inbox"):
        await fetch_actor(world.server, "https://peer.test/u/x")
    assert (caught.value.reason, world.other.received) == ("disallowed", [])
    assert len(world.peer.received) == 1


# Outgoing answers


@pytest.mark.parametrize("known", [False, True])
async def test_a_blocked_host_finds_nothing_here(world: World, known: bool) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    if known:
        await world.learnt(carol)
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
    paths: Sequence[str] = [
        path_of(alice.uri), f"{path_of(alice.uri)}/outbox", path_of(post.uri), path_of(post.activity_uri or ""),
        f"{path_of(post.uri)}/replies", "/.well-known/webfinger?resource=acct:alice@sut.test", "/nodeinfo/2.1",
    ]  # fmt: skip
    before = [(await read_signed(world, path, carol)).status for path in paths]
    assert before == [200] * len(paths)
    world.peer.received.clear()
    await rule(world)
    found = [await read_signed(world, path, carol) for path in paths]
    assert [each.status for each in found] == [404] * len(paths)
    assert {each.headers["cache-control"] for each in found} == {"private, no-store"}
    assert world.peer.received == []
    # Who signs nothing is not known to be of that host.
    assert [(await world.get(path, {"Accept": DOCUMENT})).status for path in paths] == [200] * len(paths)


# Reports, allowed hosts, other processes


async def test_reports_are_dropped_and_counted_where_a_rule_rejects_them(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await rule(world, severity="none", reject_reports=True)
    flag = of("Flag", carol, [alice.uri], "https://peer.test/flags/1")
    assert (await world.post("https://sut.test/inbox", flag, by=carol)).status == 202
    assert world.arrivals() == {("", "dropped", "reports-rejected"): 1}
    assert (await world.post(alice.inbox, follow_of(carol, alice), by=carol)).status == 202
    await world.drain()
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"
    async with world.database.read() as tx:
        assert await reports.newest(tx) == []


async def test_where_only_allowed_hosts_are_spoken_with_nobody_else_is(world: World) -> None:
    alice, carol, dave = await world.persona(), world.person(CAROL), world.person("https://other.test/u/dave")
    async with world.database.write() as tx:
        await domains.allow_only(tx, True, clock.now())
    await rule(world, severity="allow")
    await rule(world, "other.test", severity="limit")
    for person in (carol, dave):
        await world.post(alice.inbox, follow_of(person, alice, f"https://{person.host}/f/1"), by=person)
    assert {key: count for key, count in world.arrivals().items() if not key[0]} == {("", "dropped", "disallowed"): 1}
    await world.drain()
    assert await world.actor(dave.uri) is None
    assert await state(world, await world.actor(carol.uri), alice) == "accepted"


async def test_a_process_that_hears_of_nothing_looks_again(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Database(database_url)
    gate = DomainGate(database, OURS)
    assert await gate.refuses("peer.test") is None
    for domain, expected in (("peer.test", True), ("", False)):
        async with other.write() as tx:
            if domain:
                await domains.keep(tx, [Rule(domain, "block")], OURS, clock.now())
            else:
                await domains.drop(tx, "peer.test", clock.now())
        assert (await gate.refuses("peer.test") is not None) is not expected, "it had not been told"
        monkeypatch.setattr(gates, "LOOK_EVERY", 0.0)
        assert (await gate.refuses("peer.test") is not None) is expected
        monkeypatch.setattr(gates, "LOOK_EVERY", 3600.0)
        assert (await gate.refuses("peer.test") is not None) is expected
    await other.close()


async def test_this_server_itself_is_never_refused(world: World) -> None:
    await rule(world, "*.test")
    assert await world.server.door.gate.refuses("sut.test") is None
    assert await world.server.door.gate.refuses("peer.test") is not None
