"""What tries of deliveries need from the database, read in one transaction for all that ask at the same time.

Every try reads afresh: what was deleted meanwhile is not sent, and a host's scheme is the last that worked. Jobs that
were leased together start together, so that most of them share their reading.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, select

from privapub import clock
from privapub.actors.keys import RSA
from privapub.actors.tables import actor_key
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.delivery.tables import rendering
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.origin import origin
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey

AT_A_TIME = 200


@dataclass(frozen=True)
class Parcel:
    """Everything that a try needs: the bytes, the base64 of their SHA-256, and how to sign for this inbox."""

    inbox: str
    body: bytes
    digest: str
    key: PrivateKey
    scheme: Scheme


@dataclass(frozen=True)
class _Asked:
    name: str
    host: str
    told: "asyncio.Future[tuple[Any, Scheme] | None]"


class Parcels:
    """Reads parcels; one for the process."""

    def __init__(self, database: Database) -> None:
        """Read from this database, when somebody asks."""
        self._database = database
        self._asked: list[_Asked] = []
        self._reading: asyncio.Task[None] | None = None

    async def of(self, rendering_id: str, inbox: str) -> Parcel | None:
        """What brings a rendering to an inbox now, or None where it is no more.

        Raises NotFound where its author has no key to sign with, and whatever the database raises.
        """
        asked = _Asked(rendering_id, origin(inbox), asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        if self._reading is None:
            self._reading = asyncio.create_task(self._read())
        found = await asked.told
        if found is None:
            return None
        row, scheme = found
        if row.private is None:
            raise NotFound("This actor has no key here to sign with.")
        return Parcel(inbox, row.body, row.digest, _key(row.key_id, row.private), scheme)

    async def _read(self) -> None:
        try:
            while self._asked:
                asked, self._asked = self._asked[:AT_A_TIME], self._asked[AT_A_TIME:]
                try:
                    async with self._database.read() as tx:
                        found = await _found(tx, asked, clock.now())
                except Exception as error:  # noqa: BLE001 - it is raised where the parcels were asked for
                    for one in asked:
                        if not one.told.done():
                            one.told.set_exception(error)
                else:
                    for one, what in zip(asked, found, strict=True):
                        if not one.told.done():
                            one.told.set_result(what)
        finally:
            self._reading = None


async def _found(tx: Transaction, asked: Sequence[_Asked], now: float) -> list[tuple[Any, Scheme] | None]:
    """For each, the row of its rendering with the key of the author, and the host's scheme."""
    found = await tx.connection.execute(_RENDERINGS, {"ids": sorted({one.name for one in asked})})
    rows = {row.id: row for row in found}
    liked = await schemes.of_hosts(tx, {one.host for one in asked}, now)
    return [(rows[one.name], liked[one.host]) if one.name in rows else None for one in asked]


@lru_cache(maxsize=16)
def _key(key_id: str, pem: str) -> PrivateKey:
    """A key ready to sign: to read it from its text takes longer than most of what a try does besides."""
    return PrivateKey.from_pem(key_id, pem)


_RENDERINGS = (
    select(rendering.c.id, rendering.c.body, rendering.c.digest, actor_key.c.id.label("key_id"), actor_key.c.private)
    .join(
        actor_key,
        and_(
            actor_key.c.actor_id == rendering.c.actor_id, actor_key.c.algorithm == RSA, actor_key.c.private.is_not(None)
        ),
        isouter=True,
    )
    .where(rendering.c.id.in_(bindparam("ids", expanding=True)))
)
