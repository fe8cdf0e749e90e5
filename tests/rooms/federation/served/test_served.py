import dataclasses
import json
from typing import Any

import pytest

from asgi import DOCUMENT, HTML, serving
from makers import ADDRESSES, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import application
from privapub.database.connect import Database
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.documents.read_actor import read_actor
from privapub.federation.documents.read_post import read_post
from privapub.personas.edit import edit
from privapub.posts.delete import delete

LD_JSON = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'


async def test_an_actor_is_served_as_a_document(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "Alice")
    async with serving(database) as sut:
        for accept, kind in {
            "application/activity+json": "application/activity+json",
            LD_JSON: LD_JSON,
            f"application/activity+json, {LD_JSON}": "application/activity+json",
            f"{LD_JSON}, application/activity+json;q=0.9, text/html;q=0.1": LD_JSON,
            "application/json": "application/activity+json",
        }.items():
            answer = await sut.get(alice.actor.uri, accept=accept)
            assert (answer.status, answer.headers["content-type"]) == (200, kind)
            assert answer.headers["vary"] == "Accept, Signature"
            assert answer.headers["cache-control"].startswith("public, max-age=")
    actor = read_actor(answer.json)
    assert (actor.uri, actor.handle) == (alice.actor.uri, "Alice")
    assert [key[2] for key in actor.keys] == ["rsa", "ed25519"]


async def test_a_document_that_is_known_is_not_sent_again(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
    async with serving(database) as sut:
        first = await sut.get(alice.actor.uri, accept=DOCUMENT)
        again = await sut.get(alice.actor.uri, accept=DOCUMENT, If_None_Match=f'W/"x", {first.headers["etag"]}')
        other = await sut.get(alice.actor.uri, accept=DOCUMENT, If_None_Match='"x"')
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert other.status == 200


async def test_head_is_answered_like_get(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post = await make_post(tx, alice.id)
    async with serving(database) as sut:
        for url in (alice.actor.uri, post.uri, f"{alice.actor.uri}/outbox", "/.well-known/nodeinfo"):
            assert (await sut.get(url, accept=DOCUMENT, method="HEAD")).status == 200


async def test_the_actor_that_signs_our_fetches_is_served(database: Database) -> None:
    async with database.write() as tx:
        await application.ensure(tx, ADDRESSES, "sut.test", clock.now())
    async with serving(database) as sut:
        actor = read_actor((await sut.get(ADDRESSES.application, accept=DOCUMENT)).json)
        found = await sut.get("/.well-known/webfinger?resource=acct:sut.test@sut.test")
    assert (actor.kind, actor.handle) == ("Application", "sut.test")
    assert found.json["subject"] == "acct:sut.test@sut.test"


async def test_the_outbox_holds_what_is_for_everyone_newest_first(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        for number in range(23):
            await make_post(tx, alice.id, "unlisted" if number % 2 else "public", f"open {number}")
            clock.advance(1)
        await make_post(tx, alice.id, "followers", "secret")
        await make_post(tx, alice.id, "direct", "secret", [carol.id])
        gone = await make_post(tx, alice.id, "public", "secret")
        await delete(tx, gone.id, alice.id, clock.now())
    seen: list[dict[str, Any]] = []
    async with serving(database) as sut:
        top = (await sut.get(f"{alice.actor.uri}/outbox", accept=DOCUMENT)).json
        assert (top["type"], top["totalItems"], top["id"]) == ("OrderedCollection", 23, f"{alice.actor.uri}/outbox")
        at = top["first"]
        while at:
            answer = await sut.get(at, accept=DOCUMENT)
            assert b"secret" not in answer.body
            assert answer.json["id"] == at
            seen += answer.json["orderedItems"]
            at = answer.json.get("next")
    contents = [activity["object"]["content"] for activity in seen]
    assert contents == [f"<p>open {number}</p>" for number in range(22, -1, -1)]
    assert {activity["type"] for activity in seen} == {"Create"}


async def test_a_page_that_is_none_is_refused(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
    async with serving(database) as sut:
        for before in ("x", "", "-1", "9" * 30, "9" * 19, "1.5", "%C2%B2"):
            assert (await sut.get(f"{alice.actor.uri}/outbox?page=true&before={before}")).status == 400
            assert (await sut.get(f"/@alice?before={before}", accept=HTML)).status == 400


async def test_follows_are_counted_only_if_the_persona_shows_them_and_never_listed(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
    async with serving(database) as sut:
        hidden = (await sut.get(alice.actor.followers or "", accept=DOCUMENT)).json
        async with database.write() as tx:
            await edit(tx, alice.id, shows_follows=True, now=clock.now())
        shown = (await sut.get(alice.actor.followers or "", accept=DOCUMENT)).json
        following = (await sut.get(alice.actor.following or "", accept=DOCUMENT)).json
    assert set(hidden) == {"@context", "id", "type"}
    assert (shown["totalItems"], following["totalItems"]) == (1, 0)
    assert "carol" not in json.dumps([hidden, shown, following])


@pytest.mark.parametrize("audience", ["public", "unlisted"])
async def test_a_post_for_everyone_and_its_create_are_served(database: Database, audience: str) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        post = await make_post(tx, alice.id, audience)
    async with serving(database) as sut:
        answer = await sut.get(post.uri, accept=DOCUMENT)
        create = await sut.get(post.activity_uri or "", accept=DOCUMENT)
    assert read_post(answer.json).author == alice.actor.uri
    assert answer.headers["cache-control"].startswith("public")
    assert (create.json["type"], create.json["object"]["id"]) == ("Create", post.uri)
    assert PUBLIC in [*create.json["to"], *create.json["cc"]]


@pytest.mark.parametrize("audience", ["followers", "direct"])
async def test_other_posts_are_served_to_whoever_may_see_them_and_signs(database: Database, audience: str) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        dave = await make_remote(tx, "dave@other.test")
        erin = await make_remote(tx, "erin@other.test")
        await make_follow(tx, carol.id, alice.id)
        post = await make_post(tx, alice.id, audience, named=[dave.id])
    async with serving(database) as sut:
        absent = await sut.get("/posts/nothing", accept=DOCUMENT)
        for url in (post.uri, "/posts/nothing"):
            for asker in (None, erin, *([] if audience == "followers" else [carol])):
                answer = await sut.get(url, accept=DOCUMENT, by=asker)
                assert (answer.status, answer.body, answer.headers) == (404, absent.body, absent.headers)
        for asker in (dave, *([carol] if audience == "followers" else [])):
            answer = await sut.get(post.uri, accept=DOCUMENT, by=asker)
            assert (answer.status, answer.json["id"]) == (200, post.uri)
            assert answer.headers["cache-control"] == "private, no-store"
            assert "etag" not in answer.headers
        assert (await sut.get(post.activity_uri or "", accept=DOCUMENT, by=dave)).status == 404
    assert absent.headers["cache-control"] == "private, no-store"


async def test_whether_a_post_is_there_is_not_told_while_the_signer_cannot_be_asked_for(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        post = await make_post(tx, alice.id, "followers")
        open_to_all = await make_post(tx, alice.id)
    stranger = dataclasses.replace(carol, uri="https://unknown.test/u/x")
    async with serving(database) as sut:
        for url in (post.uri, "/posts/nothing"):
            answer = await sut.get(url, accept=DOCUMENT, by=stranger)
            assert (answer.status, answer.headers["retry-after"]) == (503, "300")
        assert (await sut.get(open_to_all.uri, accept=DOCUMENT, by=stranger)).status == 200


async def test_a_follow_that_waits_or_was_refused_opens_nothing(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, locked=True)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id, "pending")
        post = await make_post(tx, alice.id, "followers")
    async with serving(database) as sut:
        assert (await sut.get(post.uri, accept=DOCUMENT, by=carol)).status == 404


async def test_a_bad_signature_opens_nothing(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        post = await make_post(tx, alice.id, "followers")
    async with serving(database) as sut:
        assert (await sut.get(post.uri, accept=DOCUMENT, Signature="nonsense")).status == 404
        assert (await sut.get(post.uri, accept=DOCUMENT, by=carol, signed_at=clock.now() - 90000)).status == 404
        assert (await sut.get(post.uri, accept=DOCUMENT, by=carol, signed_at=clock.now() - 3000)).status == 200


@pytest.mark.parametrize(("audience", "status"), [("public", 410), ("unlisted", 410), ("followers", 404)])
async def test_a_deleted_post_leaves_a_tombstone_where_everyone_could_see_it(
    database: Database, audience: str, status: int
) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol = await make_remote(tx)
        await make_follow(tx, carol.id, alice.id)
        post = await make_post(tx, alice.id, audience, "secret")
        await delete(tx, post.id, alice.id, clock.now())
    async with serving(database) as sut:
        for asker in (None, carol):
            answer = await sut.get(post.uri, accept=DOCUMENT, by=asker)
            assert answer.status == status
            assert b"secret" not in answer.body
            assert status == 404 or answer.json["type"] == "Tombstone"
        assert (await sut.get(post.activity_uri or "", accept=DOCUMENT)).status == 404
        page = await sut.get(post.uri, accept=HTML)
        assert page.status == status
        assert page.headers["cache-control"] == "private, no-store"


async def test_posts_of_others_are_not_served_in_their_name(database: Database) -> None:
    async with database.write() as tx:
        carol = await make_remote(tx)
        post = await make_post(tx, carol.id)
    async with serving(database) as sut:
        assert (await sut.get(f"/posts/{post.uri.rpartition('/')[2]}", accept=DOCUMENT)).status == 404


async def test_what_is_not_there_is_kept_in_no_cache(database: Database) -> None:
    async with serving(database) as sut:
        for path in (
            "/actors/nobody", "/actors/nobody/outbox", "/actors/nobody/followers", "/actors/nobody/following",
            "/posts/nothing", "/activities/nothing", "/nodeinfo/1.0", "/nowhere", "/posts/a/b", "/actors/x/featured",
            "/@nobody", "/static/nothing.css", "/posts/%00", "/@%00",
        ):  # fmt: skip
            for accept in (DOCUMENT, HTML, None):
                answer = await sut.get(path, accept=accept)
                assert answer.status == 404
                assert answer.headers["cache-control"] == "private, no-store"
                assert answer.headers["vary"] == "Accept"


async def test_inboxes_take_posts_and_nothing_else(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
    async with serving(database) as sut:
        for path in ("/inbox", alice.actor.inbox.removeprefix("https://sut.test")):
            assert (await sut.get(path)).status == 405
            assert (await sut.ask("POST", path, [("Content-Type", "text/plain")], b"x")).status == 415
            assert (await sut.ask("POST", path, [("Content-Type", DOCUMENT)], b"[]")).status == 400
        assert (await sut.ask("POST", "/actors/nobody/inbox", [("Content-Type", DOCUMENT)], b"{}")).status == 404


async def test_two_personas_have_nothing_in_common_in_their_documents(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx, "alice")
        night = await make_persona(tx, "night")
    async with serving(database) as sut:
        first = await sut.get(alice.actor.uri, accept=DOCUMENT)
        second = await sut.get(night.actor.uri, accept=DOCUMENT)
    assert first.headers["etag"] != second.headers["etag"]
    assert "last-modified" not in first.headers
    for text, other in ((first.text, night), (second.text, alice)):
        assert str(other.id) not in text
        assert other.actor.uri not in text
