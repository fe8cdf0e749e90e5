"""Which hashtags somebody writes, of what everybody may see."""

from collections.abc import Collection

from sqlalchemy import func, select

from privapub.database.transaction import Transaction
from privapub.posts.read import PUBLIC, UNLISTED
from privapub.posts.tables import post, post_tag

RECENT = 200  # posts


async def used(tx: Transaction, author_id: int, tags: Collection[str]) -> dict[str, tuple[int, float]]:
    """How often an author wrote each of these tags (keys) that it wrote at all, and when last."""
    if not tags:
        return {}
    counted = (
        select(post_tag.c.tag, func.count().label("times"), func.max(post.c.published_at).label("last"))
        .join(post, post.c.id == post_tag.c.post_id)
        .where(
            post.c.author_id == author_id,
            post.c.audience.in_([PUBLIC, UNLISTED]),
            post.c.deleted_at.is_(None),
            post_tag.c.tag.in_(sorted(set(tags))),
        )
        .group_by(post_tag.c.tag)
    )
    return {row.tag: (row.times, row.last) for row in await tx.all(counted)}


async def often(tx: Transaction, author_id: int, limit: int) -> list[str]:
    """The tags (keys) that an author wrote most often lately."""
    lately = (
        select(post.c.id)
        .where(post.c.author_id == author_id, post.c.audience.in_([PUBLIC, UNLISTED]), post.c.deleted_at.is_(None))
        .order_by(post.c.id.desc())
        .limit(RECENT)
    )
    counted = select(post_tag.c.tag).where(post_tag.c.post_id.in_(lately)).group_by(post_tag.c.tag)
    return [row.tag for row in await tx.all(counted.order_by(func.count().desc(), post_tag.c.tag).limit(limit))]
