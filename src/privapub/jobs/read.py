"""The queue as an operator sees it: looking, trying again, cancelling, clearing away.

What is done to many is found first, as numbers, and then done in batches of a transaction each. One is a batch of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.exc import IntegrityError

from privapub.database.transaction import Transaction
from privapub.errors import Conflict, NotFound
from privapub.jobs.job import (
    BLOCKED,
    CANCELLED,
    DONE,
    ENDED,
    FAILED,
    LEASED,
    PAUSED,
    STATES,
    WAITING,
    GiveUp,
    from_row,
    topic,
)
from privapub.jobs.kind import JobKind
from privapub.jobs.outcome import forget_readers, free_waiting, record
from privapub.jobs.settle import settling
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane as lanes

UNFINISHED = (WAITING, BLOCKED, LEASED, PAUSED)
FOLLOWED = "was followed by a later one of its order, and must stay as it is"
QUEUED_ANEW = "has been queued anew already"
NO_MORE = "is no more"
GUARDS = "stays as long as an earlier one of its order that did not end well: that one could be tried again"
_c = table.c
_p = table.alias("p").c


@dataclass(frozen=True)
class Filter:
    """Which jobs: of a kind, of a lane, in one of these states, and of an age.

    A job is as old as it is unfinished: its age counts from when it was put, and once it has ended, from its end.
    `before` and `since` are moments: older, and not older, than that.
    """

    kind: str | None = None
    lane: str | None = None
    states: Sequence[str] = STATES
    before: float | None = None
    since: float | None = None


@dataclass
class Changed:
    """What came of doing something to many: the numbers of those that it was done to, and why not to the others."""

    ids: list[int] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)


async def list_jobs(
    tx: Transaction,
    kind: str | None = None,
    lane: str | None = None,
    state: str | None = None,
    limit: int = 50,
    *,
    before: float | None = None,
    since: float | None = None,
    scope: str = "",
) -> Sequence[Row[Any]]:
    """Rows of `job`, the newest first; of a state in which jobs have ended, those that ended last first."""
    which = Filter(kind, lane, (state,) if state else STATES, before, since)
    if state is None:
        return await tx.all(select(table).where(*_matches(which, scope)).order_by(_c.id.desc()).limit(limit))
    newest = _c.finished_at.desc() if state in ENDED else (_c.id + 0).desc()  # by the filter's index, not by the number
    ids: list[int] = []
    for section in _sections(which, scope):
        ids += [row.id for row in await tx.all(section.order_by(newest, _c.id.desc()).limit(limit))]
    order = (_c.finished_at.desc(), _c.id.desc()) if state in ENDED else (_c.id.desc(),)
    return await tx.all(select(table).where(_c.id.in_(ids)).order_by(*order).limit(limit))


async def chosen(tx: Transaction, which: Filter, *, scope: str = "") -> list[int]:
    """The numbers of all jobs that the filter lets through, ascending."""
    ids: list[int] = []
    for section in _sections(which, scope):
        async for some in (await tx.connection.stream(section.execution_options(yield_per=10_000))).partitions():
            ids += [row.id for row in some]
    return sorted(ids)


def _matches(which: Filter, scope: str) -> list[ColumnElement[bool]]:
    """The conditions of a filter but for its states."""
    found: list[ColumnElement[bool]] = [_c.scope == scope]
    if which.kind is not None:
        found.append(_c.kind == which.kind)
    if which.lane is not None:
        found.append(_c.lane == which.lane)
    for moment, older in ((which.before, True), (which.since, False)):
        if moment is not None:
            put = _c.created_at < moment if older else _c.created_at >= moment
            ended = _c.finished_at < moment if older else _c.finished_at >= moment
            found.append(or_(and_(_c.finished_at.is_(None), put), ended))
    return found


def _sections(which: Filter, scope: str) -> list[Select[Any]]:
    """The numbers that a filter lets through, as one query for each index that serves a part of its states.

    The conditions of the indexes stand there word by word: with parameters in their places they would not be used.
    """
    found = []
    for state in (state for state in UNFINISHED if state in which.states):
        conditions = _matches(which, scope)
        if which.kind is None and which.lane is not None and state in (WAITING, LEASED):  # the index begins with both
            conditions.append(
                _c.kind.in_(select(lanes.c.kind).where(lanes.c.scope == scope, lanes.c.lane == which.lane))
            )
        literal = f"job.state = '{state}'"
        parts = (" AND NOT job.alone", " AND job.alone") if state == WAITING else ("",)
        found += [select(_c.id).where(*conditions, text(literal + part)) for part in parts]
    ended = [state for state in ENDED if state in which.states]
    if ended:
        of_these = _c.state.in_([literal_column(f"'{state}'") for state in ended])
        ages = [_c.finished_at < which.before] if which.before is not None else []
        ages += [_c.finished_at >= which.since] if which.since is not None else []
        conditions = _matches(Filter(which.kind, which.lane), scope)
        found.append(select(_c.id).where(*conditions, _c.finished_at.is_not(None), *ages, of_these))
    return found


async def show(tx: Transaction, id: int) -> Row[Any]:  # noqa: A002 - it is the column's name
    """One row of `job`; raises NotFound."""
    row = await tx.first(select(table).where(_c.id == id))
    if row is None:
        raise NotFound(f"There is no job {id}.", "`privapub jobs list` shows those there are.")
    return row


async def counts(tx: Transaction, *, lane: str | None = None, scope: str = "") -> dict[str, dict[str, int]]:
    """How many jobs there are (of one lane), by kind and state."""
    rows = await tx.all(
        select(_c.kind, _c.state, func.count().label("number"))
        .where(_c.scope == scope, *(() if lane is None else (_c.lane == lane,)))
        .group_by(_c.kind, _c.state)
        .order_by(_c.kind, _c.state)
    )
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        found.setdefault(row.kind, {})[row.state] = row.number
    return found


async def given_up(
    tx: Transaction, kind: str, since: float, limit: int = 50, *, lane: str | None = None, scope: str = ""
) -> Sequence[Row[Any]]:
    """How many jobs of a kind (and of one lane) failed for good since then, by `lane` and `why`; the most first."""
    number = func.count().label("number")
    return await tx.all(
        select(_c.lane, _c.why, number)
        .where(_c.scope == scope, _c.finished_at >= since, _c.kind == kind, _c.state == FAILED)
        .where(*(() if lane is None else (_c.lane == lane,)))
        .group_by(_c.lane, _c.why)
        .order_by(number.desc(), _c.lane, _c.why)
        .limit(limit)
    )


async def retry(tx: Transaction, id: int, now: float) -> None:  # noqa: A002 - it is the column's name
    """Queue an ended job once more, with all its attempts.

    Raises Conflict for one that has not ended or ended well, for one after which a later job of its ordering key was
    put (a Create is not brought back after its Delete), and for one whose twin waits already.
    """
    await show(tx, id)
    _one(id, await retry_all(tx, [id], now))


async def retry_all(tx: Transaction, ids: Iterable[int], now: float) -> Changed:
    """As `retry`, for each of these; who cannot be tried again is refused and stops nobody."""
    wanted = sorted(ids)
    later = _p.scope == _c.scope, _p.ordering_key == _c.ordering_key, _p.id > _c.id
    twin = _p.scope == _c.scope, _p.dedupe_key == _c.dedupe_key, _p.finished_at.is_(None), _p.id != _c.id
    rows = await tx.all(
        select(
            _c.id, _c.scope, _c.kind, _c.lane, _c.state, _c.ordering_key, _c.dedupe_key, _c.once_for_ever,
            exists().where(*later).correlate(table).label("followed"),
            exists().where(*twin).correlate(table).label("anew"),
        )
        .where(_c.id.in_(wanted))
        .order_by(_c.id)
        .with_for_update(of=table)
    )  # fmt: skip
    refused = dict.fromkeys(wanted, NO_MORE)
    again: dict[int, Row[Any]] = {}
    keys: set[tuple[str, str]] = set()
    for row in reversed(rows):  # of several with one key, the newest
        key = None if row.dedupe_key is None or row.once_for_ever else (row.scope, row.dedupe_key)
        reason = _not_again(row, taken=key in keys)
        if reason:
            refused[row.id] = reason
            continue
        del refused[row.id]
        again[row.id] = row
        if key is not None:
            keys.add(key)
    await _put_back(tx, list(reversed(again.values())), now)
    return Changed(sorted(again), refused)


def _not_again(row: Row[Any], *, taken: bool) -> str:
    """Why this job may not be tried again, or ""; `taken`: another of its key is."""
    if row.state not in (FAILED, CANCELLED):
        return f"is {row.state}: only one that failed or was cancelled can be tried again"
    if row.followed:
        return FOLLOWED
    if taken or (row.anew and not row.once_for_ever):
        return QUEUED_ANEW
    return ""


async def _put_back(tx: Transaction, rows: Sequence[Row[Any]], now: float) -> None:
    if not rows:
        return
    try:
        await tx.execute(
            update(table)
            .where(_c.id.in_([row.id for row in rows]))
            .values(
                # Whether something unfinished of its order stands before it is seen when its lane is held.
                state=case((_c.ordering_key.is_not(None), BLOCKED), else_=WAITING),
                attempt=0, run_at=now, finished_at=None, why=None, alone=False, twin=False,
                progress=None, progress_note=None,
            )
        )  # fmt: skip
    except IntegrityError as error:  # its twin was put at this moment
        raise Conflict("One of these jobs has been queued anew already.", "Try again.") from error
    for row in rows:
        owed = settling(tx, row.scope)
        owed.touch(row.kind, row.lane, now)
        if row.ordering_key is not None:
            owed.keep_order(row.lane, row.ordering_key)
            owed.retried_keys.add(row.ordering_key)
            owed.again.append(row.id)
        tx.announce(topic(row.scope))


async def cancel(
    tx: Transaction,
    id: int,  # noqa: A002 - it is the column's name
    now: float,
    kinds: Mapping[str, JobKind] | None = None,
) -> None:
    """End a job that has not ended; if it runs, its handler is stopped at the next renewal and its outcome dropped.

    `kinds` lets the job's kind record it. Raises Conflict for one that has ended.
    """
    await show(tx, id)
    _one(id, await cancel_all(tx, [id], now, kinds))


async def cancel_all(
    tx: Transaction, ids: Iterable[int], now: float, kinds: Mapping[str, JobKind] | None = None
) -> Changed:
    """As `cancel`, for each of these; who has ended is refused and stops nobody."""
    wanted = sorted(ids)
    rows = await tx.all(select(table).where(_c.id.in_(wanted)).order_by(_c.id).with_for_update())
    changed = await tx.execute(
        update(table)
        .where(_c.id.in_(wanted), _c.state.in_(UNFINISHED))
        .values(state=CANCELLED, finished_at=now, stamp=None, lease_until=None, alone=False, why="cancelled")
        .returning(_c.id)
    )
    ended = {row.id for row in changed}
    refused = dict.fromkeys(wanted, NO_MORE) | {row.id: f"is {row.state} already" for row in rows}
    found = [from_row(row._asdict(), row.stamp or "", row.scope) for row in rows if row.id in ended]
    for job in found:
        free_waiting(tx, job, job.scope)
        tx.announce(topic(job.scope))
    await forget_readers(tx, found)
    await record(tx, kinds or {}, [(job, GiveUp("cancelled")) for job in found], now)
    return Changed(sorted(ended), {id_: why for id_, why in refused.items() if id_ not in ended})


async def purge(tx: Transaction, ids: Iterable[int]) -> Changed:
    """Forget jobs that have ended, earlier than they would be.

    One that follows an earlier job of its ordering key that failed stays as long as that one does, lest that one be
    tried again as if nothing had followed it. Of many, the lower numbers are to be given first.
    """
    wanted = sorted(ids)
    earlier = exists().where(
        _p.scope == _c.scope, _p.ordering_key == _c.ordering_key, _p.id < _c.id, _p.state != DONE,
        _p.id.not_in(wanted),
    ).correlate(table)  # fmt: skip
    gone = {
        row.id
        for row in await tx.execute(
            delete(table)
            .where(_c.id.in_(wanted), _c.finished_at.is_not(None), _c.state.in_(ENDED), ~earlier)
            .returning(_c.id)
        )
    }
    left = await tx.all(select(_c.id, _c.state).where(_c.id.in_([id_ for id_ in wanted if id_ not in gone])))
    refused = {id_: NO_MORE for id_ in wanted if id_ not in gone}
    refused |= {row.id: GUARDS if row.state in ENDED else "has not ended" for row in left}
    return Changed(sorted(gone), refused)


def _one(id: int, changed: Changed) -> None:  # noqa: A002 - it is the column's name
    if id in changed.refused:
        raise Conflict(f"Job {id} {changed.refused[id]}.")
