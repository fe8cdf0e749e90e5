"""PostgreSQL is away for a while: nothing is lost, no process ends, and the work goes on by itself."""

import asyncio
import os
from pathlib import Path

import aiohttp
import pytest
from sqlalchemy import func, select

from fakes import postgresql
from journeys.test_killed import FOLLOWERS, PEERS, Place, a_place, write_here, write_to
from privapub.federation.delivery.tables import sent
from privapub.federation.inbox.tables import incoming
from privapub.posts.tables import post

AWAY = float(os.environ.get("PRIVAPUB_TEST_AWAY", "3"))  # seconds


async def handled(place: Place) -> bool:
    """Whether all that was acknowledged and written has reached its end."""
    async with place.database.read() as tx:
        waiting = await tx.scalar(select(func.count()).select_from(incoming).where(incoming.c.handled_at.is_(None)))
        kept = {row.uri for row in await tx.all(select(post.c.uri).where(post.c.local.is_(False)))}
        rows = await tx.all(select(sent.c.post_id).where(sent.c.outcome == "taken"))
    delivered = {row.post_id for row in rows}
    enough = len(rows) == len(place.written) * PEERS * FOLLOWERS
    return waiting == 0 and place.acknowledged <= kept and place.written <= delivered and enough


@pytest.mark.hangs_after(240)
@pytest.mark.parametrize("commands", [(("serve",),), (("web",), ("work",))])
async def test_what_runs_survives_that_its_database_is_away(
    postgresql_url: str, tmp_path: Path, commands: tuple[tuple[str, ...], ...]
) -> None:
    async with postgresql.durable(postgresql_url), a_place(postgresql_url, tmp_path) as place:
        trees = [place.tree(*words) for words in commands]
        for tree in trees:
            await tree.start()
        children = [tree.child for tree in trees]
        async with aiohttp.ClientSession() as session:
            for sender in place.senders[:3]:
                await write_to(place, session, sender)
                await write_here(place)
            before = len(place.acknowledged)
            await place.database.close()
            await postgresql.stop(postgresql_url)
            try:
                async with session.get(f"http://127.0.0.1:{place.port}/inbox") as answer:
                    assert answer.status == 405, "what needs no database is answered"
                async with session.get(place.alice_uri) as answer:
                    assert (answer.status, answer.headers.get("Retry-After")) == (503, "300")
                for sender in place.senders[:3]:
                    await write_to(place, session, sender)
                assert len(place.acknowledged) == before, "nothing is acknowledged that cannot be kept"
                await asyncio.sleep(AWAY)
            finally:
                await postgresql.start(postgresql_url)
            for sender in place.senders[:3]:
                await write_to(place, session, sender)
            await write_here(place)
        assert len(place.acknowledged) == before + 3
        async with asyncio.timeout(120):
            while not await handled(place):  # noqa: ASYNC110 - it is the database that is looked at
                await asyncio.sleep(0.2)
        for tree, child in zip(trees, children, strict=True):
            assert tree.parent.is_alive()
            os.kill(child, 0)
            assert not tree.heard.poll(), "no child was started anew"
            await tree.stop()
