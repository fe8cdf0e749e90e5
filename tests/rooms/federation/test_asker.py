"""Who signed a request: keys from the database, fetched, changed, lied about, and not to be had."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from sqlalchemy import delete, select, update
from starlette.requests import Request

from fakes import keys
from fakes.activities import follow_of, of
from fakes.vouched import proven, proving
from fakes.world import Page, Person, World, rsa
from privapub import clock, scope
from privapub.actors import read
from privapub.actors.read import Actor
from privapub.actors.tables import actor as actor_table
from privapub.actors.tables import actor_key
from privapub.errors import NotFound, PrivaPubError
from privapub.federation import asker
from privapub.federation.asker import COOL_DOWN, READER_KEPT, Refused, Undecided
from privapub.federation.documents.problems import BadDocument
from privapub.federation.fetching.key import NO_NUMBER, fetch_key
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.federation.signatures.signed_inside import signed_inside
from privapub.limits import visit as visits
from privapub.limits.limits import KEYS_AT_ONCE_FOR_ONE, Caller, Turn
from privapub.limits.visit import Visit
from privapub.outbound.answers import FetchProblem
from privapub.server import Server

KEY = "/u/carol"
KEYS = "https://peer.test/keys"


async def sent(world: World, alice: Actor, carol: Person, number: int = 0, **how: str) -> int:
    """The status of a signed Follow, each with an id of its own."""
    activity = follow_of(carol, alice, f"https://peer.test/follow/{number}")
    return (await world.post(alice.inbox, activity, by=carol, **how)).status  # type: ignore[arg-type]  # see World.post


def key_document(key_id: str, owner: str, name: str) -> dict[str, object]:
    return {"id": key_id, "owner": owner, "publicKeyPem": keys.public_pem(rsa(name))}


async def test_a_key_is_fetched_once_and_then_known(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert [await sent(world, alice, carol, n) for n in range(3)] == [202, 202, 202]
    assert len(world.asked(KEY)) == 1


async def test_many_requests_at_once_fetch_a_key_once(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    statuses = await asyncio.gather(*(sent(world, alice, carol, n) for n in range(8)))
    assert set(statuses) == {202}
    assert len(world.asked(KEY)) == 1


async def test_the_fetch_of_a_key_is_recorded_as_one_for_verification(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await sent(world, alice, carol)
    rows = list(world.server.fetches._rows)
    assert {(row["purpose"], row["trigger"]) for row in rows} == {("key", "verify"), ("webfinger", "verify")}


async def test_the_fetch_of_a_readers_key_is_only_counted(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    request = HttpRequest("GET", "https://sut.test/posts/nothing", (("Host", "sut.test"),))
    signed = sign(request, PrivateKey.from_pem(carol.key_id, carol.private), "cavage", clock.now())
    url = f"http://127.0.0.1:{world.port}/posts/nothing"
    async with aiohttp.ClientSession() as reader:
        headers = [("Accept", "application/activity+json"), *request.headers, *signed]
        async with reader.get(url, headers=headers) as answer:
            assert answer.status == 404
    assert len(world.asked(KEY)) == 1
    assert list(world.server.fetches._rows) == []
    assert sum(world.server.fetches._readers.values()) == 1
    assert await world.actor(carol.uri) is None


async def opinion_of(
    world: World, by: Person, trigger: str, key_name: str = "", scheme: Scheme = "cavage"
) -> asker.Opinion:
    """What is thought of a request that one of theirs signed with this key."""
    unsigned = HttpRequest("GET", "https://sut.test/posts/nothing", (("Host", "sut.test"),))
    key = PrivateKey.from_pem(by.key_id, rsa(key_name) if key_name else by.private)
    request = replace(unsigned, headers=(*unsigned.headers, *sign(unsigned, key, scheme, clock.now())))
    with scope.trigger(trigger):
        return await asker.who_signed(world.server, request, clock.now())


async def test_a_reader_is_known_for_a_while_and_written_down_only_when_it_speaks(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    for _ in range(3):
        read = await opinion_of(world, carol, scope.READER)
        assert isinstance(read, asker.Signed)
        assert (read.actor.id, read.actor.uri) == (NO_NUMBER, carol.uri)
    assert len(world.asked(KEY)) == 1
    assert await world.actor(carol.uri) is None
    spoken = await opinion_of(world, carol, scope.VERIFY)
    assert isinstance(spoken, asker.Signed)
    assert (await world.actor(carol.uri)) == spoken.actor
    assert len(world.asked(KEY)) == 2
    again = await opinion_of(world, carol, scope.READER)
    assert isinstance(again, asker.Signed)
    assert again.actor == spoken.actor


async def test_many_readers_at_once_with_one_key_fetch_it_once(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    opinions = await asyncio.gather(*(opinion_of(world, carol, scope.READER) for _ in range(4)))
    assert all(isinstance(opinion, asker.Signed) for opinion in opinions)
    assert len(world.asked(KEY)) == 1


@pytest.mark.hangs_after(30)
async def test_a_key_that_is_slow_to_come_keeps_nobody_waiting_who_has_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://other.test/u/dave")
    asked, answered = asyncio.Event(), asyncio.Event()

    async def fetch(server: Server, key_id: str, **how: bool) -> tuple[Actor, PublicKey]:
        if key_id == dave.key_id:
            asked.set()
            await answered.wait()
        return await fetch_key(server, key_id, **how)

    monkeypatch.setattr(asker, "fetch_key", fetch)
    async with asyncio.TaskGroup() as group:
        slow = group.create_task(opinion_of(world, dave, scope.VERIFY))
        await asked.wait()
        assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Signed)
        answered.set()
    assert isinstance(slow.result(), asker.Signed)


async def test_a_cause_that_may_ask_no_more_says_nothing_of_a_key(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    with scope.cause("ask_origin", "ask_origin") as budget:
        budget.objects = 0
        assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Undecided)
    assert world.asked(KEY) == []
    with scope.cause("ask_origin", "ask_origin"):
        assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Signed)


async def test_a_forged_reader_is_refused_whatever_is_known(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    assert isinstance(await opinion_of(world, carol, scope.READER, "another"), asker.Refused)
    assert isinstance(await opinion_of(world, carol, scope.READER), asker.Signed)
    assert isinstance(await opinion_of(world, carol, scope.READER, "another"), asker.Refused)
    assert len(world.asked(KEY)) == 1


async def test_a_new_key_is_not_written_down_by_reading(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    before = await world.learnt(carol)
    world.serve_person(replace(carol, key_name="new"))
    read = await opinion_of(world, carol, scope.READER, "new")
    assert isinstance(read, asker.Signed)
    assert read.actor == before == await world.actor(carol.uri)
    assert isinstance(await opinion_of(world, carol, scope.READER), asker.Signed)  # the old one is held still


async def test_a_neighbours_claim_to_a_key_shuts_nobody_out(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    claimed = {
        "id": carol.key_id,
        "owner": "https://peer.test/u/mallory",
        "publicKeyPem": keys.public_pem(rsa("mallory")),
    }
    own = {**claimed, "id": "https://peer.test/u/mallory#main-key"}
    mallory = world.person("https://peer.test/u/mallory", key_name="mallory", changes={"publicKey": [own, claimed]})
    assert await sent(world, alice, mallory) == 202
    assert [await sent(world, alice, carol, n) for n in range(1, 4)] == [202, 202, 202]
    assert await sent(world, alice, carol, 5, key_name="mallory") == 401
    async with world.database.read() as tx:
        assert await tx.scalar(select(actor_key.c.actor_id).where(actor_key.c.id == carol.key_id)) == (
            await tx.scalar(select(actor_table.c.id).where(actor_table.c.uri == carol.uri))
        )


async def test_a_changed_key_is_fetched_once_and_the_old_one_counts_no_more(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    carol.key_name = "K2"
    world.serve_person(carol)
    assert await sent(world, alice, carol, 1) == 202
    assert len(world.asked(KEY)) == 1
    assert {await sent(world, alice, carol, 2, key_name="random") for _ in range(10)} == {401}
    assert len(world.asked(KEY)) == 1
    clock.advance(3600)
    assert await sent(world, alice, carol, 3, key_name="https://peer.test/u/carol") == 401
    assert len(world.asked(KEY)) == 2
    assert await sent(world, alice, carol, 4) == 202


async def test_a_key_that_cannot_be_had_is_asked_for_once_in_five_minutes(world: World) -> None:
    alice, nobody = await world.persona(), Person("https://peer.test/u/unreachable", "unreachable")
    assert {await sent(world, alice, nobody, n) for n in range(10)} == {401}
    assert len(world.asked("/u/unreachable")) == 1
    world.serve("https://peer.test/u/down", status=500)
    down = Person("https://peer.test/u/down", "down")
    assert {await sent(world, alice, down, n) for n in range(10)} == {503}
    assert len(world.asked("/u/down")) == 1


async def test_a_refetch_whose_document_is_not_believed_keeps_the_known_key(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    world.serve("https://peer.test/u/carol", {**carol.document(), "id": "https://peer.test/u/other"})
    assert await sent(world, alice, carol, 1, key_name="random") == 401
    assert await sent(world, alice, carol, 2) == 202


async def test_a_gone_actors_key_still_tells_who_signed(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    world.serve("https://peer.test/u/carol", status=410)
    assert await sent(world, alice, carol) == 202
    assert world.peer.received == []


@pytest.fixture
async def gts(world: World) -> Person:
    """Somebody whose key has a document of its own (GoToSocial)."""
    somebody = world.person("https://peer.test/u/gts", fragment="/main-key")
    world.serve(somebody.key_id, key_document(somebody.key_id, somebody.uri, somebody.uri))
    return somebody


async def test_a_key_with_a_document_of_its_own_is_taken_and_then_known(world: World, gts: Person) -> None:
    alice = await world.persona()
    assert await sent(world, alice, gts, 1) == 202
    asked = len(world.peer.received)
    assert await sent(world, alice, gts, 2) == 202
    assert len(world.peer.received) == asked


async def test_a_key_whose_id_is_the_actors_own_is_the_actors_first(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    assert await sent(world, alice, carol, 1, key_id=carol.uri) == 202
    assert await sent(world, alice, carol, 2, key_id=carol.uri) == 202
    assert len(world.asked(KEY)) == 1


async def test_the_second_key_of_a_list_is_taken(world: World) -> None:
    alice, multi = await world.persona(), world.person("https://peer.test/u/multi")
    multi.changes = {
        "publicKey": [
            {"id": f"{multi.uri}#k{n}", "owner": multi.uri, "publicKeyPem": keys.public_pem(rsa(f"k{n}"))}
            for n in (1, 2)
        ]
    }
    world.serve_person(multi)
    assert await sent(world, alice, multi, key_id=f"{multi.uri}#k2", key_name="k2") == 202


@pytest.mark.parametrize(
    ("key_id", "document"),
    [
        (
            "https://peer.test/keys/lie",
            key_document("https://peer.test/keys/lie", "https://peer.test/u/gts", "mallory"),
        ),
        (
            "https://peer.test/keys/otherid",
            key_document("https://peer.test/u/gts/main-key", "https://peer.test/u/gts", "mallory"),
        ),
        ("https://other.test/keys/x", key_document("https://other.test/keys/x", "https://peer.test/u/gts", "mallory")),
    ],
)
async def test_a_key_that_lies_about_its_owner_is_refused(
    world: World, gts: Person, key_id: str, document: dict[str, object]
) -> None:
    alice = await world.persona()
    world.serve(key_id, document)
    assert await sent(world, alice, gts, key_id=key_id, key_name="mallory") == 401
    async with world.database.read() as tx:
        assert await read.by_key(tx, key_id) is None


async def test_an_actor_cannot_claim_a_key_id_of_another_host(world: World) -> None:
    alice, dave = await world.persona(), world.person("https://other.test/u/dave")
    stolen = "https://peer.test/u/carol#main-key"
    dave.changes = {"publicKey": {"id": stolen, "owner": dave.uri, "publicKeyPem": dave.pem}}
    world.serve_person(dave)
    await world.learnt(dave)
    async with world.database.read() as tx:
        assert await read.by_key(tx, stolen) is None
        assert await tx.all(select(actor_key).where(actor_key.c.id == stolen)) == []
    assert await sent(world, alice, dave, key_id=stolen) == 401


async def test_an_upload_that_looks_like_a_key_is_none(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    world.pages["https://peer.test/u/carol"] = Page(
        world.pages["https://peer.test/u/carol"].body, content_type="application/json"
    )
    assert await sent(world, alice, carol) == 401
    assert await world.actor(carol.uri) is None


@pytest.mark.parametrize(
    "uri",
    [
        "https://peer.test/?author=1",  # WordPress
        "https://peer.test",  # microblog.pub: no path at all
        "https://peer.test/@carol@peer.test/",  # Takahē
    ],
)
async def test_ids_of_actors_are_kept_letter_by_letter(world: World, uri: str) -> None:
    alice, carol = await world.persona(), world.person(uri, "carol")
    assert await sent(world, alice, carol) == 202
    await world.drain()
    known = await world.actor(uri)
    assert known is not None
    assert known.uri == uri
    assert known.address == "carol@peer.test"


async def test_what_presents_no_signature_is_refused_in_the_words_that_say_why(world: World) -> None:
    unsigned = HttpRequest("GET", "https://sut.test/posts/nothing", (("Host", "sut.test"),))
    with pytest.raises(BadSignature) as bad:
        asker.examine(world.server, unsigned, clock.now())
    assert bad.value.reason
    assert await asker.who_signed(world.server, unsigned, clock.now()) == Refused(bad.value.reason, str(bad.value))


NO_KEY = "The key that signed this request cannot be had."
UNFIT = "The signature of this request does not fit it."


@pytest.mark.parametrize(
    ("problem", "opinion"),
    [
        (BadDocument("gone"), Refused("key-gone", NO_KEY)),
        (BadDocument("not-json"), Refused("no-key", NO_KEY)),
        (NotFound(), Refused("no-key", NO_KEY)),
        (FetchProblem("peer.test", "404", status=404), Refused("key-404", NO_KEY)),
        (FetchProblem("peer.test", "503", status=503), Undecided("key-503", NO_KEY)),
        (FetchProblem("peer.test", "timeout"), Undecided("key-timeout", NO_KEY)),
    ],
)
def test_a_key_cannot_be_had_for_good_or_for_now(problem: PrivaPubError, opinion: asker.Opinion) -> None:
    assert asker._unhad(problem) == opinion


def test_a_key_is_remembered_until_its_time_is_over() -> None:
    memory: Any = asker._Memory()
    memory.met("a", 100.0, "carol", "key")
    memory.note("a", 100.0, None)
    assert memory.reader("a", 99.0 + READER_KEPT) == ("carol", "key")
    assert memory.reader("a", 100.0 + READER_KEPT) is None
    assert memory.lately("a", 99.0 + COOL_DOWN) == (100.0, None)
    assert memory.lately("a", 100.0 + COOL_DOWN) is None
    assert memory.reader("b", 100.0) is None
    assert memory.lately("b", 100.0) is None


def test_what_was_met_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asker, "MOST_READERS", 2)
    monkeypatch.setattr(asker, "MOST_REMEMBERED", 2)
    memory: Any = asker._Memory()
    for name in ("a", "b", "a", "c"):
        memory.met(name, 1.0, name, "key")
        memory.note(name, 1.0, None)
    assert list(memory.readers) == list(memory.asked) == ["a", "c"]


async def test_who_waits_for_a_key_knows_that_another_was_there_and_leaves_nothing_behind() -> None:
    memory = asker._Memory()
    told: list[bool] = []

    async def come() -> None:
        async with memory.alone("a") as others:
            told.append(others)

    async with asyncio.TaskGroup() as group, memory.alone("a") as others, memory.alone("b") as elsewhere:
        assert not others
        assert not elsewhere
        waiting = [group.create_task(come()) for _ in range(2)]
        await asyncio.sleep(0)
        assert memory.locks["a"][1] == 1 + len(waiting)
        assert told == []
    assert told == [True, True]
    assert memory.locks == {}


def test_a_request_is_as_its_sender_wrote_it(world: World) -> None:
    headers = [(b"host", b"sut.test"), (b"x-note", b"\xe9")]
    heard = {"type": "http", "method": "POST", "path": "/\u00fc/inbox", "headers": headers}
    whole = Request({**heard, "raw_path": b"/%C3%BC/inbox/\xe9?a=%20", "query_string": b"a=%20&b=\xe9"})
    told = (("host", "sut.test"), ("x-note", "\u00e9"))
    assert asker.as_sent(world.server, whole, b"{}") == HttpRequest(
        "POST", "https://sut.test/%C3%BC/inbox/\u00e9?a=%20&b=\u00e9", told, b"{}"
    )
    assert asker.as_sent(world.server, Request(heard)) == HttpRequest(
        "POST", "https://sut.test/\u00c3\u00bc/inbox", told, b""
    )


async def test_a_request_may_be_as_old_and_as_early_as_the_settings_say(world: World) -> None:
    carol, now = world.person("https://peer.test/u/carol"), float(int(clock.now()))
    unsigned = HttpRequest("GET", "https://sut.test/posts/nothing", (("Host", "sut.test"),))
    key = PrivateKey.from_pem(carol.key_id, carol.private)
    settings = replace(world.server.settings, signature_past=60, signature_ahead=30)
    server: Any = SimpleNamespace(settings=settings)
    signed = replace(unsigned, headers=(*unsigned.headers, *sign(unsigned, key, "cavage", now)))
    for at in (now + settings.signature_past, now - settings.signature_ahead):
        assert asker.examine(server, signed, at).key_id == carol.key_id
    for at, reason in ((now + settings.signature_past + 1, "too-old"), (now - settings.signature_ahead - 1, "ahead")):
        with pytest.raises(BadSignature) as bad:
            asker.examine(server, signed, at)
        assert bad.value.reason == reason


async def asked_by(world: World, by: Person, **how: Any) -> tuple[asker.Opinion, Visit]:
    """What is thought of a request at an inbox, and what the visit then knows."""
    visit = visits.begin("198.51.100.1")
    return await opinion_of(world, by, scope.VERIFY, **how), visit


async def test_what_is_thought_names_the_key_the_scheme_and_the_host_that_proved_itself(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    known = await world.learnt(carol)
    assert await asked_by(world, carol) == (
        asker.Signed(known, carol.key_id, "cavage"),
        Visit("198.51.100.1", "peer.test"),
    )
    by_actor = replace(carol, fragment="")
    assert (await asked_by(world, by_actor, scheme="rfc9421"))[0] == asker.Signed(known, carol.key_id, "rfc9421")
    refused = Refused("wrong-signature", UNFIT)
    assert await asked_by(world, carol, key_name="another") == (refused, Visit("198.51.100.1"))


async def test_who_vouches_for_a_document_is_told_with_what_they_said_while_it_counts(world: World) -> None:
    dave, now = proving(world, "https://other.test/u/dave"), clock.now()
    like = of("Like", dave, "https://sut.test/posts/1", "https://other.test/a/9")
    claim = replace(signed_inside(proven(like, dave))[0], expires=now)
    with scope.trigger(scope.VERIFY):
        assert await asker.vouched(world.server, claim, now) == asker.Vouched(await world.learnt(dave), like)
        for _ in range(2):
            assert await asker.vouched(world.server, claim, now + 1) == Refused(
                "expired", "The proof of this document has expired."
            )


async def test_why_a_known_key_does_not_fit_is_told_unless_its_owner_is_gone(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    for status, opinion in (
        (404, Refused("wrong-signature", UNFIT)),
        (410, Refused("key-410", NO_KEY)),
        (500, Undecided("key-500", NO_KEY)),
    ):
        world.serve(carol.uri, status=status)
        clock.advance(COOL_DOWN + 1)
        before = len(world.asked(KEY))
        for _ in range(2):
            assert await opinion_of(world, carol, scope.VERIFY, "another") == opinion
        assert len(world.asked(KEY)) == before + 1


async def test_a_fetched_key_that_does_not_fit_is_fetched_again_after_five_minutes(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    for asked in (1, 2):
        for _ in range(2):
            assert await opinion_of(world, carol, scope.VERIFY, "another") == Refused("wrong-signature", UNFIT)
        assert len(world.asked(KEY)) == asked
        clock.advance(COOL_DOWN + 1)


async def test_a_key_that_was_fetched_and_is_not_known_cannot_be_had(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    asker._memories.setdefault(world.server.door, asker._Memory()).note(carol.key_id, clock.now(), None)
    assert await opinion_of(world, carol, scope.VERIFY) == Refused("no-key", NO_KEY)
    assert world.asked(KEY) == []


async def test_what_came_of_a_readers_key_says_nothing_to_an_inbox(world: World) -> None:
    nobody = Person("https://peer.test/u/carol", "carol")
    for asked, trigger in ((1, scope.READER), (2, scope.VERIFY)):
        for _ in range(2):
            assert await opinion_of(world, nobody, trigger) == Refused("key-404", NO_KEY)
        assert len(world.asked(KEY)) == asked
        clock.advance(1)


async def test_a_failure_that_the_door_remembers_says_nothing_of_a_key(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    served = world.pages.pop(carol.uri)
    with pytest.raises(FetchProblem):
        await world.learnt(carol)
    world.pages[carol.uri] = served
    assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Signed)


@pytest.mark.parametrize(("sender", "holder"), [("198.51.100.1", "198.51.100.1"), (None, "peer.test")])
async def test_one_who_has_too_many_keys_fetched_at_a_time_comes_again(
    world: World, sender: str | None, holder: str
) -> None:
    carol, room = world.person("https://peer.test/u/carol"), world.server.limits.key_fetches
    for _ in range(KEYS_AT_ONCE_FOR_ONE):
        assert room.take(holder)
    visits.begin(sender)
    overload = Undecided("overload", "Too many keys are being fetched: come again.")
    assert await opinion_of(world, carol, scope.VERIFY) == overload
    assert room.taken == KEYS_AT_ONCE_FOR_ONE
    room.free(holder)
    assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Signed)
    assert room.taken == KEYS_AT_ONCE_FOR_ONE - 1
    assert room.take(holder)


async def test_who_did_not_sign_has_used_the_turn_of_that_host(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asker, "PATIENCE", 0.0)
    stands = clock.now()
    monkeypatch.setattr(clock, "now", lambda: stands)
    carol, dave = world.person("https://peer.test/u/carol"), world.person("https://peer.test/u/dave")
    assert await opinion_of(world, carol, scope.VERIFY, "another") == Refused("wrong-signature", UNFIT)
    wait = Undecided("too-many-keys", "Too many keys had to be fetched for that host: come again.")
    assert await asked_by(world, dave) == (wait, Visit("198.51.100.1", "", 1.0))
    assert world.server.limits.key_fetches.taken == 0
    monkeypatch.setattr(clock, "now", lambda: stands + 1.0)
    for somebody in (dave, world.person("https://peer.test/u/eve"), world.person("https://peer.test/u/fay")):
        assert isinstance((await asked_by(world, somebody))[0], asker.Signed)


@pytest.mark.parametrize(("waits", "left"), [([2.0], 0.0), ([1.5, 0.5], 0.0), ([2.5], 2.5), ([1.5, 0.75], 0.75)])
async def test_a_turn_is_waited_for_as_long_as_patience_lasts(
    monkeypatch: pytest.MonkeyPatch, waits: list[float], left: float
) -> None:
    turns = [Turn(wait) for wait in waits] + [Turn()]
    times = {"now": 50.0}

    async def sleep(seconds: float) -> None:
        times["now"] += seconds

    monkeypatch.setattr(clock, "sleep", sleep)
    monkeypatch.setattr(clock, "monotonic", lambda: times["now"])
    asked: list[Caller] = []

    def fetch_key(caller: Caller, now: float) -> Turn:
        assert now >= times["now"]
        asked.append(caller)
        return turns[len(asked) - 1]

    server: Any = SimpleNamespace(limits=SimpleNamespace(fetch_key=fetch_key))
    caller = Caller("peer.test", None)
    assert (await asker._turn(server, caller)).wait == left
    assert set(asked) == {caller}


async def test_keys_of_ours_sign_nothing_that_comes_from_elsewhere(world: World) -> None:
    alice = await world.persona()
    async with world.database.read() as tx:
        key = (await read.keys_of(tx, alice.id))[0]
    for key_id in (key.id, alice.uri):
        found = await asker._known(world.server, key_id)
        assert found is None


async def test_a_kept_key_that_cannot_be_used_is_fetched_anew(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    async with world.database.write() as tx:
        await tx.execute(update(actor_key).where(actor_key.c.id == carol.key_id).values(public="no key"))
    assert await asker._known(world.server, carol.key_id) is None
    assert isinstance(await opinion_of(world, carol, scope.VERIFY), asker.Signed)
    assert len(world.asked(KEY)) == 1


async def test_an_actor_without_a_key_signs_nothing(world: World) -> None:
    carol = world.person("https://peer.test/u/carol")
    await world.learnt(carol)
    assert await asker._known(world.server, "https://peer.test/u/nobody") is None
    async with world.database.write() as tx:
        await tx.execute(delete(actor_key).where(actor_key.c.id == carol.key_id))
    assert await asker._known(world.server, carol.uri) is None
