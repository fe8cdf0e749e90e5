"""Writing down whom a post names."""

from collections.abc import Collection

import msgspec

from privapub.database.transaction import Transaction


async def name(tx: Transaction, post_id: int, actor_ids: Collection[int]) -> bool:
    """These actors are named by the post, beside those who are already; whether any of them is new."""
    if not actor_ids:
        return False
    return bool(await tx.raw(_NAME[tx.dialect], (post_id, msgspec.json.encode(sorted(set(actor_ids))).decode())))


_NAME = {
    dialect: f"""
INSERT INTO post_recipient (post_id, actor_id) SELECT {number}, {each} WHERE true
ON CONFLICT (post_id, actor_id) DO NOTHING RETURNING actor_id
"""
    for dialect, number, each in (
        ("sqlite", "?1", "e.value FROM json_each(?2) e"),
        ("postgresql", "$1", "e.value::bigint FROM json_array_elements_text($2::json) e"),
    )
}
