"""Which custom emojis there are: added, taken away, found in a text."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import delete, func, select

from privapub.database.transaction import Transaction
from privapub.emojis.tables import emoji
from privapub.errors import InvalidInput, NotFound

SHORTCODE = re.compile(r"[A-Za-z0-9_]{2,64}")
MOST = 10_000
MOST_AT_ONCE = 200
_CATEGORY = 64
_IN_TEXT = re.compile(r"(?<![A-Za-z0-9_:]):([A-Za-z0-9_]{2,64}):(?![A-Za-z0-9_:])")


@dataclass(frozen=True)
class Emoji:
    """One of them: `file` is the name of its picture in the store, `bytes` its size."""

    shortcode: str
    file: str
    media_type: str
    bytes: int
    category: str
    added_at: float


def check_shortcode(shortcode: str) -> None:
    """InvalidInput for a name that no text could hold (pure)."""
    if not SHORTCODE.fullmatch(shortcode):
        raise InvalidInput(f"“{shortcode[:80]}” is no name of an emoji.", "Use 2 to 64 of A-Z, a-z, 0-9 and _.")


async def add(tx: Transaction, new: Emoji) -> str | None:
    """Keep an emoji; one of this name is replaced, and the name of its file, which nothing needs any more, returned.

    Raises InvalidInput for a name or category that cannot be, and where there are too many.
    """
    check_shortcode(new.shortcode)
    if len(new.category) > _CATEGORY:
        raise InvalidInput("This category is too long.", f"It has up to {_CATEGORY} characters.")
    before = await tx.scalar(select(emoji.c.file).where(emoji.c.shortcode == new.shortcode).with_for_update())
    if before is None and await tx.scalar(select(func.count()).select_from(emoji)) >= MOST:
        raise InvalidInput(f"There are {MOST} emojis already.", "Remove some first.")
    await tx.execute(delete(emoji).where(emoji.c.shortcode == new.shortcode))
    await tx.execute(emoji.insert().values(asdict(new)))
    return None if before is None else str(before)


async def remove(tx: Transaction, shortcode: str) -> str:
    """Take an emoji away and return the name of its file; NotFound where there is none of this name."""
    rows = await tx.all(delete(emoji).where(emoji.c.shortcode == shortcode).returning(emoji.c.file))
    if not rows:
        raise NotFound(f"There is no emoji :{shortcode[:80]}:.")
    return str(rows[0].file)


async def listed(tx: Transaction) -> list[Emoji]:
    """All of them, by category and name."""
    rows = await tx.all(select(emoji).order_by(emoji.c.category, emoji.c.shortcode))
    return [Emoji(**row._mapping) for row in rows]  # noqa: SLF001 - its public name


async def within(tx: Transaction, texts: Iterable[str]) -> list[Emoji]:
    """Those whose names stand in the texts, in the order of the first use; of very many the first 200."""
    named = list(dict.fromkeys(name for text in texts for name in _IN_TEXT.findall(text)))[:MOST_AT_ONCE]
    if not named:
        return []
    rows = await tx.all(select(emoji).where(emoji.c.shortcode.in_(named)))
    found = {row.shortcode: Emoji(**row._mapping) for row in rows}  # noqa: SLF001 - its public name
    return [found[name] for name in named if name in found]
