"""Which hashtags a post has, by their key."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import delete

from privapub.database.transaction import Transaction
from privapub.markup.hashtags import is_hashtag, tag_key
from privapub.posts.tables import post_tag


def keys(tags: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys of the hashtags among a post's tags, each once (pure). What can be no hashtag is none."""
    names = (tag.get("name", "").lstrip("#\uff03") for tag in tags if tag.get("type") == "Hashtag")
    return sorted({tag_key(name) for name in names if is_hashtag(name)})


async def replace(tx: Transaction, post_id: int, tags: Iterable[Mapping[str, Any]], *, new: bool = False) -> None:
    """The post has these hashtags from now on, and no others. `new`: it had none before."""
    if not new:
        await tx.execute(delete(post_tag).where(post_tag.c.post_id == post_id))
    if found := keys(tags):
        await tx.raw(_INSERT[tx.dialect], (post_id, msgspec.json.encode(found).decode()))


_INSERT = {
    "sqlite": "INSERT INTO post_tag (post_id, tag) SELECT ?1, e.value FROM json_each(?2) e",
    "postgresql": "INSERT INTO post_tag (post_id, tag) SELECT $1, e.value FROM json_array_elements_text($2::json) e",
}
