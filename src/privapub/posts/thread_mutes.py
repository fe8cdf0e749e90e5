"""Threads of which a persona does not want to be told. They are its own, and known to nobody else.

A thread is known by the uri of its first post, as far as that is known here when it is muted. What stands below that
post belongs to it, also where it turns out later that the post answers another.
"""

from collections.abc import Collection

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, delete, exists, or_, select

from privapub.database.transaction import Transaction
from privapub.posts import audience as audiences
from privapub.posts import threads
from privapub.posts.tables import post, thread_mute

MOST = 10_000  # of one persona: beyond it the oldest are forgotten
_c = post.c


async def mute(tx: Transaction, persona_id: int, post_id: int, now: float) -> None:
    """A persona is not told of this post's thread any more. Raises NotFound where it may see no such post."""
    found = await audiences.seen(tx, post_id, persona_id)
    row = tx.insert(thread_mute).values(persona_id=persona_id, root=await threads.root_of(tx, found), at=now)
    await tx.execute(row.on_conflict_do_nothing())
    newest = select(thread_mute.c.at).where(thread_mute.c.persona_id == persona_id).order_by(thread_mute.c.at.desc())
    too_old = await tx.scalar(newest.offset(MOST).limit(1))
    if too_old is not None:
        mine = thread_mute.c.persona_id == persona_id
        await tx.execute(delete(thread_mute).where(mine, thread_mute.c.at <= too_old))


async def unmute(tx: Transaction, persona_id: int, post_id: int) -> bool:
    """It is told again, of a post too that it may not see any more; False where it did not mute the thread."""
    muted = await tx.all(MUTED, persona=persona_id, posts=[post_id])
    roots = [row.root for row in muted]
    mine = thread_mute.c.persona_id == persona_id
    return bool((await tx.execute(delete(thread_mute).where(mine, thread_mute.c.root.in_(roots)))).rowcount)


async def muted_among(tx: Transaction, persona_id: int, post_ids: Collection[int]) -> frozenset[int]:
    """Those of these posts whose threads a persona muted, in one question."""
    if not post_ids:
        return frozenset()
    rows = await tx.all(MUTED, persona=persona_id, posts=sorted(set(post_ids)))
    return frozenset(row.post_id for row in rows)


def _muted() -> Select[tuple[int, str]]:
    up = (
        select(_c.id.label("post_id"), _c.uri, _c.in_reply_to, _c.in_reply_to_id)
        .where(_c.id.in_(bindparam("posts", type_=BigInteger, expanding=True)), _any())
        .cte("up", recursive=True)
    )
    above = select(up.c.post_id, _c.uri, _c.in_reply_to, _c.in_reply_to_id).where(_c.id == up.c.in_reply_to_id)
    up = up.union(above)
    mine = thread_mute.c.persona_id == bindparam("persona", type_=BigInteger)
    of_chain = or_(thread_mute.c.root == up.c.uri, thread_mute.c.root == up.c.in_reply_to)
    return select(up.c.post_id, thread_mute.c.root).where(mine, of_chain).distinct()


def _any() -> ColumnElement[bool]:
    """Whether the persona muted any thread: mostly it did not, and nothing need be looked at."""
    this = thread_mute.alias()
    return exists().where(this.c.persona_id == bindparam("persona", type_=BigInteger)).correlate_except(this)


# The posts among `posts` whose threads the persona muted, and by which root.
MUTED = _muted()
