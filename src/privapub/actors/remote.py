"""What we keep of actors elsewhere: learning of one, its keys, and that it is gone."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import and_, delete, func, or_, select, update

from privapub import identifiers
from privapub.actors.facts import ActorGone
from privapub.actors.read import GONE, HERE
from privapub.actors.tables import actor, actor_key
from privapub.database.transaction import Transaction
from privapub.errors import NotAllowed
from privapub.jobs.enqueue import put_fact
from privapub.moderation import rules
from privapub.outbound.target import host_of
from privapub.outbound.validators import NONE, Validators

_NEVER_CHANGED = frozenset({"id", "uri", "local", "created_at"})


@dataclass(frozen=True)
class LearntKey:
    """A public key as the actor's document names it: `algorithm` is "rsa" or "ed25519"."""

    id: str
    algorithm: str
    public: str


@dataclass(frozen=True)
class Profile:
    """What an actor's own host says of it. HTML (`summary`, values of `fields`) has been cleaned by the caller.

    `host` is the part of the address after the @, as webfinger confirmed it; `updated_at` what the document says.
    """

    uri: str
    kind: str
    handle: str
    host: str
    inbox: str
    name: str = ""
    summary: str = ""
    url: str | None = None
    icon: str | None = None
    icon_alt: str = ""
    image: str | None = None
    image_alt: str = ""
    fields: tuple[Mapping[str, str], ...] = ()
    shared_inbox: str | None = None
    outbox: str | None = None
    followers: str | None = None
    following: str | None = None
    featured: str | None = None
    featured_tags: str | None = None
    language: str | None = None
    tags: tuple[Mapping[str, str], ...] = ()
    memorial: bool = False
    suspended: bool = False
    notes: tuple[tuple[str, str], ...] = ()  # what could not be read: (property, sentence)
    locked: bool = False
    discoverable: bool = False
    indexable: bool = False
    also_known_as: tuple[str, ...] = ()
    attribution_domains: tuple[str, ...] = ()  # hosts whose pages may name it as their author
    moved_to: str | None = None
    updated_at: float | None = None
    # Of the answer in which its document came; none where it came in another way.
    etag: str | None = None
    last_modified: str | None = None
    keys: tuple[LearntKey, ...] = ()


_TOLD = tuple(field.name for field in fields(Profile) if field.name != "keys")


async def learn(tx: Transaction, profile: Profile, now: float) -> int:
    """Keep what we were told of a remote actor and return its number; the same uri is the same actor.

    A profile whose `updated_at` is older than what is kept changes nothing, but counts as read. The keys become those
    of the profile (where it names none, the known ones stay); a key id that is another actor's stays theirs.
    Raises NotAllowed for a uri of ours.
    """
    origin, host = host_of(profile.uri), profile.host.lower()
    hosts = {origin, host_of(f"https://{host}/")}
    row: dict[str, Any] = {name: getattr(profile, name) for name in _TOLD} | {
        "id": identifiers.sortable(now),
        "local": False,
        "host": host,
        "origin": origin,
        "standing": (await rules.about(tx, hosts)).standing(hosts),
        "fields": [dict(field) for field in profile.fields],
        "tags": [dict(tag) for tag in profile.tags],
        "notes": [list(note) for note in profile.notes],
        "also_known_as": list(profile.also_known_as),
        "attribution_domains": list(profile.attribution_domains),
        "state": HERE,
        "created_at": now,
        "fetched_at": now,
        "inbox_gone_at": None,
    }
    insert = tx.insert(actor).values(row)
    changes = {name: insert.excluded[name] for name in row if name not in _NEVER_CHANGED}
    changes["updated_at"] = func.coalesce(insert.excluded.updated_at, actor.c.updated_at)
    not_older = or_(
        insert.excluded.updated_at.is_(None),
        actor.c.updated_at.is_(None),
        insert.excluded.updated_at >= actor.c.updated_at,
    )
    taken = await tx.scalar(
        insert.on_conflict_do_update(
            index_elements=[actor.c.uri], set_=changes, where=and_(actor.c.local.is_(False), not_older)
        ).returning(actor.c.id)
    )
    if taken is None:
        return await _was_read(tx, profile.uri, now)
    actor_id: int = taken
    await _replace_keys(tx, actor_id, profile.keys, now)
    return actor_id


async def _was_read(tx: Transaction, uri: str, now: float) -> int:
    known = await tx.first(select(actor.c.id, actor.c.local).where(actor.c.uri == uri))
    if known is None or known.local:
        raise NotAllowed("This actor is one of ours: nobody else tells us of it.")
    await tx.execute(update(actor).where(actor.c.id == known.id).values(fetched_at=now))
    actor_id: int = known.id
    return actor_id


async def validators(tx: Transaction, uri: str) -> Validators:
    """With which the document of a remote actor may be asked for if it is another than the one that is kept."""
    row = await tx.first(select(actor.c.etag, actor.c.last_modified).where(actor.c.uri == uri, ~actor.c.local))
    return NONE if row is None else Validators(row.etag, row.last_modified)


async def unchanged(tx: Transaction, uri: str, now: float) -> None:
    """The document of a remote actor is the one that is kept: that counts as read."""
    await tx.execute(update(actor).where(actor.c.uri == uri, ~actor.c.local).values(fetched_at=now))


async def _replace_keys(tx: Transaction, actor_id: int, keys: tuple[LearntKey, ...], now: float) -> None:
    if not keys:
        return
    ids = sorted({key.id for key in keys})
    await tx.execute(delete(actor_key).where(actor_key.c.actor_id == actor_id, actor_key.c.id.not_in(ids)))
    # In one order everywhere, so that two who learn at once do not wait for each other.
    for key in sorted(keys, key=lambda one: one.id):
        await learn_key(tx, actor_id, key, now)


async def learn_key(tx: Transaction, actor_id: int, key: LearntKey, now: float) -> bool:
    """Keep a key of a remote actor; False where that key id belongs to another actor or the key is one of ours."""
    insert = tx.insert(actor_key).values(
        id=key.id, actor_id=actor_id, algorithm=key.algorithm, public=key.public, fetched_at=now
    )
    kept = await tx.scalar(
        insert.on_conflict_do_update(
            index_elements=[actor_key.c.id],
            set_={name: insert.excluded[name] for name in ("algorithm", "public", "fetched_at")},
            where=and_(actor_key.c.actor_id == insert.excluded.actor_id, actor_key.c.private.is_(None)),
        ).returning(actor_key.c.id)
    )
    return kept is not None


async def inbox_gone(tx: Transaction, uri: str, inbox: str, now: float) -> None:
    """The own inbox of a remote actor says that it is gone: nothing goes there until the actor is read again, whole."""
    await tx.execute(
        update(actor)
        .where(actor.c.uri == uri, actor.c.inbox == inbox, ~actor.c.local)
        .values(inbox_gone_at=now, etag=None, last_modified=None)
    )


async def give_key(tx: Transaction, key_id: str, actor_id: int) -> None:
    """Forget a key of any other remote actor than this one, to whom its own address says that it belongs."""
    await tx.execute(
        delete(actor_key).where(
            actor_key.c.id == key_id, actor_key.c.actor_id != actor_id, actor_key.c.private.is_(None)
        )
    )


async def mark_gone(tx: Transaction, actor_id: int, now: float) -> bool:
    """A remote actor is no more: fact ActorGone, once. False where it was gone already, is unknown or is ours.

    Its follows end with the fact (`follows.follow.end_all`); its keys stay, so that what it still sends can be told
    from forgeries.
    """
    changed = await tx.execute(
        update(actor)
        .where(actor.c.id == actor_id, actor.c.local.is_(False), actor.c.state != GONE)
        .values(state=GONE, fetched_at=now, etag=None, last_modified=None)
    )
    if changed.rowcount == 0:
        return False
    await put_fact(tx, ActorGone(actor_id), about=f"actor {actor_id}")
    return True
