"""Looking up actors and their public keys."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import bindparam, func, select

from privapub.actors.tables import actor, actor_key
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.moderation.domain_rules import BLOCKED, OPEN

HERE, GONE = "here", "gone"


@dataclass(frozen=True)
class Actor:
    """One row of `actor`: see the table for what each column means."""

    id: int
    uri: str
    kind: str
    local: bool
    handle: str
    host: str
    name: str
    summary: str
    url: str | None
    icon: str | None
    image: str | None
    fields: tuple[Mapping[str, str], ...]
    inbox: str
    shared_inbox: str | None
    outbox: str | None
    followers: str | None
    following: str | None
    locked: bool
    discoverable: bool
    indexable: bool
    also_known_as: tuple[str, ...]
    moved_to: str | None
    state: str
    created_at: float
    updated_at: float | None
    fetched_at: float | None
    featured: str | None = None
    featured_tags: str | None = None
    language: str | None = None
    tags: tuple[Mapping[str, Any], ...] = ()
    memorial: bool = False
    suspended: bool = False
    notes: tuple[tuple[str, str], ...] = ()
    standing: str = OPEN
    icon_alt: str = ""
    image_alt: str = ""
    attribution_domains: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """`handle@host`, without the leading @."""
        return f"{self.handle}@{self.host}"

    @property
    def is_blocked(self) -> bool:
        """Whether a rule about domains blocks its server."""
        return self.standing == BLOCKED

    @property
    def is_gone(self) -> bool:
        """Whether its host told us that it is no more."""
        return self.state == GONE


@dataclass(frozen=True)
class Key:
    """The public half of a key. `algorithm` is "rsa" or "ed25519", `public` a PEM or a multibase word."""

    id: str
    actor_id: int
    algorithm: str
    public: str
    fetched_at: float


_FIELDS = tuple(field.name for field in fields(Actor))
_PUBLIC_KEY = (
    actor_key.c.id,
    actor_key.c.actor_id,
    actor_key.c.algorithm,
    actor_key.c.public,
    actor_key.c.fetched_at,
)


# Made once: they are asked for every activity that comes in.
_BY_ID = select(actor).where(actor.c.id == bindparam("id"))
_BY_URI = select(actor).where(actor.c.uri == bindparam("uri"))
_BY_URIS = select(actor).where(actor.c.uri.in_(bindparam("uris", expanding=True)))
_NUMBERS = select(actor.c.id, actor.c.local).where(actor.c.uri.in_(bindparam("uris", expanding=True)))
_BY_KEY = (
    select(actor, *(column.label(f"key_{column.name}") for column in _PUBLIC_KEY))
    .join(actor_key, actor_key.c.actor_id == actor.c.id)
    .where(actor_key.c.id == bindparam("key"))
)


def from_row(row: Any) -> Actor:
    """An Actor from a row that holds (at least) every column of the table under its own name."""
    told = row._mapping  # noqa: SLF001 - its public name; several times as fast as attribute by attribute
    values = {name: told[name] for name in _FIELDS}
    values["fields"], values["also_known_as"] = tuple(row.fields), tuple(row.also_known_as)
    values["tags"], values["attribution_domains"] = tuple(row.tags), tuple(row.attribution_domains)
    values["notes"] = tuple((name, sentence) for name, sentence in row.notes)
    return Actor(**values)


async def by_id(tx: Transaction, actor_id: int) -> Actor | None:
    """The actor with this number."""
    row = await tx.first(_BY_ID, id=actor_id)
    return None if row is None else from_row(row)


async def known(tx: Transaction, actor_id: int) -> Actor:
    """The actor with this number, which a row of ours names; NotFound where it is gone from the table."""
    actor_of_row = await by_id(tx, actor_id)
    if actor_of_row is None:
        raise NotFound("There is no such actor.")
    return actor_of_row


async def by_uri(tx: Transaction, uri: str) -> Actor | None:
    """The actor with this id on the wire, letter by letter."""
    row = await tx.first(_BY_URI, uri=uri)
    return None if row is None else from_row(row)


async def by_address(tx: Transaction, handle: str, host: str) -> Actor | None:
    """The actor with this address, its handle in any case (for the operator: all are looked through)."""
    named = (func.lower(actor.c.handle) == handle.lower(), actor.c.host == host)
    row = await tx.first(select(actor).where(*named).order_by(actor.c.id.desc()))
    return None if row is None else from_row(row)


async def by_page(tx: Transaction, url: str) -> Actor | None:
    """The actor of that page's own host with this page (for the operator: all are looked through)."""
    named = (actor.c.url == url, actor.c.uri.startswith(site_of(url), autoescape=True))
    row = await tx.first(select(actor).where(*named).order_by(actor.c.id.desc()))
    return None if row is None else from_row(row)


def site_of(url: str) -> str:
    """How all addresses on the host of this one begin: what another host calls its page is not found by it. Pure."""
    return "/".join(url.split("/", 3)[:3]) + "/"


async def by_ids(tx: Transaction, actor_ids: Collection[int]) -> dict[int, Actor]:
    """Those of these actors that there are, by number."""
    if not actor_ids:
        return {}
    rows = await tx.all(select(actor).where(actor.c.id.in_(sorted(set(actor_ids)))))
    return {row.id: from_row(row) for row in rows}


async def by_uris(tx: Transaction, uris: Collection[str]) -> dict[str, Actor]:
    """Those of these actors that are known, by id on the wire."""
    if not uris:
        return {}
    rows = await tx.all(_BY_URIS, uris=sorted(set(uris)))
    return {row.uri: from_row(row) for row in rows}


async def numbers(tx: Transaction, uris: Collection[str]) -> list[tuple[int, bool]]:
    """The numbers of those of these actors that are known, each with whether it is ours."""
    if not uris:
        return []
    return [(row.id, row.local) for row in await tx.all(_NUMBERS, uris=sorted(set(uris)))]


async def by_key(tx: Transaction, key_id: str) -> tuple[Actor, Key] | None:
    """Whose key this is, and the key."""
    return await tx.first_as(_BY_KEY, _owner_and_key, key=key_id)


def _owner_and_key(row: Any) -> tuple[Actor, Key]:
    return from_row(row), Key(row.key_id, row.id, row.key_algorithm, row.key_public, row.key_fetched_at)


async def keys_of(tx: Transaction, actor_id: int) -> tuple[Key, ...]:
    """The public keys of an actor that are in use, RSA first."""
    rows = await tx.all(
        select(*_PUBLIC_KEY).where(actor_key.c.actor_id == actor_id, actor_key.c.algorithm.in_(["rsa", "ed25519"]))
    )
    return tuple(sorted((_key(row) for row in rows), key=lambda key: (key.algorithm != "rsa", key.id)))


def _key(row: Any) -> Key:
    return Key(row.id, row.actor_id, row.algorithm, row.public, row.fetched_at)
