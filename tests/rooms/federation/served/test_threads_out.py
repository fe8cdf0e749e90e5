"""Answers, threads, likes and boosts of our posts, as other servers read them."""

from typing import Any

import pytest
from sqlalchemy import select

from asgi import DOCUMENT, Application, serving
from makers import ADDRESSES, make_follow, make_persona, make_post, make_remote
from privapub import clock, identifiers
from privapub.actors.read import Actor
from privapub.actors.tables import block
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.posts import audience
from privapub.posts import read as posts
from privapub.posts.delete import delete
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive
from privapub.posts.tables import boost, reaction
from privapub.posts.tables import post as post_table

EVERY = ("public", "unlisted", "followers", "direct")


async def reply(tx: Transaction, author: Actor, to: Post, audience: str = "public") -> Post:
    """An answer, of ours or of somebody else's."""
    clock.advance(1)
    if author.local:
        made: int | None = await publish(
            tx, author_id=author.id, audience=audience, source="x", content_html="<p>x</p>", in_reply_to=to.uri,
            addresses=ADDRESSES, now=clock.now(),
        )  # fmt: skip
    else:
        uri = f"https://{author.host}/n/{identifiers.token()}"
        record = ReceivedPost(uri=uri, content="x", published_at=clock.now(), in_reply_to=to.uri)
        made = await receive(tx, record, author.id, audience, (), clock.now())
    assert made is not None
    found = await posts.by_id(tx, made)
    assert found is not None
    return found


async def listed(sut: Application, url: str, by: Actor | None = None) -> list[str]:
    """All ids in a collection, page by page; each page is the one that was asked for."""
    at, found = (await sut.get(url, accept=DOCUMENT, by=by)).json.get("first"), []
    while at is not None:
        page: dict[str, Any] = (await sut.get(at, accept=DOCUMENT, by=by)).json
        assert (page["id"], page["partOf"]) == (at, url)
        found += page.get("items", page.get("orderedItems"))
        at = page.get("next")
    return found


async def test_a_post_names_what_belongs_to_it(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        ours = await make_post(tx, alice.id)
        answer = await reply(tx, bob.actor, ours)
        record = ReceivedPost(
            "https://peer.test/n/1", "x", clock.now(), context="https://peer.test/c/1", conversation="tag:peer.test,1"
        )
        theirs = await posts.by_id(tx, await receive(tx, record, carol.id, "public", (), clock.now()) or 0)
        assert theirs is not None
        to_theirs = await reply(tx, alice.actor, theirs)
    async with serving(database) as sut:
        first = (await sut.get(ours.uri, accept=DOCUMENT)).json
        second = (await sut.get(answer.uri, accept=DOCUMENT)).json
        third = (await sut.get(to_theirs.uri, accept=DOCUMENT)).json
    for name in ("replies", "likes", "shares"):
        assert (first[name]["id"], first[name]["type"]) == (f"{ours.uri}/{name}", "Collection")
    assert (first["replies"]["first"], first["context"]) == (f"{ours.uri}/replies?page=true", f"{ours.uri}/context")
    assert first["conversation"] == first["context"]
    assert (second["context"], second["replies"]["id"]) == (first["context"], f"{answer.uri}/replies")
    assert (third["context"], third["conversation"]) == ("https://peer.test/c/1", "tag:peer.test,1")


async def test_answers_are_listed_oldest_first_and_threads_whole(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        ours = await make_post(tx, alice.id)
        direct = [await reply(tx, carol, ours) for _ in range(23)]
        below = await reply(tx, alice.actor, direct[0])
        gone = await reply(tx, alice.actor, ours)
        await delete(tx, gone.id, alice.id, clock.now())
    async with serving(database) as sut:
        assert await listed(sut, f"{ours.uri}/replies") == [post.uri for post in direct]
        assert await listed(sut, f"{ours.uri}/context") == [post.uri for post in (ours, *direct, below)]
        top = await sut.get(f"{ours.uri}/replies", accept=DOCUMENT)
        thread = await sut.get(f"{ours.uri}/context", accept=DOCUMENT)
    assert (top.json["type"], top.json["totalItems"]) == ("Collection", 23)
    assert (thread.json["type"], thread.json["totalItems"]) == ("OrderedCollection", 25)
    assert thread.json["attributedTo"] == alice.actor.uri
    assert top.headers["cache-control"].startswith("public")


async def test_answers_that_are_not_for_everyone_are_listed_to_who_may_see_them(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, erin = await make_persona(tx), await make_remote(tx), await make_remote(tx, "erin@other.test")
        await make_follow(tx, carol.id, alice.id)
        ours = await make_post(tx, alice.id)
        seen = await reply(tx, erin, ours)
        secret = await reply(tx, alice.actor, ours, "followers")
    async with serving(database) as sut:
        for name, first in (("replies", []), ("context", [ours.uri])):
            url = f"{ours.uri}/{name}"
            assert await listed(sut, url) == [*first, seen.uri]
            assert await listed(sut, url, erin) == [*first, seen.uri]
            assert await listed(sut, url, carol) == [*first, seen.uri, secret.uri]
            top = (await sut.get(url, accept=DOCUMENT, by=carol)).json
            assert top["totalItems"] == len(first) + 1
            answer = await sut.get(f"{url}?page=true", accept=DOCUMENT, by=carol)
            assert answer.headers["cache-control"] == "private, no-store"


async def test_nobody_is_told_of_an_answer_that_they_may_not_see(database: Database) -> None:
    async with database.write() as tx:
        alice, carol, erin = await make_persona(tx), await make_remote(tx), await make_remote(tx, "erin@other.test")
        await make_follow(tx, carol.id, alice.id)
        ours, seen, hidden = await make_post(tx, alice.id), [], []
        for number in range(70):
            secret = number % 3 != 0
            made = await reply(tx, alice.actor, ours, "followers" if secret else "public")
            (hidden if secret else seen).append(made)
    async with serving(database) as sut:
        for asker in (None, erin):
            page = await sut.get(f"{ours.uri}/replies?page=true", accept=DOCUMENT, by=asker)
            assert page.json["items"] == [post.uri for post in seen[:20]]
            assert page.json["next"] == f"{ours.uri}/replies?page=true&after={seen[19].id}"
            last = await sut.get(page.json["next"], accept=DOCUMENT, by=asker)
            assert last.json["items"] == [post.uri for post in seen[20:]]
            assert "next" not in last.json
            kept = "public, max-age=180" if asker is None else "private, max-age=180"
            for answer in (page, last):
                assert answer.headers["cache-control"] == kept
                assert "etag" in answer.headers
        whole = await listed(sut, f"{ours.uri}/context", carol)
        assert sorted(whole) == sorted(post.uri for post in (ours, *seen, *hidden))


async def test_what_a_page_is_read_with_is_what_may_be_seen(database: Database) -> None:
    """The condition that a question is asked with, and the decision on each post."""
    async with database.write() as tx:
        alice, bob = await make_persona(tx), await make_persona(tx, "bob")
        people = [alice.actor, bob.actor, *[await make_remote(tx, f"{name}@peer.test") for name in "cdef"]]
        follower, refused, named, parted = people[2:]
        await make_follow(tx, follower.id, alice.id)
        await make_follow(tx, parted.id, alice.id)
        await make_follow(tx, refused.id, alice.id, "rejected")
        uri = "https://sut.test/block/1"
        await tx.execute(block.insert().values(blocker_id=alice.id, blocked_id=parted.id, uri=uri, created_at=1.0))
        made = [await make_post(tx, alice.id, audience, named=[named.id, parted.id]) for audience in EVERY]
        gone = await make_post(tx, alice.id)
        await delete(tx, gone.id, alice.id, clock.now())
    async with database.read() as tx:
        for viewer in (None, *(person.id for person in people)):
            read = await tx.all(select(post_table.c.id).where(audience.seen_by(viewer)))
            shown = await audience.visible_to(tx, made, viewer)
            assert sorted(row.id for row in read) == sorted(post.id for post in shown)


@pytest.mark.parametrize("name", ["replies", "context", "likes", "shares"])
async def test_what_belongs_to_a_post_is_kept_from_whom_the_post_is_kept_from(database: Database, name: str) -> None:
    async with database.write() as tx:
        alice, carol, erin = await make_persona(tx), await make_remote(tx), await make_remote(tx, "erin@other.test")
        await make_follow(tx, carol.id, alice.id)
        ours = await make_post(tx, alice.id, "followers")
        open_once = await make_post(tx, alice.id)
        await delete(tx, open_once.id, alice.id, clock.now())
    async with serving(database) as sut:
        absent = await sut.get(f"/posts/nothing/{name}", accept=DOCUMENT)
        assert absent.status == 404
        for page in ("", "?page=true"):
            for asker in (None, erin):
                answer = await sut.get(f"{ours.uri}/{name}{page}", accept=DOCUMENT, by=asker)
                assert (answer.status, answer.body, answer.headers) == (404, absent.body, absent.headers)
            answer = await sut.get(f"{ours.uri}/{name}{page}", accept=DOCUMENT, by=carol)
            assert answer.status == 200
            assert answer.headers["cache-control"] == "private, no-store"
            assert (await sut.get(f"{open_once.uri}/{name}{page}", accept=DOCUMENT)).status == 404


async def test_likes_are_counted_and_boosts_for_everyone_are_listed(database: Database) -> None:
    async with database.write() as tx:
        alice = await make_persona(tx)
        ours = await make_post(tx, alice.id)
        for number in range(30):
            fan = await make_remote(tx, f"fan{number}@peer.test")
            common = {"post_id": ours.id, "actor_id": fan.id, "created_at": clock.now()}
            liked = f"https://peer.test/like/{number}"
            await tx.execute(reaction.insert().values(id=number + 1, emoji="", uri=liked, **common))
            shown, uri = ("public" if number % 15 == 0 else "followers"), f"https://peer.test/boost/{number}"
            await tx.execute(boost.insert().values(id=number + 1, audience=shown, uri=uri, **common))
    async with serving(database) as sut:
        likes = await sut.get(f"{ours.uri}/likes", accept=DOCUMENT)
        assert likes.json["totalItems"] == 30
        assert b"fan" not in likes.body
        assert b"/like/" not in likes.body
        assert (await sut.get(f"{ours.uri}/shares", accept=DOCUMENT)).json["totalItems"] == 30
        page = (await sut.get(f"{ours.uri}/shares?page=true", accept=DOCUMENT)).json
    assert page["items"] == ["https://peer.test/boost/15", "https://peer.test/boost/0"]
    assert "next" not in page
