"""Having the page fetched to which a post leads: once for its address and this server, and never for a reader."""

from collections.abc import Collection

from sqlalchemy import BigInteger, bindparam, delete, select

from privapub import identifiers, scope
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.link_previews.find import first_link
from privapub.link_previews.tables import link_preview, post_link
from privapub.outbound.target import host_of
from privapub.posts.read import FOLLOWERS, PUBLIC, UNLISTED, Post

PREVIEW = "preview"  # the kind of the job
SHOWN = frozenset({PUBLIC, UNLISTED, FOLLOWERS})
SPREAD = 60.0  # seconds over which servers that got the same post ask for its page
YOUNG = 3600.0  # seconds in which a preview is not looked for again because a post was edited
_FORGET = delete(post_link).where(post_link.c.post_id.in_(bindparam("posts", type_=BigInteger, expanding=True)))


async def plan(tx: Transaction, post: Post, now: float) -> None:
    """Keep to which page a post leads now, and queue the job that fetches it where it is to be fetched.

    Nothing is kept or fetched of a circle or direct post. What came here because somebody reads leads to no fetch. A
    remote post waits up to a minute, by chance; one of ours does not.
    """
    url = link_of(post) if post.audience in SHOWN and post.deleted_at is None else None
    if url is None:
        await forget(tx, [post.id])
        return
    new = tx.insert(post_link).values(post_id=post.id, url=url)
    await tx.execute(new.on_conflict_do_update(index_elements=["post_id"], set_={"url": url}))
    if scope.current().trigger == scope.READER or not await _is_due(tx, url, now, edited=post.edited_at is not None):
        return
    job = NewJob(
        PREVIEW,
        f"host:{host_of(url)}",
        {"url": url},
        run_at=now if post.local else now + identifiers.uniform(0, SPREAD),
        dedupe_key=f"{PREVIEW} {url}",
        unique_while_waiting=True,
    )
    await put(tx, [job])


def link_of(post: Post) -> str | None:
    """The link of a post that is shown with a preview, if it has one (pure)."""
    others = {str(attachment.get("url") or "") for attachment in post.attachments}
    return first_link(post.content, post.tags, others | ({post.quote} if post.quote else set()))


async def forget(tx: Transaction, post_ids: Collection[int]) -> None:
    """These posts lead nowhere any more."""
    await tx.change(_FORGET, posts=sorted(post_ids))


async def _is_due(tx: Transaction, url: str, now: float, *, edited: bool) -> bool:
    known = await tx.first(
        select(link_preview.c.fetched_at, link_preview.c.expires_at).where(link_preview.c.url == url)
    )
    return known is None or known.expires_at <= now or (edited and known.fetched_at <= now - YOUNG)
