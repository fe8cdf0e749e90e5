"""Stamps: the word of our personas that somebody may quote a post of theirs (FEP-044f, QuoteAuthorization)."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update

from privapub import identifiers
from privapub.actors import read as actors
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.follows import read as follows
from privapub.jobs.enqueue import put_fact
from privapub.posts import audience, read
from privapub.posts.facts import QuoteAnswered, StampRevoked
from privapub.posts.read import Post
from privapub.posts.tables import post, quote_stamp


@dataclass(frozen=True)
class Stamp:
    """One row of `quote_stamp`: `quoting`, by `actor_uri`, may quote the post `post_id`, unless that was revoked."""

    token: str
    post_id: int
    quoting: str
    actor_uri: str
    at: float
    revoked_at: float | None


async def by_token(tx: Transaction, token: str) -> Stamp | None:
    """The stamp with this word in its address."""
    return _stamp(await tx.first(select(quote_stamp).where(quote_stamp.c.token == token)))


async def of_quote(tx: Transaction, post_id: int, quoting: str) -> Stamp | None:
    """What was given for this quote of this post."""
    return _stamp(
        await tx.first(select(quote_stamp).where(quote_stamp.c.post_id == post_id, quote_stamp.c.quoting == quoting))
    )


async def answer(tx: Transaction, quoted_id: int, asker_id: int, quoting: str, request: str, now: float) -> bool:
    """Somebody elsewhere asks to quote a post of ours: whether they may. Fact QuoteAnswered; each question has its own.

    `request` is the id of their QuoteRequest. Raises NotFound where there is no such post that they may see.
    """
    quoted = await read.by_id(tx, quoted_id)
    if quoted is None or not quoted.local or not await audience.may_see_now(tx, quoted, asker_id):
        raise NotFound("There is no such post.")
    token = await give(tx, quoted, asker_id, quoting, now)
    await put_fact(tx, QuoteAnswered(quoted_id, asker_id, quoting, request, token), about=f"quotes {quoted_id}")
    return token is not None


async def give(tx: Transaction, quoted: Post, asker_id: int, quoting: str, now: float) -> str | None:
    """The token of the stamp for this quote, made where there is none yet; None where it is not allowed.

    Only what is for everybody is quoted by others, and by whom the post's policy means; whoever a block parts from the
    author sees no post to quote. A stamp that was revoked is not given again.
    """
    asker = await actors.by_id(tx, asker_id)
    if asker is None or quoted.audience not in audience.OPEN:
        return None
    if not await audience.may_see_now(tx, quoted, asker_id) or not await _meant(tx, quoted, asker_id):
        return None
    made = tx.insert(quote_stamp).values(
        token=identifiers.token(), post_id=quoted.id, quoting=quoting, actor_uri=asker.uri, at=now
    )
    await tx.execute(made.on_conflict_do_nothing(index_elements=[quote_stamp.c.post_id, quote_stamp.c.quoting]))
    stamp = await of_quote(tx, quoted.id, quoting)
    if stamp is None or stamp.revoked_at is not None or stamp.actor_uri != asker.uri:
        return None
    return stamp.token


async def revoke(tx: Transaction, post_id: int, author_id: int, quoting: str, now: float) -> bool:
    """A persona takes its yes to this quote back: fact StampRevoked, once. False where it stood no more.

    Raises NotFound where there is no such post of this author, or no yes was ever given.
    """
    known = await read.own(tx, post_id, author_id, gone=True)
    stamp = await of_quote(tx, post_id, quoting)
    if stamp is None:
        raise NotFound("There is no such quote.", "A quote is named by the whole address of the post that quotes.")
    gone = await tx.execute(
        update(quote_stamp)
        .where(quote_stamp.c.token == stamp.token, quote_stamp.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
    if not gone.rowcount:
        return False
    await tx.execute(
        update(post).where(post.c.uri == quoting, post.c.quote == known.uri).values(quote_state="rejected")
    )
    await put_fact(tx, StampRevoked(stamp.token), about=f"quotes {post_id}")
    return True


async def _meant(tx: Transaction, quoted: Post, asker_id: int) -> bool:
    if quoted.author_id == asker_id or quoted.quote_policy == "public":
        return True
    if quoted.quote_policy != "followers":
        return False
    return quoted.author_id in await follows.followed_among(tx, asker_id, [quoted.author_id])


def _stamp(row: Any) -> Stamp | None:
    return None if row is None else Stamp(*row)
