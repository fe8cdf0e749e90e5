"""What the cache of files elsewhere holds, in rows: a row of `cached_file` is there before its file, and goes after it.

So the sum that the row of `proxy` keeps is never less than what is on the disk, whenever a process is killed. Files are
let go in two steps: nothing names them any more (`leaving`), then they are deleted (`sweep`). Whoever changes any of
this locks the row of the proxy before any other row of these tables; a row of a job, if at all, before that.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select, update

from privapub import identifiers
from privapub.database.connect import Database
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.proxy.addresses import ProxyUrls
from privapub.proxy.folder import CacheFolder
from privapub.proxy.tables import cached_file, proxy, remote_file
from privapub.settings import Settings

COMING, READY, FAILED = "coming", "ready", "failed"
HOUR, WEEK = 3600.0, 7 * 86_400.0
# A failure is remembered for the first time, twice as long each time it comes again, and for the second at most.
REMEMBERED, REMEMBERED_AT_MOST = HOUR, WEEK
MOST_FAILURES = 200_000
BLOCK = 4096  # bytes
_AT_ONCE = 100
_ROOM = 1


class NoRoom(Exception):
    """All that could go for a file has to stay: files that are coming take the rest of the cache."""


@dataclass(frozen=True)
class Kept:
    """What is known of a file elsewhere. `files` have role, name, media_type and bytes (None: not told)."""

    state: str
    files: tuple[dict[str, Any], ...]
    tries: int
    reason: str
    again_at: float

    def file(self, role: str) -> dict[str, Any] | None:
        """The file of this role, or the only one that there is."""
        return next((each for each in self.files if each["role"] == role), self.files[0] if self.files else None)

    @property
    def is_readable(self) -> bool:
        """Whether it can be read: whole, or a film of which the rest is coming. A picture is shown once it is made."""
        coming = [each for each in self.files if each["bytes"] is not None and "width" not in each]
        return self.state == READY or (self.state == COMING and bool(coming))

    @property
    def names(self) -> list[str]:
        """What its files are called."""
        return [each["name"] for each in self.files]


def on_disk(size: int) -> int:
    """How much room a file of so many bytes takes: a disk gives it whole blocks (pure)."""
    return max(1, -(-size // BLOCK)) * BLOCK


async def ensure(tx: Transaction, settings: Settings) -> None:
    """The row of the proxy, made at the first call; how files are prefetched is as these settings have it now."""
    after = float(settings.prefetch_after)
    how = {
        "prefetch": settings.prefetch,
        "prefetch_after": after,
        "prefetch_until": max(after, float(settings.prefetch_until)),
    }
    new = tx.insert(proxy).values(id=_ROOM, secret=identifiers.token(), bytes=0, turn=0, **how)
    await tx.execute(new.on_conflict_do_update(index_elements=["id"], set_=how))


async def urls(tx: Transaction, base_url: str) -> ProxyUrls | None:
    """What makes the addresses; None before `ensure`."""
    secret = await tx.scalar(select(proxy.c.secret))
    return None if secret is None else ProxyUrls(base_url, str(secret))


async def look(tx: Transaction, key: str) -> Kept | None:
    """What is known of the file with this key."""
    row = await tx.first(select(remote_file).where(remote_file.c.key == key))
    if row is None:
        return None
    return Kept(row.state, tuple(row.files), row.tries, row.reason, row.again_at)


async def known(tx: Transaction, keys: Collection[str], now: float) -> set[str]:
    """Those of the keys of which nothing is to be fetched: what is here or coming, and what failed not long ago."""
    rows = await tx.all(
        select(remote_file.c.key, remote_file.c.state, remote_file.c.again_at).where(
            remote_file.c.key.in_(sorted(keys))
        )
    )
    return {row.key for row in rows if row.state != FAILED or row.again_at > now}


async def reserve(tx: Transaction, key: str, host: str, files: Sequence[dict[str, Any]], most: int, bound: int) -> bool:
    """Make room for files that are about to be written; False where they need more than the bound.

    One whose `bytes` nobody knows may have `most`. What another attempt had begun is let go, and so are the files that
    were not read for the longest time. Whoever asks has the lease of the job: what is coming is of one attempt, the
    last. Raises NoRoom, after which the transaction is not to be committed.
    """
    sizes = [on_disk(most if each["bytes"] is None else each["bytes"]) for each in files]
    room = sum(sizes)
    if room > bound:
        return False
    turn = await _turn(tx)
    await _let_go(tx, [key])
    await _evict(tx, await _held(tx) + room - bound)
    tries = await tx.scalar(select(remote_file.c.tries).where(remote_file.c.key == key)) or 0
    await _put(tx, key, host=host, state=COMING, files=list(files), turn=turn, tries=tries)
    rows = [{"name": each["name"], "bytes": size} for each, size in zip(files, sizes, strict=True)]
    await tx.execute(cached_file.insert(), rows)
    await tx.execute(update(proxy).values(bytes=proxy.c.bytes + room))
    return True


async def settle(tx: Transaction, key: str, files: Sequence[dict[str, Any]]) -> None:
    """The files that room was made for are there, whole. Where another attempt took their place, nothing changes."""
    turn = await _turn(tx)
    begun = await look(tx, key)
    if begun is None or begun.state != COMING or begun.names != [each["name"] for each in files]:
        return
    for each in files:
        await _resize(tx, each["name"], on_disk(each["bytes"]))
    changed = {"state": READY, "files": list(files), "turn": turn, "tries": 0, "reason": "", "again_at": 0.0}
    await tx.execute(update(remote_file).where(remote_file.c.key == key).values(changed))


async def taken(tx: Transaction) -> int:
    """The room that the files take, or may take: never less than what is on the disk."""
    return int(await tx.scalar(select(proxy.c.bytes)) or 0)


async def holds(tx: Transaction, names: Collection[str]) -> bool:
    """Whether there is still room for these files: where there is not, whoever wrote one deletes it.

    Asked after they are written. What is let go later is deleted by whoever lets it go.
    """
    staying = cached_file.c.name.in_(sorted(names)), ~cached_file.c.leaving
    return len(await tx.all(select(cached_file.c.name).where(*staying))) == len(names)


async def give_back(tx: Transaction, key: str, names: Collection[str]) -> None:
    """These files will not come: the room that they had is free. The file is tried again, and counts as coming."""
    await _turn(tx)
    begun = await look(tx, key)
    if begun is not None and begun.state == COMING and set(begun.names) == set(names):
        await _leave(tx, begun.names)
        await tx.execute(update(remote_file).where(remote_file.c.key == key).values(files=[]))


async def fail(tx: Transaction, key: str, host: str, reason: str, now: float) -> None:
    """There is nothing to be had, for a while; what was begun is let go, but what is ready stays."""
    await _turn(tx)
    before = await look(tx, key)
    if before is not None and before.state == READY:
        return
    await _let_go(tx, [key])
    tries = min((before.tries if before else 0) + 1, 30)
    again_at = now + min(REMEMBERED * 2 ** (tries - 1), REMEMBERED_AT_MOST)
    await _put(tx, key, host=host, state=FAILED, files=[], turn=0, tries=tries, reason=reason, again_at=again_at)


async def forget(tx: Transaction, key: str, names: Collection[str]) -> None:
    """The folder lost files of these names: nothing is known of them any more. What is there by now is left alone."""
    await _turn(tx)
    found = await look(tx, key)
    if found is not None and found.state == READY and set(found.names) == set(names):
        await _let_go(tx, [key])


async def ready(tx: Transaction, after: str, most: int) -> Sequence[tuple[str, tuple[str, ...]]]:
    """The next files that are ready, by key, behind this one: their keys, and the names of what is kept of them."""
    statement = select(remote_file.c.key, remote_file.c.files).where(
        remote_file.c.state == READY, remote_file.c.key > after
    )
    rows = await tx.all(statement.order_by(remote_file.c.key).limit(most))
    return [(row.key, tuple(each["name"] for each in row.files)) for row in rows]


async def named(tx: Transaction, names: Collection[str]) -> set[str]:
    """Those of the names that a row has: such a file is there, or may come, or is about to go."""
    rows = await tx.all(select(cached_file.c.name).where(cached_file.c.name.in_(sorted(names))))
    return {row.name for row in rows}


async def hosts(tx: Transaction) -> set[str]:
    """All hosts of which a file is kept, or is known to be none."""
    return {row.host for row in await tx.all(select(remote_file.c.host).distinct())}


async def forget_host(tx: Transaction, host: str) -> int:
    """The next files of this host are not kept any more; how many. After 0 nothing is known of it."""
    await _turn(tx)
    some = select(remote_file.c.key).where(remote_file.c.host == host, remote_file.c.state != FAILED).limit(_AT_ONCE)
    keys = [row.key for row in await tx.all(some)]
    if keys:
        await _let_go(tx, keys)
    else:
        await tx.execute(delete(remote_file).where(remote_file.c.host == host))
    return len(keys)


async def touch(tx: Transaction, keys: Collection[str]) -> None:
    """These were read, after all that was read before. In which order, and when, is not kept."""
    turn = await _turn(tx)
    which = sorted(keys)
    for at in range(0, len(which), _AT_ONCE):
        some = which[at : at + _AT_ONCE]
        await tx.execute(update(remote_file).where(remote_file.c.key.in_(some)).values(turn=turn))


async def sweep(database: Database, folder: CacheFolder) -> None:
    """Delete what is leaving. Killed in between, the next one does it again."""
    while True:
        async with database.read() as tx:
            rows = await tx.all(select(cached_file.c.name).where(cached_file.c.leaving).limit(_AT_ONCE))
        if not rows:
            return
        names = sorted(row.name for row in rows)
        await folder.delete(names)
        async with database.write() as tx:
            await _turn(tx)
            gone = delete(cached_file).where(cached_file.c.name.in_(names), cached_file.c.leaving)
            freed = sum(int(row.bytes) for row in await tx.all(gone.returning(cached_file.c.bytes)))
            await tx.execute(update(proxy).values(bytes=proxy.c.bytes - freed))


async def prune(tx: Transaction, now: float) -> None:
    """Forget failures that are long over; of very many the newest stay."""
    await tx.scalar(_TURN)  # there is none yet where no server was ever started
    failed = remote_file.c.state == FAILED
    await tx.execute(delete(remote_file).where(failed, remote_file.c.again_at < now - WEEK))
    await keep_newest(tx, remote_file, remote_file.c.again_at, MOST_FAILURES, failed)


_TURN = update(proxy).values(turn=proxy.c.turn + 1).returning(proxy.c.turn)


async def _turn(tx: Transaction) -> int:
    """The next number. Whoever changes what the cache holds takes one first, and so waits for whoever did before."""
    turn = await tx.scalar(_TURN)
    if turn is None:
        raise RuntimeError("the row of the proxy is missing")
    return int(turn)


async def _held(tx: Transaction) -> int:
    """The bytes that will be held once all that is leaving is gone."""
    leaving = await tx.scalar(select(func.sum(cached_file.c.bytes)).where(cached_file.c.leaving))
    return await taken(tx) - int(leaving or 0)


async def _evict(tx: Transaction, excess: int) -> None:
    """Let go of so many bytes, of what was not read for the longest time; NoRoom where there is not as much."""
    ready = select(remote_file.c.key, remote_file.c.files).where(remote_file.c.state == READY)
    while excess > 0:
        oldest = await tx.all(ready.order_by(remote_file.c.turn).limit(_AT_ONCE))
        if not oldest:
            raise NoRoom
        going = []
        for row in oldest:
            if excess > 0:
                going.append(row.key)
                excess -= sum(on_disk(each["bytes"]) for each in row.files)
        await _let_go(tx, going)


async def _let_go(tx: Transaction, keys: Sequence[str]) -> None:
    """Nothing is kept of these: their rows go, but for what is known of failures, and their files are leaving."""
    rows = await tx.all(
        select(remote_file.c.key, remote_file.c.files).where(remote_file.c.key.in_(keys), remote_file.c.state != FAILED)
    )
    names = [each["name"] for row in rows for each in row.files]
    await _leave(tx, names)
    if rows:
        await tx.execute(delete(remote_file).where(remote_file.c.key.in_([row.key for row in rows])))


async def _leave(tx: Transaction, names: Sequence[str]) -> None:
    if names:
        await tx.execute(update(cached_file).where(cached_file.c.name.in_(names)).values(leaving=True))


async def _resize(tx: Transaction, name: str, size: int) -> None:
    before = await tx.scalar(select(cached_file.c.bytes).where(cached_file.c.name == name))
    await tx.execute(update(cached_file).where(cached_file.c.name == name).values(bytes=size))
    await tx.execute(update(proxy).values(bytes=proxy.c.bytes + size - int(before or 0)))


async def _put(tx: Transaction, key: str, **values: Any) -> None:
    new = tx.insert(remote_file).values(key=key, **values)
    changed = {name: new.excluded[name] for name in values}
    await tx.execute(new.on_conflict_do_update(index_elements=["key"], set_=changed))
