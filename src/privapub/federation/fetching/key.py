"""The key that a signature names, and whose it is: claimed by the key and by the actor, both of one host."""

from typing import Any

from privapub.actors import read, remote
from privapub.actors.read import Actor
from privapub.errors import NotAllowed
from privapub.federation.documents.read_actor import RemoteActor, read_actor
from privapub.federation.fetching.actor import learn
from privapub.federation.fetching.document import told
from privapub.federation.fetching.origin import bare, origin, same_origin
from privapub.federation.signatures.keys import PublicKey
from privapub.outbound.answers import FetchProblem
from privapub.outbound.gate import DISALLOWED
from privapub.server import Server


class NotTheirKey(NotAllowed):
    """This key does not belong to whom it is said to belong."""


NO_NUMBER = -1  # of an actor of whom nothing is kept: no row has it


async def fetch_key(server: Server, key_id: str, *, fresh: bool = False, kept: bool = True) -> tuple[Actor, PublicKey]:
    """The key with this id, fetched, and its owner, learnt.

    Unless it is to be `kept`, nothing is written down: an actor who was not known then has the number NO_NUMBER.

    The id may name a part of an actor, an actor (its first key), or a document of its own: then its owner's document
    must list the same key. It is never asked only whether anything has changed: whoever needs a key has none that fits.

    Raises FetchProblem, NotTheirKey, BadKey, or InvalidInput where what came is no actor.
    """
    answer = await told(server, bare(key_id), "key", fresh=fresh)
    found = answer.content
    owner = _owner(found)
    if owner is None:
        record = read_actor(found)
    else:
        if found.get("id") != key_id or not same_origin(owner, key_id):
            raise NotTheirKey
        answer = await told(server, bare(owner), "key", fresh=fresh)
        record = read_actor(answer.content)
        if record.uri != owner or listed(record, key_id)[1] != _text(found):
            raise NotTheirKey
    if not same_origin(record.uri, key_id):
        raise NotTheirKey
    public = public_key(record.uri, *listed(record, key_id))
    if not kept:
        return await _as_met(server, record), public
    actor = await learn(server, record, answer.validators)
    async with server.database.read() as tx:
        known = await read.by_key(tx, public.id)
    if known is not None and known[0].id != actor.id:
        # The key's own address says whose it is: another actor of that host had claimed it.
        async with server.database.write() as tx:
            await remote.give_key(tx, public.id, actor.id)
        actor = await learn(server, record, answer.validators)
    return actor, public


async def _as_met(server: Server, record: RemoteActor) -> Actor:
    async with server.database.read() as tx:
        known = await read.by_uri(tx, record.uri)
    if known is not None and known.is_blocked:
        raise FetchProblem(origin(record.uri), DISALLOWED)
    return known or Actor(
        id=NO_NUMBER, uri=record.uri, kind=record.kind, local=False, handle=record.handle, host=origin(record.uri),
        name="", summary="", url=None, icon=None, image=None, fields=(), inbox=record.inbox, shared_inbox=None,
        outbox=None, followers=None, following=None, locked=False, discoverable=False, indexable=False,
        also_known_as=(), moved_to=None, state=read.HERE, created_at=0.0, updated_at=None, fetched_at=None,
    )  # fmt: skip


def public_key(owner: str, key_id: str, text: str) -> PublicKey:
    """A key as it is stored: PEM, or multibase where it came as a Multikey. BadKey where it cannot be used."""
    if text.startswith("z"):
        return PublicKey.from_multibase(key_id, owner, text)
    return PublicKey.from_pem(key_id, owner, text)


def listed(record: RemoteActor, key_id: str) -> tuple[str, str]:
    """Id and text of the key in the actor's own list: the first where the id is the actor's. Raises NotTheirKey.

    A key whose id is on another host is not theirs, whoever lists it.
    """
    for found_id, _owner, _algorithm, text in record.keys:
        if key_id in (found_id, record.uri) and same_origin(found_id, record.uri):
            return found_id, text
    raise NotTheirKey


def _owner(found: dict[str, Any]) -> str | None:
    """Whose key document this is; None where it is none."""
    if "publicKeyPem" not in found and "publicKeyMultibase" not in found:
        return None
    owner = found.get("owner", found.get("controller"))
    return owner if isinstance(owner, str) else ""


def _text(found: dict[str, Any]) -> str:
    text = found.get("publicKeyPem", found.get("publicKeyMultibase"))
    return text.strip() if isinstance(text, str) else ""
