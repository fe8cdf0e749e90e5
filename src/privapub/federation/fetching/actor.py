"""An actor: from the database while that is young, else from its origin, under the address that its hosts confirm."""

from dataclasses import replace

from privapub import clock
from privapub.actors import read, remote
from privapub.actors.read import Actor
from privapub.budget import SPENT
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.federation.documents.problems import BadDocument
from privapub.federation.documents.read_actor import RemoteActor, read_actor
from privapub.federation.fetching import scheme as schemes
from privapub.federation.fetching.document import Unchanged, final, told
from privapub.federation.fetching.jrd import Name, canonical, read_name
from privapub.federation.fetching.origin import origin, same_origin
from privapub.markup.clean import clean
from privapub.outbound.answers import FetchProblem
from privapub.outbound.gate import DISALLOWED
from privapub.outbound.validators import NONE, Validators
from privapub.proxy import prefetch
from privapub.server import Server

YOUNG = 86400.0  # seconds
_KEPT = (
    "uri", "kind", "handle", "inbox", "name", "url", "icon", "icon_alt", "image", "image_alt", "shared_inbox", "outbox",
    "following", "locked", "discoverable", "indexable", "also_known_as", "moved_to", "updated_at", "language",
    "memorial", "suspended", "notes", "attribution_domains",
)  # fmt: skip


async def fetch_actor(server: Server, uri: str, *, fresh: bool = False, pages: bool = False) -> Actor:
    """The actor with this id (or the one that this URL leads to; with `pages` a page may lead there, as in `document`).

    One that was fetched within a day is not fetched again unless `fresh`; an older one that cannot be fetched now is
    given as it is known. Of one who is known it is asked whether their document has changed; a peer that always denies
    that hides no new key, since a key is fetched without that question (`key.fetch_key`).

    Raises FetchProblem (`disallowed` where the server is blocked), or InvalidInput where what came is no actor.
    """
    async with server.database.read() as tx:
        known = await read.by_uri(tx, uri)
        # A page that is asked for beside the document may have validators of its own.
        held = NONE if known is None or pages else await remote.validators(tx, uri)
    if known is not None and known.is_blocked:
        raise FetchProblem(origin(uri), DISALLOWED)
    if known is not None and (known.local or (not fresh and _young(known))):
        return known
    try:
        found = await _record(server, uri, held, fresh=fresh, pages=pages)
    except Unchanged:
        async with server.database.write() as tx:
            await remote.unchanged(tx, uri, clock.now())
            known = await read.by_uri(tx, uri)
        return _as_learnt(known)
    except FetchProblem as problem:
        if known is None or fresh or final(problem):
            raise
        return known
    return await learn(server, *found)


async def _record(
    server: Server, uri: str, held: Validators, *, fresh: bool, pages: bool
) -> tuple[RemoteActor, Validators]:
    """What the document says. One without an inbox may be all that is shown to whose signature is not understood."""
    try:
        found = await told(server, uri, "actor", fresh=fresh, pages=pages, held=held)
        return read_actor(found.content), found.validators
    except BadDocument as bad:
        if bad.reason != "no-inbox":
            raise
    found = await told(server, uri, "actor", fresh=True, pages=pages, knock=True)
    record = read_actor(found.content)
    async with server.database.write() as tx:
        host, now = origin(record.uri), clock.now()
        await schemes.remember(tx, host, schemes.other(await schemes.of_host(tx, host, now)), now)
    return record, found.validators


async def fetch_author(server: Server, uri: str) -> Actor:
    """The actor with this very id, as a post names it.

    Raises as `fetch_actor`; NotAllowed where the id leads to another actor, who is not who says so.
    """
    author = await fetch_actor(server, uri)
    if author.uri != uri:
        raise NotAllowed("This post names an author that is somebody else.")
    return author


def _young(known: Actor) -> bool:
    return known.fetched_at is not None and known.fetched_at > clock.now() - YOUNG


async def learn(server: Server, record: RemoteActor, validators: Validators = NONE) -> Actor:
    """Write down what an actor's own document says, under the address that its hosts confirm.

    The validators are those of the answer in which the document came; none where it came in another way.
    """
    async with server.database.read() as tx:
        known = await read.by_uri(tx, record.uri)
    host = known.host if known is not None and known.handle == record.handle else await _host(server, record)
    kept = replace(profile(record, host), etag=validators.etag, last_modified=validators.last_modified)
    async with server.database.write() as tx:
        actor_id = await remote.learn(tx, kept, clock.now())
        await prefetch.plan(tx, prefetch.of_actor(kept.icon, kept.image, kept.tags), clock.now())
        actor = await read.by_id(tx, actor_id)
    return _as_learnt(actor)


def _as_learnt(actor: Actor | None) -> Actor:
    """An actor who was just written down, if they may be known at all."""
    if actor is None:
        raise NotFound("There is no such actor.")
    if actor.is_blocked:
        raise FetchProblem(origin(actor.uri), DISALLOWED)
    return actor


def profile(record: RemoteActor, host: str) -> remote.Profile:
    """What is kept of an actor's document: HTML cleaned, and no key or collection that another host holds (pure)."""
    values = {name: getattr(record, name) for name in _KEPT}
    ours = [key for key in record.keys if same_origin(key[0], record.uri)]

    def own(collection: str | None) -> str | None:
        return collection if collection and same_origin(collection, record.uri) else None

    return remote.Profile(
        **values,
        host=host,
        summary=clean(record.summary),
        fields=tuple({"name": each["name"], "value": clean(each["value"])} for each in record.fields),
        followers=own(record.followers),
        featured=own(record.featured),
        featured_tags=own(record.featured_tags),
        tags=tuple(
            {"type": tag.type, "name": tag.name, "href": tag.href} for tag in record.tags if tag.type != "Mention"
        ),
        keys=tuple(remote.LearntKey(key_id, algorithm, text) for key_id, _owner, algorithm, text in ours),
    )


async def _host(server: Server, record: RemoteActor) -> str:
    """The part of the address after the @: the id's own host unless that actor and another host agree on the other.

    The address that the document itself names (FEP-2c59) is asked first, then the one on the id's own host.
    """
    for name in _names(record):
        try:
            found = await canonical(server, name, scheme=record.uri.partition(":")[0])
        except (FetchProblem, NotFound, InvalidInput) as problem:
            # Whoever is at home on a blocked host is kept out with it, wherever their documents are; and where there is
            # no more to be asked, nobody is given an address that nobody confirmed.
            if isinstance(problem, FetchProblem) and problem.reason in (DISALLOWED, SPENT):
                raise
            continue
        if found.uri == record.uri and found.name.handle == record.handle:
            return found.name.host
    return origin(record.uri)


def _names(record: RemoteActor) -> list[Name]:
    """The addresses that an actor may have; an own one under another handle than it bears is none (pure)."""
    own = Name(record.handle, origin(record.uri))
    try:
        claimed = read_name(record.webfinger)
    except InvalidInput:
        return [own]
    return [own] if claimed.handle != record.handle or claimed == own else [claimed, own]
