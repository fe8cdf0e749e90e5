"""Accounts made ready to be shown, many at once: a few questions to the database, none for each."""

from collections.abc import Collection, Iterable

from sqlalchemy import func, select

from privapub import clock
from privapub.actors import read as actors
from privapub.actors.read import Actor
from privapub.client_api.shapes.account import Account, Counts, account
from privapub.client_api.shapes.emoji import ours
from privapub.client_api.shapes.pictures import Pictures
from privapub.database.transaction import Transaction
from privapub.emojis.keep import within
from privapub.errors import NotFound
from privapub.follows.read import ACCEPTED
from privapub.follows.tables import follow
from privapub.personas import read as personas
from privapub.posts.read import PUBLIC, UNLISTED
from privapub.posts.tables import post
from privapub.server import Server


async def pictures_of(tx: Transaction, server: Server) -> Pictures:
    """Where pictures are shown from."""
    return Pictures(server.base_url, server.media_base_url, await server.proxy.urls(tx))


async def by_ids(tx: Transaction, server: Server, actor_ids: Collection[int]) -> dict[int, Account]:
    """Those of these actors that there are, as everybody sees them, by number."""
    return await shown(tx, server, list((await actors.by_ids(tx, actor_ids)).values()))


async def one(tx: Transaction, server: Server, actor_id: int) -> Account:
    """This actor; NotFound where there is none."""
    found = await by_ids(tx, server, [actor_id])
    if actor_id not in found:
        raise NotFound
    return found[actor_id]


async def in_order(tx: Transaction, server: Server, some: Iterable[Actor]) -> list[Account]:
    """These actors, in their order."""
    listed = list(some)
    found = await shown(tx, server, listed)
    return [found[each.id] for each in listed]


async def shown(tx: Transaction, server: Server, some: Collection[Actor]) -> dict[int, Account]:
    """These actors by number; where one has moved to an actor that is known, that one within it."""
    if not some:
        return {}
    pictures = await pictures_of(tx, server)
    there = await actors.by_uris(tx, {each.moved_to for each in some if each.moved_to})
    every = {each.id: each for each in (*some, *there.values())}
    counted = await _counts(tx, every)
    of_ours = {each.id: each for each in await personas.by_ids(tx, [each.id for each in every.values() if each.local])}
    named = await within(tx, [f"{each.name} {each.summary}" for each in every.values() if each.local])

    def made(each: Actor, moved: Account | None = None) -> Account:
        text = f"{each.name} {each.summary}"
        emojis = [ours(emoji, pictures) for emoji in named if each.local and f":{emoji.shortcode}:" in text]
        persona = of_ours.get(each.id)
        return account(each, counted[each.id], pictures, persona=persona, emojis=emojis, moved=moved)

    return {
        each.id: made(each, made(there[each.moved_to]) if each.moved_to and each.moved_to in there else None)
        for each in some
    }


async def _counts(tx: Transaction, actor_ids: Collection[int]) -> dict[int, Counts]:
    which = sorted(actor_ids)
    accepted = follow.c.state == ACCEPTED
    followers = await tx.all(
        select(follow.c.followed_id, func.count().label("times"))
        .where(follow.c.followed_id.in_(which), accepted)
        .group_by(follow.c.followed_id)
    )
    following = await tx.all(
        select(follow.c.follower_id, func.count().label("times"))
        .where(follow.c.follower_id.in_(which), accepted)
        .group_by(follow.c.follower_id)
    )
    wrote = await tx.all(
        select(post.c.author_id, func.count().label("times"), func.max(post.c.published_at).label("last"))
        .where(post.c.author_id.in_(which), post.c.audience.in_([PUBLIC, UNLISTED]), post.c.deleted_at.is_(None))
        .group_by(post.c.author_id)
    )
    by = {row.followed_id: row.times for row in followers}
    of = {row.follower_id: row.times for row in following}
    posts = {row.author_id: row for row in wrote}
    return {
        each: Counts(
            by.get(each, 0),
            of.get(each, 0),
            posts[each].times if each in posts else 0,
            clock.iso_day(posts[each].last) if each in posts else None,
        )
        for each in which
    }
