"""Signing what goes out: at each hop afresh, our own GETs as the application actor."""

from functools import lru_cache

from privapub import clock
from privapub.actors import application
from privapub.actors.addresses import Addresses
from privapub.actors.keys import signing_key
from privapub.actors.read import by_uri
from privapub.federation.signatures.claim import Scheme
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from privapub.outbound.client import Headers, Sign
from privapub.server import Server


async def application_key(server: Server) -> PrivateKey:
    """The key that signs what we fetch; made with its actor where there is none yet."""
    uri = Addresses(server.base_url).application
    async with server.database.read() as tx:
        actor = await by_uri(tx, uri)
        found = None if actor is None else await signing_key(tx, actor.id)
    if found is None:
        async with server.database.write() as tx:
            made = await application.ensure(tx, Addresses(server.base_url), server.domain, clock.now())
            found = await signing_key(tx, made.id)
    return _read(*found)


@lru_cache(maxsize=4)
def _read(key_id: str, pem: str) -> PrivateKey:
    """A key ready to sign: to read it from its text takes longer than to sign with it."""
    return PrivateKey.from_pem(key_id, pem)


def signer(key: PrivateKey, scheme: Scheme) -> Sign:
    """What the door calls at each hop: a signature of its own for each."""

    async def add(method: str, url: str, headers: Headers, body: bytes) -> Headers:
        return sign(HttpRequest(method, url, headers, body), key, scheme, clock.now())

    return add
