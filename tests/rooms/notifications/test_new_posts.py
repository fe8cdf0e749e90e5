"""Whoever wants to hear of each post of somebody is told of it."""

from makers import make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.database.connect import Database
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import follow
from privapub.notifications import notify, read
from privapub.posts import audience
from privapub.posts.read import Post


async def told(tx: Transaction, persona_id: int) -> list[int | None]:
    page = await read.of(tx, persona_id, Window(), clock.now(), kinds=[notify.STATUS])
    return [each.post and each.post.id for each in page.items]


async def tell(tx: Transaction, post: Post) -> None:
    await notify.of_new(tx, post, clock.now(), await audience.recipients(tx, post))


async def test_who_asked_is_told_once_and_nobody_else(database: Database) -> None:
    async with database.write() as tx:
        alice, bob, carol = await make_persona(tx), await make_persona(tx, "bob"), await make_remote(tx)
        for each in (alice, bob):
            await make_follow(tx, each.id, carol.id)
        await follow.prefer(tx, alice.id, carol.id, notify=True)
        post = await make_post(tx, carol.id, "followers")
        await tell(tx, post)
        await tell(tx, post)
        assert await told(tx, alice.id) == [post.id]
        assert await told(tx, bob.id) == []


async def test_what_names_or_does_not_reach_somebody_is_not_told_so(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        await make_follow(tx, alice.id, carol.id)
        await follow.prefer(tx, alice.id, carol.id, notify=True)
        await tell(tx, await make_post(tx, carol.id, named=[alice.id]))
        await tell(tx, await make_post(tx, carol.id, "direct"))
        assert await told(tx, alice.id) == []
        await follow.prefer(tx, alice.id, carol.id, notify=False)
        await tell(tx, await make_post(tx, carol.id))
        assert await told(tx, alice.id) == []
