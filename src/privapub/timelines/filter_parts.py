"""The words of a filter and the posts that it names, one by one: each keeps its number while others come and go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.stream import events
from privapub.timelines import filters
from privapub.timelines.filters import MOST_WORDS, WORD_LENGTH
from privapub.timelines.matching import Filter, Word
from privapub.timelines.tables import word_filter

MOST_POSTS = 200


@dataclass(frozen=True)
class Change:
    """What becomes of a word: `id` None is a new one; None for what stays; `gone` takes it away."""

    id: int | None
    word: str | None = None
    whole: bool | None = None
    gone: bool = False


async def words(tx: Transaction, persona_id: int, filter_id: int, changes: Sequence[Change], now: float) -> list[Word]:
    """Change the words of a filter; those that are new or changed, in their order.

    Raises NotFound for no filter of this persona or no word of it, InvalidInput for a word that cannot be or too many.
    """
    row = await _held(tx, persona_id, filter_id)
    kept: dict[int, dict[str, Any]] = {each["id"]: dict(each) for each in row.words}
    touched = []
    for change in changes:
        if change.id is not None and change.id not in kept:
            raise NotFound
        if change.gone:
            kept.pop(change.id or 0, None)
            continue
        number = identifiers.sortable(now) if change.id is None else change.id
        before = kept.get(number, {"id": number, "word": "", "whole": True})
        word = before["word"] if change.word is None else change.word
        if not word.strip() or len(word) > WORD_LENGTH:
            raise InvalidInput("Keyword can't be blank" if not word.strip() else "Keyword is too long")
        kept[number] = {**before, "word": word, "whole": before["whole"] if change.whole is None else change.whole}
        touched.append(number)
    if len(kept) > MOST_WORDS:
        raise InvalidInput(f"A filter has up to {MOST_WORDS} words.")
    await _keep(tx, persona_id, filter_id, words=list(kept.values()))
    return [Word(**kept[number]) for number in touched if number in kept]


async def name_post(tx: Transaction, persona_id: int, filter_id: int, post_id: int, now: float) -> tuple[int, int]:
    """The filter is about this post; the pair of the number of that and the post's. Raises as `words`."""
    row = await _held(tx, persona_id, filter_id)
    if any(each["post"] == post_id for each in row.post_ids):
        raise InvalidInput("Status has already been taken")
    if len(row.post_ids) >= MOST_POSTS:
        raise InvalidInput(f"A filter names up to {MOST_POSTS} posts.")
    number = identifiers.sortable(now)
    await _keep(tx, persona_id, filter_id, post_ids=[*row.post_ids, {"id": number, "post": post_id}])
    return number, post_id


async def unname_post(tx: Transaction, persona_id: int, filter_id: int, number: int) -> None:
    """The filter does not name that post any more. NotFound where it did not."""
    row = await _held(tx, persona_id, filter_id)
    left = [each for each in row.post_ids if each["id"] != number]
    if len(left) == len(row.post_ids):
        raise NotFound
    await _keep(tx, persona_id, filter_id, post_ids=left)


async def with_word(tx: Transaction, persona_id: int, number: int) -> tuple[Filter, Word]:
    """The filter of a persona that has a word of this number, and the word; NotFound."""
    for each in await filters.of(tx, persona_id):
        for word in each.words:
            if word.id == number:
                return each, word
    raise NotFound


async def with_post(tx: Transaction, persona_id: int, number: int) -> tuple[Filter, tuple[int, int]]:
    """The filter of a persona that names a post by this number, and that pair; NotFound."""
    for each in await filters.of(tx, persona_id):
        for pair in each.post_ids:
            if pair[0] == number:
                return each, pair
    raise NotFound


async def _held(tx: Transaction, persona_id: int, filter_id: int) -> Any:
    """The row, which nobody else changes until the transaction is over."""
    row = await tx.first(
        select(word_filter)
        .where(word_filter.c.id == filter_id, word_filter.c.persona_id == persona_id)
        .with_for_update()
    )
    if row is None:
        raise NotFound("There is no such filter.")
    return row


async def _keep(tx: Transaction, persona_id: int, filter_id: int, **values: Any) -> None:
    await tx.execute(update(word_filter).where(word_filter.c.id == filter_id).values(**values))
    await events.say(tx, events.FILTERS, filter_id, persona_id)
