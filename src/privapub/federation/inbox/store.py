"""The queue's memory of what came: one row for each owner, id and canonical content."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, Literal

import msgspec
from sqlalchemy import Executable, and_, bindparam, delete, func, or_, select, text, update

from privapub import identifiers
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction, insert_into
from privapub.federation.inbox.tables import incoming, undone
from privapub.jobs.enqueue import put
from privapub.jobs.hosts import HOST
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job
from privapub.outbound.target import host_of

INBOX = "inbox"  # the kind of the job; its lane is the host that the actor is of, whatever the port
# What these say is a state, not an event: when the first was handled, the next is held against what is then so.
RELATIONSHIPS = frozenset({"Follow", "Accept", "Reject", "Like", "EmojiReact", "Block", "Undo"})
KEPT = 30 * 86400.0  # seconds after it was handled
KEPT_AT_ALL = 60 * 86400.0  # seconds after it came, handled or not
UNDONE_KEPT = 1800.0
MOST = 2_000_000  # that were handled
MOST_UNDONE = 100_000

Stored = Literal["queued", "copy"]

_BY_ID = select(incoming).where(incoming.c.id == bindparam("id"))
_CLOSE = (
    update(incoming)
    .where(incoming.c.id == bindparam("row"), incoming.c.handled_at.is_(None))
    .values(handled_at=bindparam("now"), kept_out=bindparam("why"), body="{}", original=None)
)


@dataclass(frozen=True)
class Incoming:
    """A verified activity that waits to be handled, or was handled. `owner` is a persona's number as text, or ""."""

    id: int
    owner: str
    kind: str
    actor_id: int
    actor_uri: str
    body: str
    handled_at: float | None
    original: bytes | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The activity as it came."""
        found: dict[str, Any] = msgspec.json.decode(self.body)
        return found


@dataclass(frozen=True)
class Accepted:
    """What the door has accepted at `now`. `whole`: nothing has to be fetched before it is handled.

    `through` tells who brought it where its actor did not (`arrived.Through`); `original` are its bytes, where they may
    have to be sent on (`send_on`). It is handled as if it had come at `due`, which is `now` or before (`limits.turns`).
    An activity without an id counts under its digest.
    """

    owner: str
    activity_id: str | None
    digest: str
    kind: str
    actor_id: int
    actor_uri: str
    document: dict[str, Any]
    now: float
    whole: bool = False
    through: str = ""
    original: bytes | None = None
    due: float | None = None


async def store(tx: Transaction, new: Accepted) -> Stored:
    """Keep an activity and queue its handling, unless it is a copy.

    The same id with other content is another activity: some servers give two of them one id.
    """
    values = _values(new)
    queued = await _keep(tx, values)
    if queued is None and new.kind in RELATIONSHIPS:
        between = await _said_otherwise_since(tx, values)
        if between is not None:
            # Follow, Undo, Follow while all three wait: the third is no copy of the first, but what holds in the end.
            queued = await _keep(tx, {**values, "digest": f"{new.digest} after {between}"})
    if queued is None:
        return "copy"
    await put(tx, [_handling(new, queued)])
    return "queued"


async def store_events(tx: Transaction, several: Sequence[Accepted]) -> list[Stored]:
    """The same for some that were accepted at one time, none of them one of RELATIONSHIPS, in a few statements."""
    rows = [_values(new) for new in several]
    # Two transactions with the same activities shall meet them in the same order.
    in_order = sorted(rows, key=itemgetter("owner", "activity_id", "digest"))
    values = tuple([value for row in in_order for value in row.values()])
    queued = {row.id for row in await tx.raw(_insert_events(tx.dialect, len(rows)), values)}
    await put(tx, [_handling(new, row["id"]) for new, row in zip(several, rows, strict=True) if row["id"] in queued])
    return ["queued" if row["id"] in queued else "copy" for row in rows]


def _values(new: Accepted) -> dict[str, Any]:
    return {
        "id": identifiers.sortable(new.now),
        "owner": new.owner,
        "activity_id": new.activity_id or new.digest,
        "digest": new.digest,
        "kind": new.kind,
        "actor_id": new.actor_id,
        "actor_uri": new.actor_uri,
        "body": msgspec.json.encode(new.document).decode(),
        "original": new.original,
        "received_at": new.now,
    }


def _handling(new: Accepted, number: int) -> NewJob:
    # An Undo must not overtake what it undoes, nor a Reject an Accept: what one actor says of its relations keeps its
    # order. Posts need none: each of their verbs is right in any order.
    order = f"inbox {new.actor_uri}" if new.kind in RELATIONSHIPS else None
    brought = {"through": new.through} if new.through else {}
    args = {"incoming": number, "whole": new.whole, **brought}
    return NewJob(INBOX, f"{HOST}{host_of(new.actor_uri)}", args, run_at=new.due, ordering_key=order)


@cache
def _insert_events(dialect: str, count: int) -> str:
    columns = "id, owner, activity_id, digest, kind, actor_id, actor_uri, body, original, received_at"
    width = len(columns.split(", "))
    marks = ["?" if dialect == "sqlite" else f"${place}" for place in range(1, count * width + 1)]
    rows = ", ".join(f"({', '.join(marks[start : start + width])})" for start in range(0, len(marks), width))
    return (
        f"INSERT INTO incoming({columns}) VALUES {rows}"  # noqa: S608 - put together from what stands here alone
        " ON CONFLICT (owner, activity_id, digest) DO NOTHING RETURNING id"
    )


async def _keep(tx: Transaction, values: dict[str, Any]) -> int | None:
    """The number of the row that is to be handled; None where there is nothing to do."""
    statement = _kept(tx.dialect, again=values["kind"] in RELATIONSHIPS)
    kept: int | None = await tx.scalar(statement, **values)
    return kept


@cache
def _kept(dialect: str, *, again: bool) -> Executable:
    statement = insert_into(incoming, dialect)
    if again:
        # Opened again if it was handled; left alone while it waits.
        statement = statement.on_conflict_do_update(
            index_elements=["owner", "activity_id", "digest"],
            set_={
                "body": statement.excluded.body,
                "received_at": statement.excluded.received_at,
                "handled_at": None,
                "kept_out": None,
            },
            where=incoming.c.handled_at.is_not(None),
        )
    else:
        statement = statement.on_conflict_do_nothing(index_elements=["owner", "activity_id", "digest"])
    kept: Executable = statement.returning(incoming.c.id)
    return kept


async def _said_otherwise_since(tx: Transaction, values: dict[str, Any]) -> int | None:
    """The last Undo of this actor that waits and came after the one that waits (of an Undo: what was not one)."""
    first = await tx.first(
        select(incoming.c.id, incoming.c.received_at).where(
            *(incoming.c[name] == values[name] for name in ("owner", "activity_id", "digest"))
        )
    )
    if first is None:
        return None
    undo = incoming.c.kind == "Undo"
    other = undo if values["kind"] != "Undo" else and_(~undo, incoming.c.kind.in_(sorted(RELATIONSHIPS)))
    found: int | None = await tx.scalar(
        select(func.max(incoming.c.id)).where(
            incoming.c.received_at >= first.received_at,
            incoming.c.id != first.id,
            incoming.c.actor_uri == values["actor_uri"],
            incoming.c.handled_at.is_(None),
            other,
        )
    )
    return found


async def more_wait_than(tx: Transaction, host: str, most: int) -> bool:
    """Whether more than so many activities of a host wait to be handled."""
    of_host = job.c.scope == "", job.c.kind == INBOX, job.c.lane == f"{HOST}{host}"
    states = text("state = 'waiting' AND NOT alone"), text("state = 'blocked'")  # word by word as the indexes say it
    count = 0
    for state in states:
        some = select(job.c.id).where(*of_host, state).limit(most + 1 - count).subquery()
        count += await tx.scalar(select(func.count()).select_from(some))
    return count > most


async def take(tx: Transaction, incoming_id: int) -> Incoming | None:
    """The row of a job; None where it is no more."""
    row = await tx.first(_BY_ID, id=incoming_id)
    if row is None:
        return None
    return Incoming(row.id, row.owner, row.kind, row.actor_id, row.actor_uri, row.body, row.handled_at, row.original)


async def close(tx: Transaction, incoming_id: int, kept_out: str | None, now: float) -> bool:
    """It has been handled; with a reason where it was not taken in. False where somebody else has closed it before.

    What it said is not kept beyond that: the digest is enough to know a copy.
    """
    return await tx.change(_CLOSE, row=incoming_id, why=kept_out, now=now) > 0


async def remember_undone(tx: Transaction, key: str, now: float) -> None:
    """An Undo found nothing: what it undoes may still be on its way."""
    statement = tx.insert(undone).values(key=key, at=now)
    await tx.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"at": now}))


async def call_off(tx: Transaction, activity_id: str, actor_id: int, kind: str, owner: str, now: float) -> bool:
    """An Undo names what still waits here, perhaps for a host that does not answer: it is not handled any more."""
    called_off = await tx.execute(
        update(incoming)
        .where(
            incoming.c.owner.in_({"", owner}),
            incoming.c.activity_id == activity_id,
            incoming.c.actor_id == actor_id,
            incoming.c.kind == kind,
            incoming.c.handled_at.is_(None),
        )
        .values(handled_at=now, kept_out="undone-before", body="{}")
    )
    return bool(called_off.rowcount)


async def was_undone(tx: Transaction, keys: Collection[str], now: float) -> bool:
    """Whether an Undo under one of these names came a short while ago and found nothing; it counts once."""
    gone = await tx.execute(delete(undone).where(undone.c.key.in_(keys), undone.c.at > now - UNDONE_KEPT))
    return bool(gone.rowcount)


async def prune(tx: Transaction, now: float) -> None:
    """Forget what was handled 30 days ago, what never was after 60, and Undos that found nothing after half an hour.

    Of very many the oldest go sooner.
    """
    await tx.execute(
        delete(incoming).where(
            or_(
                and_(incoming.c.handled_at.is_not(None), incoming.c.received_at < now - KEPT),
                incoming.c.received_at < now - KEPT_AT_ALL,
            )
        )
    )
    await keep_newest(tx, incoming, incoming.c.received_at, MOST, incoming.c.handled_at.is_not(None))
    await tx.execute(delete(undone).where(undone.c.at <= now - UNDONE_KEPT))
    await keep_newest(tx, undone, undone.c.at, MOST_UNDONE)
