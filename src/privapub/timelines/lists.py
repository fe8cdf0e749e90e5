"""Lists of people: made by a persona for itself, and never told to anybody."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, update

from privapub import identifiers
from privapub.actors.read import Actor
from privapub.actors.read import from_row as actor_from_row
from privapub.actors.tables import actor
from privapub.database.page import Page, Window, page_of
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.follows import read as follows
from privapub.timelines.tables import list_member, people_list

FOLLOWED, LIST, NONE = "followed", "list", "none"
REPLIES = (FOLLOWED, LIST, NONE)
TITLE_LENGTH, MOST_LISTS, MOST_MEMBERS = 200, 100, 1000


@dataclass(frozen=True)
class PeopleList:
    """A list of a persona.

    `replies`: which answers it shows: to anybody whom its persona follows, to people on the list, none. `exclusive`:
    what its people write is not in the home timeline.
    """

    id: int
    persona_id: int
    title: str
    replies: str
    exclusive: bool


async def add(
    tx: Transaction, persona_id: int, title: str, *, replies: str = LIST, exclusive: bool = False, now: float
) -> int:
    """A new list's number. Raises InvalidInput for a title or a choice that cannot be, or too many lists."""
    _check(title, replies)
    if len(await of(tx, persona_id)) >= MOST_LISTS:
        raise InvalidInput(f"A persona has up to {MOST_LISTS} lists.", "Take one away first.")
    list_id = identifiers.sortable(now)
    await tx.execute(
        people_list.insert().values(
            id=list_id, persona_id=persona_id, title=title.strip(), replies=replies, exclusive=exclusive, created_at=now
        )
    )
    return list_id


async def change(
    tx: Transaction,
    persona_id: int,
    list_id: int,
    *,
    title: str | None = None,
    replies: str | None = None,
    exclusive: bool | None = None,
) -> PeopleList:
    """Change what is given and leave the rest. Raises NotFound for no list of this persona; else as `add`."""
    known = await by_id(tx, persona_id, list_id)
    _check(known.title if title is None else title, known.replies if replies is None else replies)
    changes = {"title": title, "replies": replies, "exclusive": exclusive}
    given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if given:
        await tx.execute(update(people_list).where(people_list.c.id == list_id).values(**given))
    return await by_id(tx, persona_id, list_id)


async def remove(tx: Transaction, persona_id: int, list_id: int) -> bool:
    """Take the list away; False where there was no such list of this persona."""
    done = await tx.execute(
        delete(people_list).where(people_list.c.id == list_id, people_list.c.persona_id == persona_id)
    )
    return done.rowcount > 0


async def put_on(tx: Transaction, persona_id: int, list_id: int, actor_ids: Collection[int]) -> int:
    """These people are on the list, beside those who are already; returns how many are new there.

    Raises NotFound for no list of this persona and for somebody whom it does not follow, InvalidInput for too many.
    """
    await by_id(tx, persona_id, list_id)
    wanted = set(actor_ids)
    if not wanted:
        return 0
    followed = await follows.followed_among(tx, persona_id, wanted)
    if wanted - followed - {persona_id}:
        raise NotFound("Only people whom the persona follows can be on a list.", "Follow them first.")
    on_it = {row.actor_id for row in await tx.all(select(list_member).where(list_member.c.list_id == list_id))}
    if len(on_it | wanted) > MOST_MEMBERS:
        raise InvalidInput(f"A list has up to {MOST_MEMBERS} people.")
    await tx.execute(
        tx.insert(list_member)
        .values([{"list_id": list_id, "actor_id": actor_id} for actor_id in sorted(wanted)])
        .on_conflict_do_nothing(index_elements=[list_member.c.list_id, list_member.c.actor_id])
    )
    return len(wanted - on_it)


async def take_off(tx: Transaction, persona_id: int, list_id: int, actor_ids: Collection[int]) -> int:
    """These people are on the list no more; returns how many were. Raises NotFound for no list of this persona."""
    await by_id(tx, persona_id, list_id)
    done = await tx.execute(
        delete(list_member).where(list_member.c.list_id == list_id, list_member.c.actor_id.in_(sorted(set(actor_ids))))
    )
    return done.rowcount


async def by_id(tx: Transaction, persona_id: int, list_id: int) -> PeopleList:
    """The list of this persona; raises NotFound."""
    row = await tx.first(select(people_list).where(people_list.c.id == list_id, people_list.c.persona_id == persona_id))
    if row is None:
        raise NotFound("There is no such list.", "`privapub list list` shows those there are.")
    return _list(row)


async def of(tx: Transaction, persona_id: int, *, holding: int | None = None) -> list[PeopleList]:
    """All lists of a persona, oldest first; with `holding`, those that this actor is on."""
    statement = select(people_list).where(people_list.c.persona_id == persona_id)
    if holding is not None:
        statement = statement.join(list_member, list_member.c.list_id == people_list.c.id).where(
            list_member.c.actor_id == holding
        )
    return [_list(row) for row in await tx.all(statement.order_by(people_list.c.id))]


async def members(tx: Transaction, persona_id: int, list_id: int, window: Window) -> Page[Actor]:
    """Who is on the list, the newest actors first. Raises NotFound for no list of this persona."""
    await by_id(tx, persona_id, list_id)
    statement = (
        select(actor).join(list_member, list_member.c.actor_id == actor.c.id).where(list_member.c.list_id == list_id)
    )
    rows = await tx.all(window.of(statement, actor.c.id))
    return page_of(window, [actor_from_row(row) for row in rows], lambda one: one.id)


def _check(title: str, replies: str) -> None:
    if not title.strip() or len(title) > TITLE_LENGTH:
        raise InvalidInput(f"A list has a title of up to {TITLE_LENGTH} characters.")
    if replies not in REPLIES:
        raise InvalidInput(f"A list cannot show answers to “{replies[:40]}”.", f"Use {', '.join(REPLIES)}.")


def _list(row: Any) -> PeopleList:
    return PeopleList(row.id, row.persona_id, row.title, row.replies, bool(row.exclusive))
