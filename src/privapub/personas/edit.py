"""Changing a persona's profile."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import update

from privapub.actors.tables import actor
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.jobs.enqueue import put_fact
from privapub.markup.render import Format
from privapub.moderation.domain_rules import ANY, spelled_domain
from privapub.personas import read
from privapub.personas.facts import PersonaEdited
from privapub.personas.tables import persona

NAME_LENGTH, BIO_LENGTH = 100, 5000
MOST_FIELDS, FIELD_LENGTH, MOST_DOMAINS = 8, 255, 10


async def edit(
    tx: Transaction,
    persona_id: int,
    *,
    name: str | None = None,
    bio: str | None = None,
    summary: str | None = None,
    locked: bool | None = None,
    discoverable: bool | None = None,
    indexable: bool | None = None,
    shows_follows: bool | None = None,
    fields: Sequence[Mapping[str, str]] | None = None,
    text_format: Format | None = None,
    icon: str | None = None,
    image: str | None = None,
    icon_alt: str | None = None,
    image_alt: str | None = None,
    tags: Sequence[Mapping[str, Any]] | None = None,
    typed_fields: Sequence[Mapping[str, str]] | None = None,
    bot: bool | None = None,
    attribution_domains: Sequence[str] | None = None,
    now: float,
) -> bool:
    """Change what is given and leave the rest; True where anything differs, and fact PersonaEdited if others see it.

    `bio` is as typed and `summary` its cleaned HTML: they change together. `fields` are all of them, each
    `{"name": plain text, "value": cleaned HTML}`; `text_format` is how the persona types from now on. `icon` and
    `image` are addresses of its avatar and its header, and nothing ("") takes them away; `icon_alt` and `image_alt` say
    in words what they show. `tags` are the emojis of its
    texts; `typed_fields` are the fields as they were typed; the pages of `attribution_domains` may name it as their
    author. Opening a locked persona answers nobody who already waits. Raises NotFound for no persona, InvalidInput for
    what is too long, or no domain.
    """
    known = await read.known(tx, persona_id)
    if len(name or "") > NAME_LENGTH or len(bio or "") > BIO_LENGTH:
        raise InvalidInput(
            "This is too long.", f"A name has up to {NAME_LENGTH} characters, a description {BIO_LENGTH}."
        )
    if fields is not None:
        _check_fields(fields)
        fields = _still_verified(fields, known.actor.fields)
    if (bio is None) != (summary is None):
        raise ValueError("bio and summary change together")
    of_actor = {
        "name": name,
        "summary": summary,
        "locked": locked,
        "discoverable": discoverable,
        "indexable": indexable,
        "kind": None if bot is None else "Service" if bot else "Person",
        "icon_alt": icon_alt,
        "image_alt": image_alt,
        "attribution_domains": None if attribution_domains is None else _domains(attribution_domains),
    }
    actor_changes = _changes(of_actor, known.actor)
    actor_changes |= _addresses({"icon": icon, "image": image}, known.actor)
    actor_changes |= _lists({"fields": fields, "tags": tags}, known.actor)
    persona_changes = _changes({"bio": bio, "shows_follows": shows_follows, "text_format": text_format}, known)
    persona_changes |= _lists({"fields": typed_fields}, known)
    if not actor_changes and not persona_changes:
        return False
    if set(persona_changes) == {"text_format"} and not actor_changes:  # nobody else is concerned
        await tx.execute(update(persona).where(persona.c.id == persona_id).values(**persona_changes))
        return True
    # A moment that was not told before, so that no peer takes the change for an old one.
    updated_at = max(now, (known.actor.updated_at or 0) + 0.001)
    await tx.execute(update(actor).where(actor.c.id == persona_id).values(**actor_changes, updated_at=updated_at))
    if persona_changes:
        await tx.execute(update(persona).where(persona.c.id == persona_id).values(**persona_changes))
    await put_fact(tx, PersonaEdited(persona_id), about=f"actor {persona_id}")
    return True


def _check_fields(fields: Sequence[Mapping[str, str]]) -> None:
    if len(fields) > MOST_FIELDS:
        raise InvalidInput(f"A profile has up to {MOST_FIELDS} fields.")
    if any(not each["name"].strip() or len(each["name"]) > FIELD_LENGTH for each in fields):
        raise InvalidInput(f"The name of a field has 1 to {FIELD_LENGTH} characters.")


def _still_verified(fields: Sequence[Mapping[str, str]], before: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """These fields; what was found of one whose value stays (`links_back`) stays with it."""
    days = {each["value"]: each["verified_at"] for each in before if "verified_at" in each}
    return [{**each, "verified_at": days[each["value"]]} if each["value"] in days else dict(each) for each in fields]


def _domains(texts: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(spelled_domain(each) for each in texts if each.strip()))
    if len(found) > MOST_DOMAINS or any(each.startswith(ANY) for each in found):
        raise InvalidInput(f"A profile names up to {MOST_DOMAINS} domains.", "Write each as in example.org.")
    return found


def _changes(wanted: dict[str, Any], known: object) -> dict[str, Any]:
    return {name: value for name, value in wanted.items() if value is not None and value != getattr(known, name)}


def _addresses(wanted: dict[str, str | None], known: object) -> dict[str, Any]:
    return {
        name: address or None
        for name, address in wanted.items()
        if address is not None and (address or None) != getattr(known, name)
    }


def _lists(wanted: dict[str, Sequence[Mapping[str, Any]] | None], known: object) -> dict[str, Any]:
    given = {name: [dict(each) for each in rows] for name, rows in wanted.items() if rows is not None}
    return {name: rows for name, rows in given.items() if rows != [dict(each) for each in getattr(known, name)]}
