"""Making a persona."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select

from privapub import identifiers
from privapub.actors import keys as actor_keys
from privapub.actors.addresses import Addresses, followers_of, following_of, inbox_of, outbox_of
from privapub.actors.keys import PrivateKeys
from privapub.actors.tables import actor, actor_key
from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.personas import handles
from privapub.personas.tables import persona


async def create(
    tx: Transaction,
    handle: str,
    keys: PrivateKeys,
    *,
    addresses: Addresses,
    domain: str,
    locked: bool = False,
    name: str = "",
    tags: Sequence[Mapping[str, Any]] = (),
    now: float,
    persona_id: int | None = None,
) -> int:
    """A new persona's number. The keys come from `keys.make`, called in a thread before the transaction.

    `tags` are the emojis of its name; a `persona_id` is the number that was kept for it. Raises InvalidInput for what
    cannot be a handle, Conflict for one that is taken (in any case). Which login holds the persona is said elsewhere.
    """
    unique = handles.check(handle)
    taken = Conflict(f"The handle “{handle}” is taken.", "Choose another one.")
    if await tx.scalar(select(persona.c.id).where(persona.c.handle == unique)) is not None:
        raise taken
    persona_id = identifiers.sortable(now) if persona_id is None else persona_id
    uri = addresses.actor(identifiers.token())
    await tx.execute(
        actor.insert().values(
            id=persona_id,
            uri=uri,
            kind="Person",
            local=True,
            handle=handle,
            host=domain,
            name=name,
            tags=[dict(tag) for tag in tags],
            url=addresses.persona_page(handle),
            inbox=inbox_of(uri),
            shared_inbox=addresses.shared_inbox,
            outbox=outbox_of(uri),
            followers=followers_of(uri),
            following=following_of(uri),
            locked=locked,
            created_at=now,
        )
    )
    made = await tx.scalar(
        tx.insert(persona)
        .values(id=persona_id, handle=unique)
        .on_conflict_do_nothing(index_elements=[persona.c.handle])
        .returning(persona.c.id)
    )
    if made is None:
        raise taken
    await tx.execute(actor_key.insert(), actor_keys.rows(persona_id, uri, keys, now))
    return persona_id
