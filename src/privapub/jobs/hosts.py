"""Hosts as the queue knows them: how they do, and what an operator may do about it."""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, Select, bindparam, case, func, select, text, update

from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.jobs.job import LEASED, WAITING, topic
from privapub.jobs.settle import HEARD_EVERY, OF_LANES, Verdict, settling
from privapub.jobs.tables import job as table
from privapub.jobs.tables import lane as lanes

HOST = "host:"
KEPT = 90 * 86400.0
MOST = 100_000
_c, _l = table.c, lanes.c
_HEARD = select(_l.lane, _l.open_until, _l.heard_at).where(
    _l.scope == bindparam("scope"), _l.kind == bindparam("kind"), _l.lane.in_(bindparam("lanes", expanding=True))
)
# As the index says it, word by word: with parameters in their places it would not be used.
_WAITS = "job.state = 'waiting' AND NOT job.alone"
_OF_LANE = "SELECT 1 FROM job j WHERE j.scope = lane.scope AND j.kind = lane.kind AND j.lane = lane.lane AND"
_FORGET = {
    dialect: f"""
DELETE FROM lane WHERE scope = {scope} AND (kind, lane) IN {OF_LANES[dialect]}
  AND NOT EXISTS ({_OF_LANE} j.state = 'waiting' AND NOT j.alone)
  AND NOT EXISTS ({_OF_LANE} j.state = 'waiting' AND j.alone)
  AND NOT EXISTS ({_OF_LANE} j.state = 'leased') RETURNING lane"""
    for dialect, scope in (("sqlite", "?"), ("postgresql", "$1"))
}


async def list_hosts(tx: Transaction, limit: int = 50, *, scope: str = "") -> Sequence[Row[Any]]:
    """Rows of `lane` that are hosts, with how many jobs wait and run in each; those with the most failures first."""
    found = select(lanes).where(_l.scope == scope, _l.lane.startswith(HOST, autoescape=True))
    return await tx.all(_with_counts(found.order_by(_l.fails.desc(), _l.lane, _l.kind).limit(limit)))


async def show_host(tx: Transaction, host: str, *, scope: str = "") -> Sequence[Row[Any]]:
    """The rows of `lane` of one host, as in `list_hosts`; raises NotFound."""
    rows = await tx.all(_with_counts(select(lanes).where(_l.scope == scope, _l.lane == HOST + host)))
    if not rows:
        like = await _with_a_port(tx, host, scope)
        hint = f"Did you mean {' or '.join(like)}?" if like else "`privapub hosts list` shows those there are."
        raise NotFound(f"Nothing was ever queued for {host}.", hint)
    return rows


async def _with_a_port(tx: Transaction, host: str, scope: str, limit: int = 3) -> list[str]:
    """Hosts of that name with a port: a lane is named by both where the port is no usual one."""
    found = select(_l.lane).where(_l.scope == scope, _l.lane.startswith(f"{HOST}{host}:", autoescape=True)).distinct()
    return [row.lane.removeprefix(HOST) for row in await tx.all(found.order_by(_l.lane).limit(limit))]


async def left_alone(tx: Transaction, limit: int = 50, *, scope: str = "") -> Sequence[Row[Any]]:
    """The hosts in quarantine, as in `list_hosts`, those with the most failures first."""
    found = select(lanes).where(_l.scope == scope, _l.fails > 0, _l.quarantine > 0, _l.lane.startswith(HOST))
    return await tx.all(_with_counts(found.order_by(_l.fails.desc(), _l.lane, _l.kind).limit(limit)))


async def wrote(tx: Transaction, kind: str, of: Collection[str], now: float, *, scope: str = "") -> None:
    """The hosts of these lanes have written to us: for one that is in quarantine the next probe is due at once.

    It costs a look and no lock where there is nothing to change, as for nearly every message.
    """
    for row in await tx.all(_HEARD, scope=scope, kind=kind, lanes=sorted(of)):
        if row.open_until > now or (row.heard_at or 0.0) < now - HEARD_EVERY:
            settling(tx, scope).judge(kind, row.lane, Verdict(None, now))
            if row.open_until > now:
                tx.announce(topic(scope))


async def try_host(tx: Transaction, host: str, now: float, *, scope: str = "") -> None:
    """Try a host now, whether it is in quarantine or has asked for peace; raises NotFound."""
    await show_host(tx, host, scope=scope)
    await _change(
        tx, host, {"not_before": 0.0, "open_until": case((_l.open_until > now, now), else_=_l.open_until)}, scope
    )


async def forget_host(tx: Transaction, host: str, *, scope: str = "") -> None:
    """Forget every failure of a host, as if it had answered; what waits for it is tried. Raises NotFound."""
    await show_host(tx, host, scope=scope)
    await _change(
        tx,
        host,
        {"not_before": 0.0, "open_until": 0.0, "opened_at": 0.0, "quarantine": 0.0, "fails": 0, "cap": None},
        scope,
    )


async def _change(tx: Transaction, host: str, values: dict[str, Any], scope: str) -> None:
    # Both leave nothing that would put it off: what waits longest says when it is due.
    oldest = (
        select(_c.run_at)
        .where(_c.scope == _l.scope, _c.kind == _l.kind, _c.lane == _l.lane, text(_WAITS))
        .order_by(_c.run_at, _c.id)
        .limit(1)
        .correlate(lanes)
        .scalar_subquery()
    )
    await tx.execute(update(lanes).where(_l.scope == scope, _l.lane == HOST + host).values(**values, next_at=oldest))
    tx.announce(topic(scope))


async def prune(tx: Transaction, now: float, *, scope: str = "", most: int = MOST, limit: int = 20_000) -> int:
    """Forget lanes for which nothing is queued and that were not heard of for 90 days, or that are too many.

    At most `limit`; returns how many there were.
    """
    idle = _l.scope == scope, _l.next_at.is_(None)
    await tx.execute(update(lanes).where(*idle, _l.heard_at.is_(None)).values(heard_at=now))
    too_many = max(await tx.scalar(select(func.count()).select_from(lanes).where(_l.scope == scope)) - most, 0)
    old = await tx.all(
        select(_l.kind, _l.lane, _l.heard_at).where(*idle).order_by(_l.heard_at).limit(limit).with_for_update()
    )
    gone = [
        [row.kind, row.lane] for place, row in enumerate(old) if place < too_many or row.heard_at < now - KEPT
    ]  # fmt: skip
    if not gone:
        return 0
    # They are held by now: whoever puts a job into one of them meanwhile waits, and makes it anew.
    return len(await tx.raw(_FORGET[tx.dialect], (scope, json.dumps(gone))))


def _with_counts(found: Select[Any]) -> Select[Any]:
    """These rows of `lane`, each with how many jobs wait and run in it."""
    few = found.subquery()

    def count(condition: str) -> Any:
        in_it = _c.scope == few.c.scope, _c.kind == few.c.kind, _c.lane == few.c.lane, text(condition)
        return select(func.count()).select_from(table).where(*in_it).correlate(few).scalar_subquery()

    waiting = count(_WAITS) + count("job.state = 'waiting' AND job.alone")
    order = few.c.fails.desc(), few.c.lane, few.c.kind
    return select(few, waiting.label(WAITING), count("job.state = 'leased'").label(LEASED)).order_by(*order)
