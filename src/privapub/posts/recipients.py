"""Writing down whom a post names."""

from collections.abc import Collection

from privapub.database.transaction import Transaction
from privapub.posts.tables import post_recipient


async def name(tx: Transaction, post_id: int, actor_ids: Collection[int]) -> bool:
    """These actors are named by the post, beside those who are already; whether any of them is new."""
    if not actor_ids:
        return False
    added = await tx.all(
        tx.insert(post_recipient)
        .values([{"post_id": post_id, "actor_id": actor_id} for actor_id in sorted(set(actor_ids))])
        .on_conflict_do_nothing(index_elements=[post_recipient.c.post_id, post_recipient.c.actor_id])
        .returning(post_recipient.c.actor_id)
    )
    return bool(added)
