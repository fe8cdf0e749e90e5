"""Answers, threads, likes and boosts of our posts, as other servers read them."""

from typing import Any

import pytest

from asgi import DOCUMENT, Application, serving
from makers import ADDRESSES, make_follow, make_persona, make_post, make_remote
from privapub import clock, identifiers
from privapub.actors.read import Actor
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.posts import read as posts
from privapub.posts.delete import delete
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive
from privapub.posts.tables import boost, reaction


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
        for number in range(3):
            fan = await make_remote(tx, f"fan{number}@peer.test")
            common = {"post_id": ours.id, "actor_id": fan.id, "created_at": clock.now()}
            liked = f"https://peer.test/like/{number}"
            await tx.execute(reaction.insert().values(id=number + 1, emoji="", uri=liked, **common))
            audience, uri = ("followers" if number == 1 else "public"), f"https://peer.test/boost/{number}"
            await tx.execute(boost.insert().values(id=number + 1, audience=audience, uri=uri, **common))
    async with serving(database) as sut:
        likes = await sut.get(f"{ours.uri}/likes", accept=DOCUMENT)
        assert likes.json["totalItems"] == 3
        assert b"fan" not in likes.body
        assert b"/like/" not in likes.body
        assert (await sut.get(f"{ours.uri}/shares", accept=DOCUMENT)).json["totalItems"] == 3
        assert await listed(sut, f"{ours.uri}/shares") == ["https://peer.test/boost/2", "https://peer.test/boost/0"]
