"""Whom a persona blocks gets none of its documents, whatever was given to others before."""

import pytest

from asgi import DOCUMENT, HTML, serving
from makers import make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import blocks
from privapub.database.connect import Database
from privapub.follows import blocking

DOCUMENTS = ("", "/outbox", "/outbox?page=true", "/followers", "/following", "/featured", "/featured-tags")
OF_POST = ("", "/replies", "/context", "/likes", "/shares")


@pytest.mark.parametrize("seen_before", [True, False])
async def test_a_blocked_actor_is_told_that_there_is_nothing(database: Database, seen_before: bool) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        mallory = await make_remote(tx, "mallory@peer.test")
        post = await make_post(tx, alice.id)
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
    assert post.activity_uri
    urls = [alice.actor.uri + path for path in DOCUMENTS] + [post.uri + path for path in OF_POST] + [post.activity_uri]
    async with serving(database) as sut:
        for url in urls:
            if seen_before:
                answer = await sut.get(url, accept=DOCUMENT, by=carol)
                assert answer.status == 200, url
                assert answer.headers["cache-control"].startswith("private"), url
            refused = await sut.get(url, accept=DOCUMENT, by=mallory)
            assert (refused.status, refused.headers["cache-control"]) == (404, "private, no-store"), url
            assert b"alice" not in refused.body
            unsigned = await sut.get(url, accept=DOCUMENT)
            assert unsigned.status == 200, url
            assert "Signature" in unsigned.headers["vary"], url


async def test_it_is_refused_by_whom_it_blocks_and_not_by_whom_it_is_blocked_by(database: Database) -> None:
    async with database.write() as tx:
        alice, mallory = await make_persona(tx), await make_remote(tx, "mallory@peer.test")
        post = await make_post(tx, alice.id, "followers")
        await make_follow(tx, mallory.id, alice.id)
        await blocking.receive_block(tx, mallory.id, alice.id, "https://peer.test/b/1", clock.now())
        assert not await blocks.blocks_anybody(tx, alice.id)
    async with serving(database) as sut:
        # It may learn with which key our answers are signed, and no more.
        assert (await sut.get(alice.actor.uri, accept=DOCUMENT, by=mallory)).status == 200
        assert (await sut.get(post.uri, accept=DOCUMENT, by=mallory)).status == 404


async def test_after_it_was_let_in_again_all_is_as_before(database: Database) -> None:
    async with database.write() as tx:
        alice, mallory = await make_persona(tx), await make_remote(tx, "mallory@peer.test")
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
    async with serving(database) as sut:
        assert (await sut.get(alice.actor.uri, accept=DOCUMENT, by=mallory)).status == 404
        async with database.write() as tx:
            await blocking.unblock(tx, alice.id, mallory.id, clock.now())
        assert (await sut.get(alice.actor.uri, accept=DOCUMENT, by=mallory)).status == 200


async def test_a_blocked_follower_does_not_get_what_is_for_followers(database: Database) -> None:
    async with database.write() as tx:
        alice, mallory = await make_persona(tx), await make_remote(tx, "mallory@peer.test")
        await make_follow(tx, mallory.id, alice.id)
        posts = [await make_post(tx, alice.id, whom, named=[mallory.id]) for whom in ("followers", "direct")]
    async with serving(database) as sut:
        for status in (200, 404):
            for post in posts:
                assert (await sut.get(post.uri, accept=DOCUMENT, by=mallory)).status == status
            async with database.write() as tx:
                await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())


async def test_a_page_for_people_is_not_asked_who_looks(database: Database) -> None:
    async with database.write() as tx:
        alice, mallory = await make_persona(tx), await make_remote(tx, "mallory@peer.test")
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
    async with serving(database) as sut:
        assert (await sut.get("/@alice", accept=HTML)).status == 200
