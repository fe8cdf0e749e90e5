"""Hashtags that a persona follows: their public posts come into its home timeline. Nobody is told."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, func, select

from privapub import identifiers
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.markup.hashtags import is_hashtag, tag_key
from privapub.timelines.tables import followed_tag

MOST = 1000  # of one persona


@dataclass(frozen=True)
class FollowedTag:
    """A hashtag that is followed: its key, and its name as it was written, without its sign."""

    id: int
    tag: str
    name: str


async def follow(tx: Transaction, persona_id: int, name: str, now: float) -> bool:
    """Follow a hashtag; False where it was followed already. Raises InvalidInput for what is none, and very many."""
    if not is_hashtag(name):
        raise InvalidInput(f"#{name[:40]} is no hashtag.", "A hashtag is one word with a letter in it.")
    number = await tx.scalar(
        select(func.count()).select_from(followed_tag).where(followed_tag.c.persona_id == persona_id)
    )
    if number >= MOST:
        raise InvalidInput(f"A persona follows up to {MOST} hashtags.", "Follow one of them no more first.")
    row = tx.insert(followed_tag).values(
        persona_id=persona_id, tag=tag_key(name), name=name, id=identifiers.sortable(now)
    )
    added = await tx.execute(row.on_conflict_do_nothing(index_elements=[followed_tag.c.persona_id, followed_tag.c.tag]))
    return bool(added.rowcount)


async def unfollow(tx: Transaction, persona_id: int, name: str) -> bool:
    """Follow it no more; False where it was not followed."""
    gone = await tx.execute(
        delete(followed_tag).where(followed_tag.c.persona_id == persona_id, followed_tag.c.tag == tag_key(name))
    )
    return bool(gone.rowcount)


async def of(tx: Transaction, persona_id: int, window: Window) -> Page[FollowedTag]:
    """What a persona follows, the last first."""
    statement = select(followed_tag.c.id, followed_tag.c.tag, followed_tag.c.name).where(
        followed_tag.c.persona_id == persona_id
    )
    rows = await tx.all(window.of(statement, followed_tag.c.id))
    return page_of(window, [FollowedTag(row.id, row.tag, row.name) for row in rows], lambda one: one.id)


async def among(tx: Transaction, persona_id: int, tags: Collection[str]) -> frozenset[str]:
    """Those of these tags (their keys) that the persona follows, in one question."""
    if not tags:
        return frozenset()
    rows = await tx.all(
        select(followed_tag.c.tag).where(
            followed_tag.c.persona_id == persona_id, followed_tag.c.tag.in_(sorted(set(tags)))
        )
    )
    return frozenset(row.tag for row in rows)
