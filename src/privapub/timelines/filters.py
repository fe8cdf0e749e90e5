"""Filters: what a persona does not want to read. They are its own, and change nothing of who may see what."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Double, bindparam, delete, or_, select, update

from privapub import identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.markup.text import text_of
from privapub.posts.read import Post
from privapub.stream import events
from privapub.timelines.matching import ACTIONS, PLACES, Filter, Match, Word, matches
from privapub.timelines.tables import word_filter

# Made once: it is asked for each page of each timeline.
_IN_FORCE = (
    select(word_filter)
    .where(
        word_filter.c.persona_id == bindparam("persona", type_=BigInteger),
        or_(word_filter.c.ends_at.is_(None), word_filter.c.ends_at > bindparam("now", type_=Double)),
    )
    .order_by(word_filter.c.id)
)
TITLE_LENGTH, WORD_LENGTH, MOST_WORDS, MOST_FILTERS = 200, 200, 200, 200


async def add(
    tx: Transaction,
    persona_id: int,
    title: str,
    *,
    places: Collection[str],
    action: str = "warn",
    words: Sequence[tuple[str, bool]] = (),
    post_ids: Collection[int] = (),
    ends_at: float | None = None,
    now: float,
) -> int:
    """A new filter's number. `words` are pairs of the word and whether it is to stand by itself.

    Raises InvalidInput for what is no place, no action, too long or too many.
    """
    _check(title, places, action, [word for word, _ in words])
    if len(await of(tx, persona_id)) >= MOST_FILTERS:
        raise InvalidInput(f"A persona has up to {MOST_FILTERS} filters.", "Take one away first.")
    filter_id = identifiers.sortable(now)
    await tx.execute(
        word_filter.insert().values(
            id=filter_id,
            persona_id=persona_id,
            title=title.strip(),
            places=sorted(set(places)),
            action=action,
            words=_words(words, now),
            post_ids=[{"id": identifiers.sortable(now), "post": post_id} for post_id in sorted(set(post_ids))],
            ends_at=ends_at,
            created_at=now,
        )
    )
    await events.say(tx, events.FILTERS, filter_id, persona_id)
    return filter_id


async def change(
    tx: Transaction,
    persona_id: int,
    filter_id: int,
    *,
    title: str | None = None,
    places: Collection[str] | None = None,
    action: str | None = None,
    words: Sequence[tuple[str, bool]] | None = None,
    post_ids: Collection[int] | None = None,
    now: float,
) -> None:
    """Change what is given and leave the rest. Raises NotFound for no filter of this persona; else as `add`."""
    known = await by_id(tx, persona_id, filter_id)
    _check(
        known.title if title is None else title,
        known.places if places is None else places,
        known.action if action is None else action,
        [word for word, _ in words or ()],
    )
    changes: dict[str, Any] = {
        "title": title,
        "places": None if places is None else sorted(set(places)),
        "action": action,
        "words": None if words is None else _words(words, now),
        "post_ids": None
        if post_ids is None
        else [{"id": identifiers.sortable(now), "post": post_id} for post_id in sorted(set(post_ids))],
    }
    given = {name: value for name, value in changes.items() if value is not None}
    if given:
        await tx.execute(update(word_filter).where(word_filter.c.id == filter_id).values(**given))
        await events.say(tx, events.FILTERS, filter_id, persona_id)


async def expire(tx: Transaction, persona_id: int, filter_id: int, ends_at: float | None) -> None:
    """The filter ends then, or (None) never. Raises NotFound for no filter of this persona."""
    await by_id(tx, persona_id, filter_id)
    await tx.execute(update(word_filter).where(word_filter.c.id == filter_id).values(ends_at=ends_at))
    await events.say(tx, events.FILTERS, filter_id, persona_id)


async def remove(tx: Transaction, persona_id: int, filter_id: int) -> bool:
    """Filter so no more; False where there was no such filter of this persona."""
    done = await tx.execute(
        delete(word_filter).where(word_filter.c.id == filter_id, word_filter.c.persona_id == persona_id)
    )
    if done.rowcount:
        await events.say(tx, events.FILTERS, filter_id, persona_id)
    return done.rowcount > 0


async def by_id(tx: Transaction, persona_id: int, filter_id: int) -> Filter:
    """The filter of this persona; raises NotFound."""
    row = await tx.first(
        select(word_filter).where(word_filter.c.id == filter_id, word_filter.c.persona_id == persona_id)
    )
    if row is None:
        raise NotFound("There is no such filter.", "`privapub filter list` shows those there are.")
    return _filter(row)


async def of(tx: Transaction, persona_id: int) -> list[Filter]:
    """All filters of a persona, those that are over too, oldest first."""
    rows = await tx.all(select(word_filter).where(word_filter.c.persona_id == persona_id).order_by(word_filter.c.id))
    return [_filter(row) for row in rows]


async def in_force(tx: Transaction, persona_id: int, place: str, now: float) -> list[Filter]:
    """The filters of a persona that are in force now in this place."""
    rows = (await tx.execute(_IN_FORCE, [{"persona": persona_id, "now": now}])).all()
    return [found for row in rows if place in (found := _filter(row)).places]


def about(filters: Sequence[Filter], post: Post, reader_id: int) -> tuple[Match, ...]:
    """The filters that are about this post (pure). What one wrote oneself is not filtered."""
    if not filters or post.author_id == reader_id:
        return ()
    return matches(filters, post.id, text_in(post))


def text_in(post: Post) -> str:
    """All that a filter looks at: warning, text, descriptions of files, options of a poll (pure)."""
    files = [str(each.get("alt") or each.get("name") or "") for each in post.attachments]
    options = [] if post.poll is None else [option.name for option in post.poll.options]
    return "\n".join([post.summary, text_of(post.content), *files, *options])


def _check(title: str, places: Collection[str], action: str, words: Sequence[str]) -> None:
    if not title.strip() or len(title) > TITLE_LENGTH:
        raise InvalidInput(f"A filter has a title of up to {TITLE_LENGTH} characters.")
    if not places or set(places) - set(PLACES):
        raise InvalidInput("A filter has places where it is in force.", f"They are {', '.join(PLACES)}.")
    if action not in ACTIONS:
        raise InvalidInput(f"A filter cannot “{action[:40]}”.", f"It may {', '.join(ACTIONS)}.")
    if len(words) > MOST_WORDS or any(not word.strip() or len(word) > WORD_LENGTH for word in words):
        raise InvalidInput(f"A filter has up to {MOST_WORDS} words of up to {WORD_LENGTH} characters.")


def _words(words: Sequence[tuple[str, bool]], now: float) -> list[dict[str, Any]]:
    return [{"id": identifiers.sortable(now), "word": word, "whole": whole} for word, whole in words]


def _filter(row: Any) -> Filter:
    def word(each: Mapping[str, Any]) -> Word:
        return Word(each["id"], each["word"], each["whole"])

    return Filter(
        row.id,
        row.title,
        tuple(row.places),
        row.action,
        tuple(word(each) for each in row.words),
        tuple((each["id"], each["post"]) for each in row.post_ids),
        row.ends_at,
    )
