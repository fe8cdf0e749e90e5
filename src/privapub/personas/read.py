"""Looking up personas."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, bindparam, func, or_, select

from privapub.actors.read import Actor, from_row
from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.markup.clean import plain
from privapub.markup.render import Format
from privapub.markup.text import text_of
from privapub.personas.tables import persona


@dataclass(frozen=True)
class Persona:
    """A persona: `id` is that of its actor too, `actor.handle` keeps the case of the handle.

    `bio` is as typed; `text_format` is how the persona types, where a post does not say otherwise.
    """

    id: int
    bio: str
    shows_follows: bool
    text_format: Format
    closed_at: float | None
    actor: Actor
    fields: tuple[Mapping[str, str], ...] = ()  # as typed
    # How it posts where it does not say.
    audience: str = "public"
    sensitive: bool = False
    language: str | None = None
    quote_policy: str = "public"

    @property
    def handle(self) -> str:
        """The handle in the case its owner gave it."""
        return self.actor.handle


_COLUMNS = select(
    actor,
    persona.c.bio,
    persona.c.shows_follows,
    persona.c.text_format,
    persona.c.closed_at,
    persona.c.fields.label("typed_fields"),
    persona.c.audience,
    persona.c.sensitive,
    persona.c.language.label("writes_in"),
    persona.c.quote_policy,
).join(persona, persona.c.id == actor.c.id)


async def by_id(tx: Transaction, persona_id: int) -> Persona | None:
    """The persona with this number."""
    return await _one(tx, persona.c.id == persona_id)


async def known(tx: Transaction, persona_id: int) -> Persona:
    """The persona with this number; NotFound where there is none."""
    found = await by_id(tx, persona_id)
    if found is None:
        raise NotFound("There is no such persona.")
    return found


async def alone(tx: Transaction, persona_id: int) -> None:
    """Until the transaction is over, nobody else changes in which order its posts go, and what it wears."""
    await tx.all(select(actor.c.id).where(actor.c.id == persona_id).with_for_update(key_share=True))


async def by_handle(tx: Transaction, handle: str) -> Persona | None:
    """The persona with this handle, in any case."""
    return await _one(tx, persona.c.handle == handle.lower())


async def by_uri(tx: Transaction, uri: str) -> Persona | None:
    """The persona whose actor has this id on the wire."""
    return await _one(tx, actor.c.uri == uri)


async def by_ids(tx: Transaction, persona_ids: Collection[int]) -> list[Persona]:
    """Those of these numbers that are personas."""
    if not persona_ids:
        return []
    return [_persona(row) for row in await tx.all(_COLUMNS.where(persona.c.id.in_(sorted(persona_ids))))]


async def every(tx: Transaction) -> list[Persona]:
    """All personas, by handle (for the operator)."""
    return [_persona(row) for row in await tx.all(_COLUMNS.order_by(persona.c.handle))]


async def among(
    tx: Transaction, actor_ids: Collection[int], uris: Collection[str] = ()
) -> tuple[list[Actor], dict[int, Persona]]:
    """Those of these actors that there are, by number or id on the wire; and those of them that are personas."""
    if not actor_ids and not uris:
        return [], {}
    rows = await tx.all(_AMONG, ids=sorted(set(actor_ids)) or [-1], uris=sorted(set(uris)) or [""])
    people = {row.id: _persona(row) for row in rows if row.is_ours is not None}
    return [people[row.id].actor if row.id in people else from_row(row) for row in rows], people


_AMONG = (
    select(*_COLUMNS.selected_columns, persona.c.id.label("is_ours"))
    .select_from(actor.outerjoin(persona, persona.c.id == actor.c.id))
    .where(
        or_(
            actor.c.id.in_(bindparam("ids", type_=BigInteger, expanding=True)),
            actor.c.uri.in_(bindparam("uris", expanding=True)),
        )
    )
)


def typed_fields(persona: Persona) -> tuple[Mapping[str, str], ...]:
    """The lines of its profile as the persona typed them; where that was never kept, as they read (pure)."""
    if len(persona.fields) == len(persona.actor.fields):
        return persona.fields
    return tuple({"name": plain(each["name"]), "value": text_of(each["value"])} for each in persona.actor.fields)


async def count(tx: Transaction) -> int:
    """How many personas there are that are not closed."""
    number: int = await tx.scalar(select(func.count()).select_from(persona).where(persona.c.closed_at.is_(None)))
    return number


async def _one(tx: Transaction, condition: ColumnElement[bool]) -> Persona | None:
    row = await tx.first(_COLUMNS.where(condition))
    return None if row is None else _persona(row)


def _persona(row: Any) -> Persona:
    return Persona(
        row.id,
        row.bio,
        row.shows_follows,
        row.text_format,
        row.closed_at,
        from_row(row),
        tuple(row.typed_fields),
        row.audience,
        bool(row.sensitive),
        row.writes_in,
        row.quote_policy,
    )
