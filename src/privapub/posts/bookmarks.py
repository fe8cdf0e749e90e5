"""What a persona keeps for itself: nobody else learns of it."""

from sqlalchemy import delete, select

from privapub import identifiers
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.posts import audience as audiences
from privapub.posts import text_index
from privapub.posts.read import Post, from_row, with_polls
from privapub.posts.tables import bookmark, post


async def keep(tx: Transaction, persona_id: int, post_id: int, now: float) -> bool:
    """A persona keeps a post; False where it does already. Raises NotFound where it may see no such post."""
    await audiences.seen(tx, post_id, persona_id)
    row = tx.insert(bookmark).values(id=identifiers.sortable(now), persona_id=persona_id, post_id=post_id)
    new = bool((await tx.execute(row.on_conflict_do_nothing())).rowcount)
    if new:
        await text_index.keep(tx, post_id)
    return new


async def let_go(tx: Transaction, persona_id: int, post_id: int) -> bool:
    """It keeps it no more; False where it did not."""
    gone = delete(bookmark).where(bookmark.c.persona_id == persona_id, bookmark.c.post_id == post_id)
    return bool((await tx.execute(gone)).rowcount)


async def of(tx: Transaction, persona_id: int, window: Window) -> Page[Post]:
    """What a persona keeps and may still see, the last that it kept first; the cursor is that of the keeping."""
    kept = (
        select(post, bookmark.c.id.label("kept_id"))
        .join(bookmark, bookmark.c.post_id == post.c.id)
        .where(bookmark.c.persona_id == persona_id, audiences.visible(persona_id))
    )
    rows = await tx.all(window.of(kept, bookmark.c.id))
    page = page_of(window, rows, lambda row: int(row.kept_id))
    posts = await with_polls(tx, [from_row(row) for row in page.items])
    return Page(tuple(posts), page.older, page.newer)
