"""How posts read before they were edited, ours and others'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, delete, select

from privapub.database.transaction import Transaction
from privapub.posts.read import Post
from privapub.posts.tables import poll, post, post_version

MOST = 50  # of one post: of more the oldest are forgotten


@dataclass(frozen=True)
class Version:
    """How a post read from `at` on, until the next one. `options` are the answers of its poll."""

    at: float
    content: str
    summary: str
    sensitive: bool
    tags: Sequence[Mapping[str, Any]]
    attachments: Sequence[Mapping[str, Any]]
    options: Sequence[str] | None


async def keep(tx: Transaction, *which: ColumnElement[bool]) -> None:
    """The post for which this holds is about to read differently: nobody else edits it until the transaction is over.

    Whoever edits it at the same time is waited for, and what it reads then is what is kept.
    """
    row = await tx.first(select(post).where(*which).with_for_update(key_share=True))
    if row is None:
        return
    options = await tx.scalar(select(poll.c.options).where(poll.c.post_id == row.id))
    version = tx.insert(post_version).values(
        post_id=row.id,
        at=row.published_at if row.edited_at is None else row.edited_at,
        content=row.content,
        summary=row.summary,
        sensitive=row.sensitive,
        tags=row.tags,
        attachments=row.attachments,
        options=None if options is None else [option["name"] for option in options],
    )
    await tx.execute(version.on_conflict_do_nothing())
    newest = select(post_version.c.at).where(post_version.c.post_id == row.id).order_by(post_version.c.at.desc())
    too_old = await tx.scalar(newest.offset(MOST).limit(1))
    if too_old is not None:
        await tx.execute(delete(post_version).where(post_version.c.post_id == row.id, post_version.c.at <= too_old))


async def of(tx: Transaction, current: Post) -> list[Version]:
    """All that is known of how a post read, the oldest first; how it reads now is the last."""
    rows = await tx.all(select(post_version).where(post_version.c.post_id == current.id).order_by(post_version.c.at))
    before = [
        Version(row.at, row.content, row.summary, row.sensitive, row.tags, row.attachments, row.options) for row in rows
    ]
    now = Version(
        current.published_at if current.edited_at is None else current.edited_at,
        current.content,
        current.summary,
        current.sensitive,
        current.tags,
        current.attachments,
        None if current.poll is None else [option.name for option in current.poll.options],
    )
    return [*before, now]
