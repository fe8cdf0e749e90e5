"""What was found is kept for a while, and of very much only the newest."""

import msgspec
from sqlalchemy import delete, exists, select

from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.link_previews.parse import Found
from privapub.link_previews.tables import link_preview, post_link
from privapub.posts.tables import post
from privapub.telemetry import previews

DAY, HOUR = 86400.0, 3600.0
# For how long a page is not asked again.
KEPT = {previews.CARD: 7 * DAY, previews.NO_CARD: DAY, previews.FAILED: 6 * HOUR}
MOST = 500_000


async def keep(tx: Transaction, url: str, state: str, found: Found | None, now: float) -> None:
    """The preview of this address from now on; a failure leaves the card that was there, until it is tried again."""
    new = tx.insert(link_preview).values(
        url=url,
        state=state,
        found={} if found is None else msgspec.to_builtins(found),
        fetched_at=now,
        expires_at=now + KEPT[state],
    )
    changed = {name: new.excluded[name] for name in ("fetched_at", "expires_at")}
    if state != previews.FAILED:
        changed |= {name: new.excluded[name] for name in ("state", "found")}
    await tx.execute(new.on_conflict_do_update(index_elements=["url"], set_=changed))
    await previews.count(tx, state, now)


async def prune(tx: Transaction, now: float) -> None:
    """Forget what is over and leads from no post, and the links of deleted posts; of too many the newest stay."""
    gone = select(post.c.id).where(post.c.deleted_at.is_not(None))
    await tx.execute(delete(post_link).where(post_link.c.post_id.in_(gone)))
    led_to = exists().where(post_link.c.url == link_preview.c.url)
    await tx.execute(delete(link_preview).where(link_preview.c.expires_at <= now, ~led_to))
    await keep_newest(tx, link_preview, link_preview.c.fetched_at, MOST)
