"""Searching posts: those that a persona wrote, that name it or that it keeps, and those of who wants to be found."""

from sqlalchemy import ColumnElement, and_, exists, or_, select

from privapub.actors import mutes
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.markup.hashtags import tag_key
from privapub.posts import audience, read, text_index
from privapub.posts.read import PUBLIC, Post
from privapub.posts.tables import bookmark, boost, post, post_recipient, post_tag, reaction

# Of so many newest posts that have the words: who looks for a word that is in many finds the newest.
MOST = 10_000


async def posts(
    tx: Transaction,
    reader_id: int,
    query: str,
    now: float,
    *,
    author_id: int | None = None,
    before: int | None = None,
    after: int | None = None,
    limit: int = 20,
    offset: int = 0,
) -> list[Post]:
    """The posts that have all words of the query, newest first: older than `before`, newer than `after`.

    Of those that the reader may see: its own, those that name it or that it likes, boosts or bookmarks, and public ones
    by who wants to be found (`indexable`). Nothing of whom it mutes.
    """
    found = text_index.found(tx.dialect, query, MOST)
    if found is None:
        return []
    statement = select(post).where(
        post.c.id.in_(select(found.subquery().c.post_id)),
        audience.seen_by(reader_id),
        or_(post.c.author_id == reader_id, _keeps(reader_id), and_(post.c.audience == PUBLIC, _indexable())),
        ~mutes.muted(reader_id, post.c.author_id, now),
    )
    if author_id is not None:
        statement = statement.where(post.c.author_id == author_id)
    if before is not None:
        statement = statement.where(post.c.id < before)
    if after is not None:
        statement = statement.where(post.c.id > after)
    rows = await tx.all(statement.order_by(post.c.id.desc()).limit(limit).offset(offset))
    some = await read.with_polls(tx, [read.from_row(row) for row in rows])
    return await audience.visible_to(tx, some, reader_id)


async def tags(tx: Transaction, query: str, *, limit: int = 20, offset: int = 0) -> list[str]:
    """Hashtags (keys) of public posts that begin so, in the order of their letters; that very one first."""
    key = tag_key(query.strip().lstrip("#\uff03"))
    if not key or len(key) > 200:
        return []
    public = exists().where(post.c.id == post_tag.c.post_id, post.c.audience == PUBLIC).correlate(post_tag)
    # Each database has an index for its own way to say how something begins.
    begins: tuple[ColumnElement[bool], ...] = (post_tag.c.tag.startswith(key, autoescape=True),)
    if tx.dialect == "sqlite":
        begins = post_tag.c.tag >= key, post_tag.c.tag < key + "\U0010ffff"
    statement = select(post_tag.c.tag).where(*begins, public).group_by(post_tag.c.tag).order_by(post_tag.c.tag)
    return [row.tag for row in await tx.all(statement.limit(limit).offset(offset))]


def _keeps(reader_id: int) -> ColumnElement[bool]:
    """Whether a post names the reader, or the reader likes, boosts or bookmarks it."""
    return or_(
        *(
            exists().where(table.c.post_id == post.c.id, who == reader_id).correlate_except(table)
            for table, who in (
                (post_recipient, post_recipient.c.actor_id),
                (reaction, reaction.c.actor_id),
                (boost, boost.c.actor_id),
                (bookmark, bookmark.c.persona_id),
            )
        )
    )


def _indexable() -> ColumnElement[bool]:
    return exists().where(actor.c.id == post.c.author_id, actor.c.indexable).correlate_except(actor)
