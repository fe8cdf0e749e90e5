"""Having files elsewhere fetched, whether or not anybody looks: so that to be asked for one tells its host nothing.

A file is fetched after a delay by chance, once for its use and this server. What a reader misses is fetched after a
delay as well, unless the operator switched that off: then it is fetched at once, because somebody reads.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import func, select, text

from privapub import identifiers, scope
from privapub.database.transaction import Transaction
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job
from privapub.outbound.target import host_of
from privapub.proxy import cache
from privapub.proxy.addresses import ProxyUrls, Use, Wanted, may_be_asked
from privapub.proxy.tables import proxy

REMOTE_FILE = "remote_file"  # the kind of the job
MOST_AT_ONCE = 48  # files that one post or one profile causes to be fetched, the first of those that it names
# Of those that wait to be fetched. What is over it is fetched when a reader misses it.
MOST_OF_HOST, MOST_WAITING = 2_000, 20_000
_BY_FAMILY: Mapping[str, Use] = {"image": "picture", "video": "film", "audio": "sound"}
_WAITING = text("state = 'waiting' AND NOT alone")  # as their index says it
_BY_TYPE: Mapping[str, Use] = {"Video": "film", "Audio": "sound"}


def use_of(attachment: Mapping[str, Any]) -> Use:
    """As what a file of a post is used: by its media type, else by what its post calls it (pure)."""
    family = str(attachment.get("media_type") or "").partition("/")[0]
    return _BY_FAMILY.get(family) or _BY_TYPE.get(str(attachment.get("type")), "picture")


def of_post(attachments: Iterable[Mapping[str, Any]], tags: Iterable[Mapping[str, Any]]) -> list[Wanted]:
    """The files of a post, the still pictures of its films, and those of its emojis (pure)."""
    return [*of_attachments(attachments), *of_tags(tags)]


def of_attachments(attachments: Iterable[Mapping[str, Any]]) -> list[Wanted]:
    """The files of a post, and the still pictures of its films (pure)."""
    found = [Wanted(use_of(each), str(each.get("url") or "")) for each in attachments]
    return [*found, *(Wanted("picture", str(each.get("preview") or "")) for each in attachments)]


def of_tags(tags: Iterable[Mapping[str, Any]]) -> list[Wanted]:
    """The pictures of the emojis among the tags of a post or an actor (pure)."""
    return [Wanted("emoji", str(tag.get("href") or "")) for tag in tags if tag.get("type") == "Emoji"]


def of_actor(icon: str | None, image: str | None, tags: Iterable[Mapping[str, Any]]) -> list[Wanted]:
    """The pictures of an actor (pure)."""
    return [Wanted("avatar", icon or ""), Wanted("header", image or ""), *of_tags(tags)]


async def plan(tx: Transaction, wanted: Collection[Wanted], now: float) -> None:
    """Queue the fetches of those files that are neither here nor on their way."""
    because = scope.READER if scope.current().trigger == scope.READER else ""
    await _put(tx, wanted, now, trigger=because)


async def ask(tx: Transaction, wanted: Wanted, now: float, *, lost: bool = False) -> None:
    """A reader missed this file. Of its fetch, nothing but a count remains (SPEC 4.3).

    `lost`: by what is known it is here, but it was not found; whoever is to fetch it looks as well, and fetches it if
    that is so.
    """
    await _put(tx, [wanted], now, trigger=scope.READER, asked=True, lost=lost)


async def _put(
    tx: Transaction, wanted: Collection[Wanted], now: float, *, trigger: str, asked: bool = False, lost: bool = False
) -> None:
    some = [each for each in wanted if may_be_asked(each.url)]
    how = await tx.first(select(proxy)) if some else None
    if how is None or not (how.prefetch or asked):
        return
    urls = ProxyUrls("", how.secret)
    by_key = {urls.key(each): each for each in some[:MOST_AT_ONCE]}
    known = set() if lost else await cache.known(tx, by_key, now)
    open_lanes = await _not_full(tx, {_lane(each) for key, each in by_key.items() if key not in known})
    jobs = [
        NewJob(
            REMOTE_FILE,
            _lane(each),
            {"key": key, "use": each.use, "url": each.url},
            run_at=now + (identifiers.uniform(how.prefetch_after, how.prefetch_until) if how.prefetch else 0.0),
            dedupe_key=f"{REMOTE_FILE} {key}",
            trigger=trigger,
            unique_while_waiting=True,
        )
        for key, each in by_key.items()
        if key not in known and _lane(each) in open_lanes
    ]
    await put(tx, jobs)


def _lane(wanted: Wanted) -> str:
    return f"host:{host_of(wanted.url)}"


async def _not_full(tx: Transaction, lanes: Collection[str]) -> Collection[str]:
    """Those of the lanes in which something may still be put: posts of strangers name files anywhere, without end."""
    waiting = job.c.scope == "", job.c.kind == REMOTE_FILE, _WAITING
    if not lanes or await tx.first(select(job.c.id).where(*waiting).offset(MOST_WAITING - 1).limit(1)):
        return ()
    counted = select(job.c.lane, func.count().label("number")).where(*waiting, job.c.lane.in_(sorted(lanes)))
    full = {row.lane for row in await tx.all(counted.group_by(job.c.lane)) if row.number >= MOST_OF_HOST}
    return set(lanes) - full
