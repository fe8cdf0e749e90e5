"""Putting right what two servers hold of who follows whom (FEP-8fcf), when what somebody sends says that they differ.

The job of kind `synchronize`, in a lane for each host, has the number of the actor who sent it and the address on that
actor's own host where those of us stand who follow them, as that host sees it. An actor's host is asked once in ten
minutes at most, and can change nothing but follows of its own actors, by ours: which it could do without this too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privapub import clock, identifiers
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.transaction import Transaction
from privapub.errors import PrivaPubError
from privapub.federation.documents import synchronization
from privapub.federation.documents.properties import count, each, identity, types
from privapub.federation.fetching.document import document, final
from privapub.federation.fetching.origin import origin, same_origin
from privapub.follows import follow
from privapub.follows import read as follows
from privapub.follows.facts import FollowWithdrawn
from privapub.follows.read import PENDING
from privapub.jobs.enqueue import put, put_fact
from privapub.jobs.hosts import HOST
from privapub.jobs.job import Done, GiveUp, Job, NewJob, Outcome, Retry
from privapub.outbound.answers import FetchProblem
from privapub.personas import read as personas
from privapub.server import Server

SYNCHRONIZE = "synchronize"
ATTEMPTS = 3
EVERY = 600.0  # seconds in which one actor's host is asked once
PAGES = 20
MOST_UNDONE = 100  # follows that we know nothing of and take back at once: the others come to it the next time
_KINDS = {
    "OrderedCollection": "orderedItems", "OrderedCollectionPage": "orderedItems",
    "Collection": "items", "CollectionPage": "items",
}  # fmt: skip


@dataclass(frozen=True)
class Listed:
    """Who of us follows an actor as their host sees it, asked at this moment."""

    uris: frozenset[str]
    asked_at: float


async def look(tx: Transaction, signer: Actor, value: str, now: float) -> None:
    """Have it put right, if the header that came with what an actor sent says that there is something.

    `value` was covered by their signature. Whatever is not of their own collection and host is passed over.
    """
    said = synchronization.read(value)
    if said is None or said.collection != signer.followers or not same_origin(said.url, signer.uri):
        return
    if not said.url.startswith(signer.uri.partition(":")[0] + ":"):
        return
    if synchronization.digest(await follows.local_followers(tx, signer.id)) == said.digest:
        return
    asked = NewJob(
        SYNCHRONIZE,
        f"{HOST}{origin(signer.uri)}",
        {"actor": signer.id, "url": said.url},
        dedupe_key=f"{SYNCHRONIZE} {signer.id} {int(now // EVERY)}",
    )
    await put(tx, [asked])


async def fetch(server: Server, job: Job) -> Listed | Outcome:
    """Who is in the collection, all of it; what cannot be read whole changes nothing."""
    asked_at = clock.now()
    try:
        found = await _listed(server, str(job.args["url"]))
    except FetchProblem as problem:
        return GiveUp(str(problem)) if final(problem) else Retry(None, str(problem))
    except PrivaPubError as problem:
        return GiveUp(str(problem))
    return GiveUp("the collection cannot be read whole") if found is None else Listed(found, asked_at)


async def _listed(server: Server, url: str) -> frozenset[str] | None:
    """The ids in a collection and its pages, all on one host; None where it has no end or is no such thing."""
    found: set[str] = set()
    following: str | None = url
    read: set[str] = set()
    total = 0
    while following is not None:
        if following in read or len(read) >= PAGES or not same_origin(following, url):
            return None
        read.add(following)
        page = await document(server, following, "collection", fresh=True)
        here = _items(page)
        if here is None:
            return None
        found |= here
        total = max(total, count(page.get("totalItems")) or 0)
        first = page.get("first")
        if isinstance(first, dict):
            within = _items(first)
            if within is None:
                return None
            found |= within
            following = identity(first.get("next"))
        else:
            following = identity(page.get("next")) or (identity(first) if first not in read else None)
            if following is not None and not here and len(read) > 1:  # an empty page that leads on may lead on for ever
                return None
    return frozenset(found) if total <= len(found) else None


def _items(page: Mapping[str, Any]) -> set[str] | None:
    kind = next((name for name in types(dict(page)) if name in _KINDS), None)
    if kind is None:
        return None
    items = each(page.get(_KINDS[kind]))
    found = [identity(item) for item in items]
    return None if None in found else {uri for uri in found if uri is not None}


async def write(server: Server, tx: Transaction, job: Job, listed: Listed, now: float) -> Outcome:
    """Who is not listed follows no more; who waits and is listed follows; who does not follow and is listed says so."""
    followed = await actors.by_id(tx, job.args["actor"])
    if followed is None or followed.local or followed.is_gone or followed.is_blocked:
        return Done()
    for follower_id, uri, answered_at in await follows.local_follows(tx, followed.id):
        # What was agreed since the question is not in the answer.
        if uri not in listed.uris and (answered_at or 0.0) < listed.asked_at:
            await follow.rejected(tx, follower_id, followed.id, now)
    addresses = Addresses(server.base_url)
    undone = 0
    for uri in sorted(uri for uri in listed.uris if addresses.is_ours(uri)):
        if undone == MOST_UNDONE:
            break
        undone += await _stand_to(tx, uri, followed, addresses, now)
    return Done()


async def _stand_to(tx: Transaction, uri: str, followed: Actor, addresses: Addresses, now: float) -> bool:
    """What a persona does that is said to follow; whether it takes back what it has not done."""
    persona = await personas.by_uri(tx, uri)
    if persona is None or persona.closed_at is not None:
        return False
    known = await follows.between(tx, persona.id, followed.id)
    if known is not None and known.state == PENDING:
        await follow.accepted(tx, persona.id, followed.id, now)
    if known is not None and known.state != follows.REJECTED:
        return False
    fact = FollowWithdrawn(persona.id, followed.id, addresses.activity(identifiers.token()))
    await put_fact(tx, fact, about=f"follow {persona.id} {followed.id}")
    return True
