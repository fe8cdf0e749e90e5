"""Quotes with consent on the wire (FEP-044f)."""

import json
from typing import Any

import pytest

from fakes.activities import create, kept_out, note, of, post_at
from fakes.world import CONTEXT, PUBLIC, Person, World
from makers import make_follow, make_post
from privapub import clock, scope
from privapub.actors.read import Actor
from privapub.composing import compose
from privapub.personas import read as personas
from privapub.posts import quotes, stamps
from privapub.posts.read import Post

ACCEPT = {"Accept": "application/activity+json"}
THEIRS = "https://peer.test/n/1"
STAMP = "https://peer.test/stamps/1"


def request(carol: Person, quoted: str, quoting: Any = "https://peer.test/n/q", number: int = 1) -> dict[str, Any]:
    return {**of("QuoteRequest", carol, quoted, f"https://peer.test/ask/{number}"), "instrument": quoting}


def authorization(author: Person, quoting: str, quoted: str = THEIRS, **changes: Any) -> dict[str, Any]:
    return {
        "@context": [
            CONTEXT,
            {
                "QuoteAuthorization": "https://w3id.org/fep/044f#QuoteAuthorization",
                "gts": "https://gotosocial.org/ns#",
                "interactingObject": {"@id": "gts:interactingObject", "@type": "@id"},
                "interactionTarget": {"@id": "gts:interactionTarget", "@type": "@id"},
            },
        ],
        "type": "QuoteAuthorization",
        "id": STAMP,
        "attributedTo": author.uri,
        "interactingObject": quoting,
        "interactionTarget": quoted,
        **changes,
    }


def sent(world: World, kind: str) -> list[dict[str, Any]]:
    return [each for each in world.sent() if each["type"] == kind]


async def quoted_by_alice(world: World) -> tuple[Actor, Person, Post]:
    """Alice quotes Carol, who follows her."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    known = await world.learnt(carol)
    async with world.database.write() as tx:
        await make_follow(tx, known.id, alice.id)
    world.serve(THEIRS, {"@context": CONTEXT, **note(carol)})
    with scope.trigger("inbox"):
        post = await compose.write_post(world.server, alice.id, "look", "public", quote=THEIRS)
    await world.drain()
    return alice, carol, post


async def quote_state(world: World, uri: str) -> str:
    found = await post_at(world, uri)
    assert found is not None
    return found.quote_state


async def test_who_is_quoted_is_asked_and_a_yes_goes_to_whoever_got_the_post(world: World) -> None:
    alice, carol, post = await quoted_by_alice(world)
    (asked,) = sent(world, "QuoteRequest")
    assert (asked["actor"], asked["object"], asked["to"]) == (alice.uri, THEIRS, [carol.uri])
    assert (asked["instrument"]["id"], asked["instrument"]["quote"]) == (post.uri, THEIRS)
    (created,) = sent(world, "Create")
    told = created["object"]
    assert [told[name] for name in ("quote", "quoteUrl", "quoteUri", "_misskey_quote")] == [THEIRS] * 4
    assert "quoteAuthorization" not in told
    (link,) = [tag for tag in told["tag"] if tag["type"] == "Link"]
    assert (link["href"], link["rel"]) == (THEIRS, "https://misskey-hub.net/ns#_misskey_quote")
    assert f'RE: <a href="{THEIRS}">' in told["content"]
    yes = {**of("Accept", carol, {**asked, "instrument": post.uri}, "https://peer.test/yes/1"), "result": STAMP}
    await world.post(alice.inbox, yes, by=carol)
    await world.drain()
    assert await kept_out(world) == [None]
    assert await quote_state(world, post.uri) == "accepted"
    (update,) = sent(world, "Update")
    assert update["object"]["quoteAuthorization"] == STAMP
    # The stamp goes, and so does the quote.
    await world.post(alice.inbox, of("Delete", carol, STAMP, "https://peer.test/d/1"), by=carol)
    await world.drain()
    assert await quote_state(world, post.uri) == "rejected"
    update = sent(world, "Update")[-1]["object"]
    assert not {"quote", "quoteUrl", "quoteAuthorization"} & set(update)
    assert [tag for tag in update["tag"] if tag["type"] == "Link"] == []


async def test_a_stamp_that_was_taken_back_before_its_yes_came_counts_for_nothing(world: World) -> None:
    alice, carol, post = await quoted_by_alice(world)
    (asked,) = sent(world, "QuoteRequest")
    await world.post(alice.inbox, of("Delete", carol, STAMP, "https://peer.test/d/1"), by=carol)
    await world.drain()
    yes = {**of("Accept", carol, asked["id"], "https://peer.test/yes/1"), "result": STAMP}
    await world.post(alice.inbox, yes, by=carol)
    await world.drain()
    assert await kept_out(world) == [None, "not-asked"]
    assert await quote_state(world, post.uri) == "pending"


@pytest.mark.parametrize("bare", [True, False])
async def test_a_no_ends_the_quote(world: World, bare: bool) -> None:
    alice, carol, post = await quoted_by_alice(world)
    (asked,) = sent(world, "QuoteRequest")
    no = of("Reject", carol, asked["id"] if bare else {**asked, "instrument": post.uri}, "https://peer.test/no/1")
    await world.post(alice.inbox, no, by=carol)
    await world.drain()
    assert await quote_state(world, post.uri) == "rejected"
    assert "quote" not in sent(world, "Update")[0]["object"]


async def test_nobody_else_answers_and_no_stamp_of_another_host_counts(world: World) -> None:
    alice, carol, post = await quoted_by_alice(world)
    (asked,) = sent(world, "QuoteRequest")
    mallory = world.person("https://peer.test/u/mallory")
    yes = {**of("Accept", mallory, asked, "https://peer.test/yes/1"), "result": STAMP}
    await world.post(alice.inbox, yes, by=mallory)
    for number, stamp in enumerate(("https://other.test/stamps/1", None)):
        yes = of("Accept", carol, asked, f"https://peer.test/yes/2{number}") | ({"result": stamp} if stamp else {})
        await world.post(alice.inbox, yes, by=carol)
    await world.drain()
    assert sorted(str(why) for why in await kept_out(world)) == ["no-stamp", "no-stamp", "not-asked"]
    assert await quote_state(world, post.uri) == "pending"


@pytest.mark.parametrize("policy", ["public", "nobody"])
async def test_whoever_asks_to_quote_is_answered_with_a_stamp_or_a_no(world: World, policy: str) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    async with world.database.write() as tx:
        post = await make_post(tx, alice.id)
        await quotes.set_policy(tx, post.id, alice.id, policy, clock.now())
    whole = note(carol, "https://peer.test/n/q", quote=post.uri)
    await world.post(alice.inbox, request(carol, post.uri, whole), by=carol)
    await world.drain()
    assert await kept_out(world) == [None]
    (answer,) = [each for each in world.sent() if each["type"] in ("Accept", "Reject")]
    assert (answer["type"], "result" in answer) == (("Accept", True) if policy == "public" else ("Reject", False))
    assert answer["object"] == {
        "type": "QuoteRequest",
        "id": "https://peer.test/ask/1",
        "actor": carol.uri,
        "instrument": "https://peer.test/n/q",
        "object": post.uri,
    }
    if policy == "nobody":
        return
    path = answer["result"].removeprefix("https://sut.test")
    stamp = json.loads((await world.get(path, ACCEPT)).body)
    assert (stamp["id"], stamp["type"], stamp["attributedTo"]) == (answer["result"], "QuoteAuthorization", alice.uri)
    assert (stamp["interactingObject"], stamp["interactionTarget"]) == ("https://peer.test/n/q", post.uri)
    # Taken back, it is gone, and the one who quotes is told.
    async with world.database.write() as tx:
        await stamps.revoke(tx, post.id, alice.id, "https://peer.test/n/q", clock.now())
    await world.drain()
    assert (await world.get(path, ACCEPT)).status == 404
    assert [each["object"] for each in sent(world, "Delete")] == [answer["result"]]


async def test_a_question_for_what_is_not_theirs_or_not_to_be_seen_is_not_answered(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    async with world.database.write() as tx:
        secret, public = await make_post(tx, alice.id, "followers"), await make_post(tx, alice.id)
    foreign = note(carol, "https://peer.test/n/q", quote=public.uri, attributedTo="https://peer.test/u/dave")
    other = note(carol, "https://peer.test/n/q", quote="https://peer.test/n/9")
    for number, (quoted, quoting) in enumerate(
        [(secret.uri, THEIRS), (public.uri, "https://other.test/n/1"), (public.uri, foreign), (public.uri, other)]
    ):
        await world.post(alice.inbox, request(carol, quoted, quoting, number), by=carol)
        await world.drain()
    assert await kept_out(world) == ["no-such-post", "not-theirs", "not-theirs", "not-theirs"]
    assert world.sent() == []


@pytest.mark.parametrize("how", ["beside", "alone"])
async def test_a_question_brings_no_post_but_the_one_that_quotes(world: World, how: str) -> None:
    alice, mallory = await world.persona(), world.person("https://peer.test/u/mallory")
    dave = world.person("https://other.test/u/dave")
    known = await world.learnt(dave)
    async with world.database.write() as tx:
        await make_follow(tx, alice.id, known.id)
        post = await make_post(tx, alice.id)
    victim = "https://other.test/n/next"
    planted = note(mallory, victim, content="<p>planted</p>", quote=post.uri)
    quoting = ["https://peer.test/n/q", planted] if how == "beside" else planted
    await world.post(alice.inbox, request(mallory, post.uri, quoting), by=mallory)
    await world.drain()
    assert await post_at(world, victim) is None
    assert await kept_out(world) == [None if how == "beside" else "not-theirs"]
    # What stands at that address is kept when its author writes it.
    written = create(dave, note(dave, victim, content="<p>real</p>"), "https://other.test/a/1")
    await world.post(alice.inbox, written, by=dave)
    await world.drain()
    found = await post_at(world, victim)
    assert found is not None
    assert found.content == "<p>real</p>"


async def quoting_note(world: World, **changes: Any) -> str:
    """Carol writes to Alice and quotes Dave of another server; what became of the quote."""
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    dave = world.person("https://other.test/u/dave")
    world.serve("https://other.test/n/1", {"@context": CONTEXT, **note(dave, "https://other.test/n/1")})
    post = note(carol, "https://peer.test/n/q", quote="https://other.test/n/1", **changes)
    await world.post(alice.inbox, create(carol, post), by=carol)
    await world.drain()
    return await quote_state(world, "https://peer.test/n/q")


def daves(world: World, **changes: Any) -> str:
    uri = "https://other.test/stamps/1"
    told = authorization(
        Person("https://other.test/u/dave", "dave"), "https://peer.test/n/q", "https://other.test/n/1", id=uri
    )
    world.serve(uri, {**told, **changes})
    return uri


async def test_a_quote_with_the_quoted_authors_stamp_is_shown(world: World) -> None:
    assert await quoting_note(world, quoteAuthorization=daves(world)) == "accepted"
    post = await post_at(world, "https://peer.test/n/q")
    assert post is not None
    async with world.database.read() as tx:
        shown = await quotes.shown(tx, [post], None)
    assert [each.uri for each in shown.values()] == ["https://other.test/n/1"]


@pytest.mark.parametrize(
    "changes",
    [
        {"interactingObject": "https://peer.test/n/other"},
        {"interactionTarget": "https://other.test/n/2"},
        {"attributedTo": "https://other.test/u/mallory"},
        {"type": "Note"},
    ],
)
async def test_a_stamp_for_something_else_is_none(world: World, changes: dict[str, Any]) -> None:
    assert await quoting_note(world, quoteAuthorization=daves(world, **changes)) == "rejected"


async def test_a_stamp_of_the_quoting_host_is_none_and_one_that_is_gone_neither(world: World) -> None:
    assert await quoting_note(world, quoteAuthorization="https://peer.test/stamps/own") == "rejected"
    assert world.asked("/stamps/own") == []


async def test_a_quoted_post_whose_author_is_somebody_else_is_not_kept(world: World) -> None:
    """Dave quotes himself, so to say: what he quotes says of its author what leads to him."""
    alice, dave = await world.persona(), world.person("https://other.test/u/dave")
    carol, fake = world.person("https://peer.test/u/carol"), "https://peer.test/u/fake"
    world.serve(fake, dave.document())
    world.serve(THEIRS, {"@context": CONTEXT, **note(carol, attributedTo=fake)})
    post = note(dave, "https://other.test/n/q", quote=THEIRS, quoteAuthorization=STAMP)
    await world.post(alice.inbox, create(dave, post, "https://other.test/a/1"), by=dave)
    await world.drain()
    assert await post_at(world, THEIRS) is None
    assert await quote_state(world, "https://other.test/n/q") == "rejected"


async def test_a_quote_without_a_stamp_waits_and_one_that_comes_later_counts(world: World) -> None:
    assert await quoting_note(world) == "pending"
    alice, carol = await _of(world, "alice"), world.person("https://peer.test/u/carol")
    stamped = note(carol, "https://peer.test/n/q", quote="https://other.test/n/1", quoteAuthorization=daves(world))
    update = {**of("Update", carol, stamped, "https://peer.test/up/1"), "to": [PUBLIC]}
    await world.post(alice.inbox, update, by=carol)
    await world.drain()
    assert await kept_out(world) == [None, None]
    assert await quote_state(world, "https://peer.test/n/q") == "accepted"
    # Dave takes it back.
    dave = world.person("https://other.test/u/dave")
    gone = of("Delete", dave, "https://other.test/stamps/1", "https://other.test/d/1")
    await world.post("https://sut.test/inbox", gone, by=dave)
    await world.drain()
    assert await quote_state(world, "https://peer.test/n/q") == "rejected"


async def _of(world: World, handle: str) -> Actor:
    async with world.database.read() as tx:
        found = await personas.by_handle(tx, handle)
    assert found is not None
    return found.actor


async def test_whoever_quotes_themselves_needs_no_stamp(world: World) -> None:
    alice, carol = await world.persona(), world.person("https://peer.test/u/carol")
    world.serve(THEIRS, {"@context": CONTEXT, **note(carol)})
    post = note(carol, "https://peer.test/n/q", quoteUrl=THEIRS)
    await world.post(alice.inbox, create(carol, post), by=carol)
    await world.drain()
    assert await quote_state(world, "https://peer.test/n/q") == "accepted"
