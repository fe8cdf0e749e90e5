"""What tries of deliveries need from the database, read in one go for all that ask at the same time.

Every try reads afresh: what was deleted meanwhile is not sent, and a host's scheme is the last that worked. Jobs that
were leased together start together, so that most of them share their reading.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, select

from privapub import clock
from privapub.actors.keys import ED25519, RSA
from privapub.actors.tables import actor, actor_key
from privapub.database.connect import Database
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.delivery.proven import proven_again
from privapub.federation.delivery.synchronization import header
from privapub.federation.delivery.tables import rendering
from privapub.federation.delivery.together import Together
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.origin import origin
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.digest import sha256_base64
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.outbound.client import Headers, Sign

AT_A_TIME = 200

_Asked = tuple[str, str]  # the name of a rendering, and the host it goes to
_Found = tuple[Any, Scheme, Headers]


@dataclass(frozen=True)
class Parcel:
    """Everything that a try needs: the bytes, the base64 of their SHA-256, and how to sign for this inbox.

    `former` is the key before, of the same id, where this tells that there is another: for who refuses the new one.
    """

    inbox: str
    body: bytes
    digest: str
    key: PrivateKey
    scheme: Scheme
    former: PrivateKey | None = None
    headers: Headers = ()  # more fields, which the signature covers


class Parcels:
    """Reads parcels; one for the process."""

    def __init__(self, database: Database) -> None:
        """Read from this database, when somebody asks."""
        self._database = database
        self._reading = Together(self._read, AT_A_TIME)

    async def of(self, rendering_id: str, inbox: str) -> Parcel | None:
        """What brings a rendering to an inbox now, or None where it is no more.

        Raises NotFound where its author has no key to sign with, and whatever the database raises.
        """
        found = await self._reading.ask((rendering_id, origin(inbox)))
        if found is None:
            return None
        row, scheme, headers = found
        if row.private is None:
            raise NotFound("This actor has no key here to sign with.")
        former = None if row.former_key is None else _key(row.key_id, row.former_key)
        body, digest = _as_sent(row)
        return Parcel(inbox, body, digest, _key(row.key_id, row.private), scheme, former, headers)

    async def _read(self, asked: Sequence[_Asked]) -> list[_Found | None]:
        async with self._database.look() as tx:
            return await _found(tx, asked, clock.now())


def signer(parcel: Parcel, scheme: Scheme) -> Sign:
    """What the door calls to have a parcel signed by one of the schemes."""

    async def add(method: str, url: str, headers: Headers, body: bytes) -> Headers:
        request = HttpRequest(method, url, (*headers, *parcel.headers), body)
        # Here and now: a thread that signs waits for the interpreter before and after, for longer than it signs.
        return (*parcel.headers, *sign(request, parcel.key, scheme, clock.now(), parcel.digest))

    return add


async def _found(tx: Transaction, asked: Sequence[_Asked], now: float) -> list[_Found | None]:
    """For each, the row of its rendering with the key of the author, the host's scheme, and what else it is told."""
    rows = {row.id: row for row in await tx.all(_RENDERINGS, ids=sorted({name for name, _ in asked}))}
    liked = await schemes.of_hosts(tx, {host for _, host in asked}, now)
    return [
        (rows[name], liked[host], await _told(tx, rows[name], host)) if name in rows else None for name, host in asked
    ]


async def _told(tx: Transaction, row: Any, host: str) -> Headers:
    return (await header(tx, row.actor_id, row.actor_uri, host),) if row.for_followers else ()


def _as_sent(row: Any) -> tuple[bytes, str]:
    """The bytes and their digest. Where the author has other keys since, a proof is made anew (pure)."""
    if row.proves_since is None or row.proves_since <= row.created_at:
        return row.body, row.digest
    body = proven_again(row.body, row.proof_key_id, row.proof_private, row.proves_since)
    return body, sha256_base64(body)


@lru_cache(maxsize=16)
def _key(key_id: str, pem: str) -> PrivateKey:
    """A key ready to sign: to read it from its text takes longer than most of what a try does besides."""
    return PrivateKey.from_pem(key_id, pem)


_proof_key = actor_key.alias("proof_key")
_RENDERINGS = (
    select(
        rendering.c.id,
        rendering.c.body,
        rendering.c.digest,
        rendering.c.created_at,
        actor_key.c.id.label("key_id"),
        actor_key.c.private,
        rendering.c.former_key,
        rendering.c.for_followers,
        rendering.c.actor_id,
        actor.c.uri.label("actor_uri"),
        _proof_key.c.id.label("proof_key_id"),
        _proof_key.c.private.label("proof_private"),
        _proof_key.c.fetched_at.label("proves_since"),
    )
    .join(actor, actor.c.id == rendering.c.actor_id)
    .join(
        actor_key,
        and_(
            actor_key.c.actor_id == rendering.c.actor_id, actor_key.c.algorithm == RSA, actor_key.c.private.is_not(None)
        ),
        isouter=True,
    )
    .join(
        _proof_key,
        and_(
            _proof_key.c.actor_id == rendering.c.actor_id,
            _proof_key.c.algorithm == ED25519,
            _proof_key.c.private.is_not(None),
        ),
        isouter=True,
    )
    .where(rendering.c.id.in_(bindparam("ids", expanding=True)))
)
