"""Quoting with consent (FEP-044f): what a post quotes is shown once the quoted author has said yes.

    "" (no quote) --ask, receive--> pending --accepted, verified--> accepted
                                       |                               |
                                       +--rejected--> rejected <-------+ revoked

Whoever quotes themselves needs no yes. A yes is a stamp: a document on the host of the quoted author.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, select, update

from privapub.actors.addresses import Addresses
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.jobs.enqueue import put_fact
from privapub.personas.defaults import QUOTE_POLICIES
from privapub.posts import audience, read, stamps, tombstones
from privapub.posts.facts import PostEdited, QuoteAsked
from privapub.posts.read import CIRCLE, DIRECT, Post
from privapub.posts.tables import post

_INSTEAD = "Answer it, or write its address into the text."
PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"
POLICIES = QUOTE_POLICIES


async def ask(tx: Transaction, post_id: int, quoted_uri: str, addresses: Addresses, now: float) -> str:
    """A post that was just published here quotes another: "accepted", or "pending" with the fact QuoteAsked.

    Raises NotFound for what its author may not see, NotAllowed for what is not for everybody or may not be quoted.
    """
    quoting, quoted = await read.by_id(tx, post_id), await read.by_uri(tx, quoted_uri)
    if quoting is None or quoted is None or not await audience.may_see_now(tx, quoted, quoting.author_id):
        raise NotFound("There is no such post to quote.")
    stamp, state = None, PENDING
    if quoted.author_id == quoting.author_id:
        if quoted.audience in (DIRECT, CIRCLE):
            raise NotAllowed("What is for a few is not quoted.")
        state = ACCEPTED
    elif quoted.local:
        token = await stamps.give(tx, quoted, quoting.author_id, quoting.uri, now)
        if token is None:
            raise NotAllowed("Its author does not let you quote this.", _INSTEAD)
        stamp, state = addresses.stamp(token), ACCEPTED
    elif quoted.audience not in audience.OPEN or quoted.quote_policy == "nobody":
        raise NotAllowed("Its author does not let you quote this.", _INSTEAD)
    await tx.execute(
        update(post).where(post.c.id == post_id).values(quote=quoted_uri, quote_state=state, quote_stamp=stamp)
    )
    if state == PENDING:
        await put_fact(tx, QuoteAsked(post_id), about=f"post {post_id}")
    return state


async def accepted(tx: Transaction, post_id: int, author_id: int, stamp: str, now: float) -> bool:
    """The quoted author (number `author_id`) lets a post of ours quote; fact PostEdited, since others are to know.

    False where that author was not asked, said so before, or took this stamp back before it came. After a no, a yes
    counts too: it is their word.
    """
    if not await _asked(tx, post_id, author_id) or await tombstones.holds_back(tx, stamp, author_id, now):
        return False
    return await _settle(tx, post_id, ACCEPTED, stamp)


async def rejected(tx: Transaction, post_id: int, author_id: int) -> bool:
    """The quoted author does not let a post of ours quote, or no longer; fact PostEdited. False as `accepted`."""
    if not await _asked(tx, post_id, author_id):
        return False
    return await _settle(tx, post_id, REJECTED, None)


async def verified(tx: Transaction, post_id: int, quoted_uri: str, stamp: str | None, *, valid: bool) -> bool:
    """What came of looking at a remote post's quote; False where the post says something else by now."""
    settled = await tx.execute(
        update(post)
        .where(
            post.c.id == post_id,
            post.c.local.is_(False),
            post.c.deleted_at.is_(None),
            post.c.quote == quoted_uri,
            post.c.quote_stamp.is_(None) if stamp is None else post.c.quote_stamp == stamp,
        )
        .values(quote_state=ACCEPTED if valid else REJECTED)
    )
    return bool(settled.rowcount)


async def stamped(tx: Transaction, post_id: int, quoted_uri: str | None, stamp: str | None) -> bool:
    """A remote post names a stamp that it did not name before: it is to be looked at (again), and True."""
    if stamp is None or quoted_uri is None:
        return False
    noted = await tx.execute(
        update(post)
        .where(
            post.c.id == post_id,
            post.c.local.is_(False),
            post.c.quote == quoted_uri,
            (post.c.quote_stamp.is_(None)) | (post.c.quote_stamp != stamp),
        )
        .values(quote_stamp=stamp, quote_state=PENDING)
    )
    return bool(noted.rowcount)


async def revoked(tx: Transaction, stamp: str, author_id: int) -> int:
    """A quoted author took their stamp back; of how many posts it was. Of ours, others are to know: fact PostEdited."""
    rows = await tx.all(
        select(post.c.id, post.c.local, post.c.quote).where(
            post.c.quote_stamp == stamp, post.c.quote.is_not(None), post.c.quote_state != REJECTED
        )
    )
    taken = 0
    for row in rows:
        quoted = await read.by_uri(tx, row.quote)
        if quoted is not None and quoted.author_id == author_id:
            await tx.execute(update(post).where(post.c.id == row.id).values(quote_state=REJECTED))
            if row.local:
                await put_fact(tx, PostEdited(row.id), about=f"post {row.id}")
            taken += 1
    return taken


async def set_policy(tx: Transaction, post_id: int, author_id: int, policy: str, now: float) -> bool:  # noqa: ARG001 - as all verbs
    """Who may quote a post of a persona from now on; fact PostEdited, and True where it was another.

    What was allowed stays allowed. Raises NotFound for no such post of this author, InvalidInput for no policy.
    """
    if policy not in POLICIES:
        raise InvalidInput(f"There is no policy “{policy[:40]}”.", f"Use {', '.join(POLICIES)}.")
    known = await read.own(tx, post_id, author_id)
    if known.quote_policy == policy:
        return False
    await tx.execute(update(post).where(post.c.id == post_id).values(quote_policy=policy))
    await put_fact(tx, PostEdited(post_id), about=f"post {post_id}")
    return True


async def of(tx: Transaction, quoted: Post, window: Window, visible: ColumnElement[bool]) -> Page[Post]:
    """What quotes a post with its author's yes, of the posts for which `visible` holds, newest first.

    Whoever shows them asks `audience`.
    """
    quoting = select(post).where(post.c.quote == quoted.uri, post.c.quote_state == ACCEPTED, visible)
    page = page_of(window, await tx.all(window.of(quoting, post.c.id)), lambda row: int(row.id))
    return Page(tuple(await read.with_polls(tx, [read.from_row(row) for row in page.items])), page.older, page.newer)


async def shown(tx: Transaction, posts: Collection[Post], viewer_id: int | None) -> Mapping[int, Post]:
    """The quoted posts that stand within these, by the number of the post that quotes.

    A quote without a yes shows nothing, nor does one of a post that the viewer (None: somebody unknown) may not see.
    """
    wanted = {each.quote: each.id for each in posts if each.quote and each.quote_state == ACCEPTED}
    if not wanted:
        return {}
    viewer = {} if viewer_id is None else {"viewer": viewer_id}
    rows = await tx.all(_quoted(signed_in=viewer_id is not None), uris=sorted(wanted), **viewer)
    visible = [found for row in rows if audience.may_see_row(found := read.from_row(row), row, viewer_id)]
    polls = {each.id: each.poll for each in posts if each.poll is not None}
    whole = [replace(each, poll=polls[each.id]) for each in visible if each.id in polls]
    whole += await read.with_polls(tx, [each for each in visible if each.id not in polls])
    quoted = {each.uri: each for each in whole}
    return {each.id: quoted[each.quote] for each in posts if each.quote in quoted and each.quote_state == ACCEPTED}


@cache
def _quoted(*, signed_in: bool) -> Select[Any]:
    """Posts by their uris, with what is to be known of them to judge whether the viewer may see them."""
    facts = audience.facts(bindparam("viewer", type_=BigInteger) if signed_in else None)
    return select(post, *facts).where(post.c.uri.in_(bindparam("uris", expanding=True)))


async def _asked(tx: Transaction, post_id: int, author_id: int) -> bool:
    """Whether this post of ours quotes a post of this author."""
    quoting = await read.by_id(tx, post_id)
    if quoting is None or not quoting.local or quoting.deleted_at is not None or quoting.quote is None:
        return False
    quoted = await read.by_uri(tx, quoting.quote)
    return quoted is not None and quoted.author_id == author_id


async def _settle(tx: Transaction, post_id: int, state: str, stamp: str | None) -> bool:
    known = await read.by_id(tx, post_id)
    if known is None or (known.quote_state, known.quote_stamp) == (state, stamp):
        return False
    settled = await tx.execute(
        update(post)
        .where(post.c.id == post_id, post.c.deleted_at.is_(None))
        .values(quote_state=state, quote_stamp=stamp)
    )
    if not settled.rowcount:
        return False
    await put_fact(tx, PostEdited(post_id), about=f"post {post_id}")
    return True
