"""Boosts: somebody passes a post on to their own followers. A state between the two, not a history of messages.

    (none) --boost, receive--> there --withdraw, undo--> (none)

A boost shows the post to nobody who may not see it: that is asked of the post whenever it is read.
"""

from sqlalchemy import ColumnElement, delete

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.jobs.enqueue import put_fact
from privapub.posts import audience as audiences
from privapub.posts import boost_read, read, text_index
from privapub.posts.facts import BoostWithdrawn, PostBoosted
from privapub.posts.read import FOLLOWERS, PUBLIC, UNLISTED, Post
from privapub.posts.tables import boost as table

CHOICES = (PUBLIC, UNLISTED, FOLLOWERS)


def may_boost(post: Post, actor_id: int) -> bool:
    """Whether this post may be passed on by somebody who may see it (pure).

    What is for everybody, by anybody; what is for its author's followers, by its author; anything else by nobody.
    """
    return post.audience in audiences.OPEN or (post.audience == FOLLOWERS and post.author_id == actor_id)


async def boost(
    tx: Transaction, actor_id: int, post_id: int, uri: str, now: float, *, audience: str | None = None
) -> int:
    """A persona boosts a post; the boost's number, fact PostBoosted. One that it boosted already stays as it is.

    `uri` is a fresh id for the Announce. `audience` is that of the boost: as the post's where it is not given, and
    always where the post is for followers. Raises NotFound where the persona may see no such post, NotAllowed where it
    may not be passed on, InvalidInput for an audience that a boost cannot have.
    """
    post = await audiences.seen(tx, post_id, actor_id)
    if not may_boost(post, actor_id):
        raise NotAllowed("This post is not meant for everybody: it cannot be boosted.")
    if audience is None or post.audience == FOLLOWERS:
        audience = post.audience
    if audience not in CHOICES:
        raise InvalidInput(f"A boost cannot be for “{audience[:40]}”.", f"Use {', '.join(CHOICES)}.")
    made = await _insert(tx, actor_id, post_id, audience, uri, now, now)
    if made is None:
        standing = await boost_read.between(tx, actor_id, post_id)
        if standing is None:
            raise NotFound("The boost ended while it was made.")
        return standing.id
    await text_index.keep(tx, post_id)
    await put_fact(tx, PostBoosted(made), about=_pair(actor_id, post_id))
    return made


async def withdraw(tx: Transaction, actor_id: int, post_id: int, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """A persona takes a boost back; fact BoostWithdrawn. False where there is none."""
    return await _end(tx, table.c.actor_id == actor_id, table.c.post_id == post_id)


async def receive(
    tx: Transaction, actor_id: int, post_id: int, audience: str, uri: str, boosted_at: float | None, now: float
) -> bool:
    """Somebody elsewhere boosts a post by the Announce `uri`; fact PostBoosted where that is new.

    Who boosted it already is held by the later of the two ids from now on. `boosted_at` is when they say that they did.
    False where it may not be passed on by them (for a post that is not for everybody), or the id is another's.
    """
    post = await read.held(tx, post_id)
    if post is None or post.deleted_at is not None or not may_boost(post, actor_id):
        return False
    at = now if boosted_at is None else min(max(boosted_at, 0.0), now)
    made = await _insert(tx, actor_id, post_id, audience, uri, at, now)
    if made is not None:
        await put_fact(tx, PostBoosted(made), about=_pair(actor_id, post_id))
        return True
    return await _again(tx, actor_id, post_id, uri, at)


async def undo(tx: Transaction, actor_id: int, *, uri: str | None, post_id: int | None = None) -> bool:
    """Somebody elsewhere takes a boost back, named by the id of the Announce, or by the post where it has none.

    By its id alone where it has one: who boosts again, with another id, has not taken that back. Fact BoostWithdrawn.
    False where there is nothing of theirs to take back.
    """
    if not uri and post_id is None:
        return False
    which = table.c.uri == uri if uri else table.c.post_id == post_id
    return await _end(tx, table.c.actor_id == actor_id, which)


async def _end(tx: Transaction, *which: ColumnElement[bool]) -> bool:
    row = await tx.first(delete(table).where(*which).returning(*table.c))
    if row is None:
        return False
    gone = boost_read.from_row(row)
    told = BoostWithdrawn(gone.actor_id, gone.post_id, gone.audience, gone.uri, gone.created_at)
    await put_fact(tx, told, about=_pair(gone.actor_id, gone.post_id))
    return True


async def _again(tx: Transaction, actor_id: int, post_id: int, uri: str, at: float) -> bool:
    known = await boost_read.by_uri(tx, uri)
    if known is not None:
        return (known.actor_id, known.post_id) == (actor_id, post_id)
    later = table.update().where(table.c.actor_id == actor_id, table.c.post_id == post_id, table.c.created_at <= at)
    await tx.execute(later.values(uri=uri, created_at=at))
    return await boost_read.between(tx, actor_id, post_id) is not None


async def _insert(
    tx: Transaction, actor_id: int, post_id: int, audience: str, uri: str, at: float, now: float
) -> int | None:
    """The new boost's number; None where they boosted it already or the id is in use."""
    # Most servers tell whole seconds: the rest is drawn, or the numbers of one second would be few.
    moment = min(at + identifiers.uniform(0, 0.999), now) if at.is_integer() and at < now else at
    insert = tx.insert(table).values(
        id=identifiers.sortable(moment),
        post_id=post_id,
        actor_id=actor_id,
        audience=audience,
        uri=uri,
        created_at=at,
    )
    made: int | None = await tx.scalar(insert.on_conflict_do_nothing().returning(table.c.id))
    return made


def _pair(actor_id: int, post_id: int) -> str:
    return f"boost {actor_id} {post_id}"
