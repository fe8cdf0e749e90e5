"""Who sees what, in one world with every tie to authors of every standing, against a plain reading of the words."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, select, update

from makers import make_follow, make_persona, make_post, make_remote
from privapub.actors.tables import actor, block
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.follows.tables import follow
from privapub.posts import audience
from privapub.posts.read import Post
from privapub.posts.tables import post as post_table
from privapub.posts.tables import post_recipient

STANDINGS = {"ann": "open", "dan@d.test": "open", "loud@loud.test": "limited", "bad@bad.test": "blocked"}
VIEWERS = ("follower", "waiting", "named", "blocking", "blocked", "stranger")
PARTED = ("blocking", "blocked")
AUDIENCES = ("public", "unlisted", "followers", "direct", "gone")


async def make_world(tx: Transaction) -> tuple[dict[str | None, int | None], dict[tuple[str, str], Post]]:
    """The numbers of all, and what each author wrote for each audience."""
    ids = {name: (await make_persona(tx, name, locked=True)).id for name in ("ann", *VIEWERS)}
    ids |= {name: (await make_remote(tx, name)).id for name in STANDINGS if "@" in name}
    posts = {}
    for author, standing in STANDINGS.items():
        for whom in AUDIENCES:
            named = [ids[name] for name in ("named", *PARTED)] if whom == "direct" else ()
            posts[author, whom] = await make_post(tx, ids[author], "public" if whom == "gone" else whom, named=named)
        for name in ("follower", "waiting", *PARTED):
            await make_follow(tx, ids[name], ids[author], "pending" if name == "waiting" else "accepted")
        for one, other in ((ids["blocking"], ids[author]), (ids[author], ids["blocked"])):
            row = {"blocker_id": one, "blocked_id": other, "uri": f"b{one}-{other}", "created_at": 0.0}
            await tx.execute(insert(block).values(row))
        await tx.execute(update(actor).where(actor.c.id == ids[author]).values(standing=standing))
        gone = posts[author, "gone"] = replace(posts[author, "gone"], deleted_at=1.0)
        await tx.execute(update(post_table).where(post_table.c.id == gone.id).values(deleted_at=1.0))
    # To follow somebody else is no tie to these.
    await make_follow(tx, ids["stranger"], (await make_remote(tx, "other@other.test")).id)
    return {None: None, **ids}, posts


def sees(author: str, whom: str, viewer: str | None) -> bool:
    if whom == "gone" or STANDINGS[author] == "blocked" or viewer in PARTED:
        return False
    if whom == "direct":
        return viewer in {author, "named"}
    return whom in {"public", "unlisted"} or viewer in {author, "follower"}


async def test_each_way_to_ask_says_of_every_tie_what_the_words_say(database: Database) -> None:
    async with database.write() as tx:
        ids, posts = await make_world(tx)
        backwards = list(posts.values())[::-1]
        for viewer in (None, "ann", *VIEWERS):
            seen = {post.id: sees(*key, viewer) for key, post in posts.items()}
            found = await audience.visible_to(tx, backwards, ids[viewer])
            assert [post.id for post in found] == [post.id for post in backwards if seen[post.id]], viewer
            for post in backwards:
                assert await audience.may_see_now(tx, post, ids[viewer]) is seen[post.id]
            # What comes from a limited server is offered to its followers alone.
            offered = {
                post.id
                for (author, _), post in posts.items()
                if seen[post.id] and (STANDINGS[author] != "limited" or viewer == "follower")
            }
            rows = await tx.all(select(post_table.c.id).where(audience.seen_by(ids[viewer])))
            assert {row.id for row in rows} == offered, viewer
            # A larger question may have the same tables in it.
            joined = (
                select(post_table.c.id)
                .outerjoin(post_recipient, post_recipient.c.post_id == post_table.c.id)
                .outerjoin(follow, follow.c.followed_id == post_table.c.author_id)
                .where(audience.seen_by(ids[viewer]))
            )
            assert {row.id for row in await tx.all(joined)} == offered, viewer


async def test_a_post_goes_to_nobody_whom_a_block_parts_from_its_author(database: Database) -> None:
    async with database.write() as tx:
        ids, posts = await make_world(tx)
        direct = await audience.recipients(tx, posts["ann", "direct"])
        assert (direct.followers, direct.actor_ids) == (False, (ids["named"],))


async def test_what_is_not_seen_is_not_there(database: Database) -> None:
    async with database.write() as tx:
        ids, posts = await make_world(tx)
        stranger, named = ids["stranger"], ids["named"]
        assert stranger is not None
        assert named is not None
        direct = posts["dan@d.test", "direct"]
        assert (await audience.seen(tx, direct.id, named)).id == direct.id
        for unseen in (direct.id, 1):
            with pytest.raises(NotFound) as refused:
                await audience.seen(tx, unseen, stranger)
            assert str(refused.value) == "There is no such post."
