"""Hashtags that an actor shows in its profile, ours and others': the collection `featuredTags` (Mastodon)."""

from dataclasses import dataclass

from sqlalchemy import delete, func, select

from privapub.actors.facts import TagFeatured
from privapub.actors.tables import featured_tag
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.jobs.enqueue import put_fact
from privapub.markup.hashtags import is_hashtag, tag_key

MOST = 10  # of one actor, as on Mastodon


@dataclass(frozen=True)
class FeaturedTag:
    """A hashtag in somebody's profile: its key, and its name as they write it, without its sign."""

    tag: str
    name: str


async def feature(tx: Transaction, persona_id: int, name: str, now: float) -> bool:
    """A persona shows a hashtag (with its sign or without); fact TagFeatured, and True where it did not yet.

    Raises InvalidInput for what is no hashtag, and for more than ten.
    """
    name = name.removeprefix("#")
    if not is_hashtag(name):
        raise InvalidInput(f"#{name[:40]} is no hashtag.", "A hashtag is one word with a letter in it.")
    if await _count(tx, persona_id, tag_key(name)) >= MOST:
        raise InvalidInput(f"{MOST} hashtags are shown already.", "Take one of them off first.")
    if not await _add(tx, persona_id, name, now):
        return False
    await put_fact(tx, TagFeatured(persona_id, name, shown=True), about=f"featured tags {persona_id}")
    return True


async def unfeature(tx: Transaction, persona_id: int, name: str, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona shows a hashtag no more; fact TagFeatured, and True where it did."""
    name = name.removeprefix("#")
    if not await _take_off(tx, persona_id, name):
        return False
    await put_fact(tx, TagFeatured(persona_id, name, shown=False), about=f"featured tags {persona_id}")
    return True


async def featured_elsewhere(tx: Transaction, actor_id: int, name: str, now: float) -> bool:
    """A remote actor shows a hashtag; False for what is none, or one too many."""
    name = name.removeprefix("#")
    if not is_hashtag(name) or await _count(tx, actor_id, tag_key(name)) >= MOST:
        return False
    await _add(tx, actor_id, name, now)
    return True


async def unfeatured_elsewhere(tx: Transaction, actor_id: int, name: str) -> bool:
    """A remote actor shows a hashtag no more; False where it did not."""
    return await _take_off(tx, actor_id, name.removeprefix("#"))


async def of_actor(tx: Transaction, actor_id: int) -> list[FeaturedTag]:
    """What an actor shows, in the order in which it came there."""
    rows = await tx.all(
        select(featured_tag).where(featured_tag.c.actor_id == actor_id).order_by(featured_tag.c.at, featured_tag.c.tag)
    )
    return [FeaturedTag(row.tag, row.name) for row in rows]


async def _count(tx: Transaction, actor_id: int, but: str) -> int:
    number: int = await tx.scalar(
        select(func.count())
        .select_from(featured_tag)
        .where(featured_tag.c.actor_id == actor_id, featured_tag.c.tag != but)
    )
    return number


async def _add(tx: Transaction, actor_id: int, name: str, now: float) -> bool:
    added = await tx.execute(
        tx.insert(featured_tag)
        .values(actor_id=actor_id, tag=tag_key(name), name=name, at=now)
        .on_conflict_do_nothing(index_elements=[featured_tag.c.actor_id, featured_tag.c.tag])
    )
    return bool(added.rowcount)


async def _take_off(tx: Transaction, actor_id: int, name: str) -> bool:
    gone = await tx.execute(
        delete(featured_tag).where(featured_tag.c.actor_id == actor_id, featured_tag.c.tag == tag_key(name))
    )
    return bool(gone.rowcount)
