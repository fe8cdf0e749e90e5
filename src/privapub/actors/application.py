"""The actor of the server itself: it signs our fetches, so that no persona is revealed by what it reads."""

import asyncio

from privapub import identifiers
from privapub.actors import keys
from privapub.actors.addresses import Addresses, followers_of, following_of, inbox_of, outbox_of
from privapub.actors.read import Actor, by_uri
from privapub.actors.tables import actor, actor_key
from privapub.database.transaction import Transaction

KIND = "Application"


async def ensure(tx: Transaction, addresses: Addresses, domain: str, now: float) -> Actor:
    """The application actor, made at the first call (with its keys, which takes a moment) and the same ever after."""
    uri = addresses.application
    known = await by_uri(tx, uri)
    if known is not None:
        return known
    private = await asyncio.to_thread(keys.make)
    actor_id = identifiers.sortable(now)
    made = await tx.scalar(
        tx.insert(actor)
        .values(
            id=actor_id,
            uri=uri,
            kind=KIND,
            local=True,
            handle=domain,
            host=domain,
            url=addresses.base_url,
            inbox=inbox_of(uri),
            shared_inbox=addresses.shared_inbox,
            outbox=outbox_of(uri),
            followers=followers_of(uri),
            following=following_of(uri),
            locked=True,
            created_at=now,
        )
        .on_conflict_do_nothing(index_elements=[actor.c.uri])
        .returning(actor.c.id)
    )
    if made is not None:
        await tx.execute(actor_key.insert(), keys.rows(actor_id, uri, private, now))
    known = await by_uri(tx, uri)
    if known is None:
        raise RuntimeError("the application actor is neither here nor can it be made")
    return known
