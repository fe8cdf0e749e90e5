"""What a transaction owes the lanes, done as its last act.

Lanes are locked in one go, in the order of their bytes, and as late as can be: two transactions that put jobs into
the same lanes in another order cannot lock each other out, and a lane is held no longer than the commit takes. Whether
a job must wait for another (its predecessor, or its running twin) is decided under that lock, so that no release is
missed; and so are the health of a host, and what a job takes back that is the last of its story.

The facts about one thing are in the lanes of many kinds, so that the end of one may release another elsewhere. Their
order has rows of its own, which are locked before any other: then all that is released is known before the lanes are.
On SQLite a transaction holds everything from its beginning.
"""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import astuple, dataclass, field
from functools import cache
from operator import itemgetter
from typing import Any

import msgspec
from sqlalchemy.exc import DBAPIError

from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.jobs import breaker
from privapub.jobs.job import FACTS, Job, from_row, topic
from privapub.jobs.moment import NOW, known, moment

Cancelled = Callable[[Transaction, Sequence[Job], float], Awaitable[None]]

TAKEN_BACK = "taken back before it was sent"

_LANE_ON_CONFLICT = """
ON CONFLICT (scope, kind, lane) DO UPDATE SET
  not_before = {max}(lane.not_before, excluded.not_before),
  next_at = CASE WHEN coalesce(lane.next_at, excluded.next_at) IS NULL THEN NULL
    ELSE {max}(lane.open_until, lane.not_before, excluded.not_before,
      {min}(coalesce(lane.next_at, excluded.next_at), coalesce(excluded.next_at, lane.next_at))) END
  WHERE excluded.not_before > lane.not_before
    OR (excluded.next_at IS NOT NULL AND (lane.next_at IS NULL OR excluded.next_at < lane.next_at))
"""
TOUCH = {
    "sqlite": """
INSERT INTO lane(scope, kind, lane, next_at, not_before)
  SELECT e.value->>'scope', e.value->>'kind', e.value->>'lane', e.value->>'next_at', e.value->>'not_before'
  FROM json_each(?) e WHERE true"""
    + _LANE_ON_CONFLICT.format(max="max", min="min"),
    "postgresql": """
INSERT INTO lane(scope, kind, lane, next_at, not_before)
  SELECT x.scope, x.kind, x.lane, x.next_at, x.not_before FROM json_to_recordset($1::text::json)
    AS x(scope text, kind text, lane text, next_at float8, not_before float8)
  ORDER BY x.kind COLLATE "C", x.lane COLLATE "C" """
    + _LANE_ON_CONFLICT.format(max="greatest", min="least"),
}
_GIVEN = "scope, kind, lane, args, trigger, state, dedupe_key, once_for_ever, twin, ordering_key, part"
_COLUMNS = f"{_GIVEN}, created_at, run_at"
_UNLESS_THERE = "ON CONFLICT DO NOTHING RETURNING id, kind, lane, run_at, state, dedupe_key"
# Its rows, and what `moment.known` gives: a job that says nothing else is to run now.
_INSERT_POSTGRESQL = f"""
WITH n AS MATERIALIZED (SELECT {NOW.format("$2::float8")} AS now)
INSERT INTO job({_COLUMNS}) SELECT {", ".join(f"x.{name}" for name in _GIVEN.split(", "))}, n.now,
    coalesce(x.run_at, n.now)
  FROM n, json_to_recordset($1::text::json)
    AS x(scope text, kind text, lane text, args text, trigger text, state text, run_at float8, dedupe_key text,
      once_for_ever boolean, twin boolean, ordering_key text, part text, place bigint) ORDER BY x.place
  {_UNLESS_THERE}"""
_given = itemgetter(*_GIVEN.split(", "))
_FEW = 16  # rows that are inserted here and now; more are a matter for the thread of the driver
_AT_ONCE = 500
_WITH_A_PREDECESSOR = """
SELECT json_group_array(k.value) FROM json_each(?) k WHERE EXISTS (SELECT 1 FROM job p
  WHERE p.scope = ? AND p.ordering_key = k.value AND p.ordering_key IS NOT NULL AND p.finished_at IS NULL)"""
# As a list, PostgreSQL looks each of them up, whatever it guesses of the table.
_AMONG = {"sqlite": "IN (SELECT k.value FROM json_each(?) k)", "postgresql": "= ANY($2::text[])"}
_SCOPE = {"sqlite": "?", "postgresql": "$1"}
# Lanes are held by now. Who holds a row of them and waits for the lane is cancelling it, and frees what is behind it.
_SKIP = {"sqlite": "", "postgresql": "FOR UPDATE OF job SKIP LOCKED"}
_TWINS = (
    "SELECT dedupe_key, state, twin FROM job WHERE scope = {scope} AND dedupe_key {among}"
    " AND dedupe_key IS NOT NULL AND finished_at IS NULL"
)
_RELEASE_TWINS = """
UPDATE job SET state = 'waiting', twin = false
  WHERE id IN (SELECT job.id FROM job
  WHERE scope = {scope} AND dedupe_key {among} AND dedupe_key IS NOT NULL AND finished_at IS NULL
    AND state = 'blocked' AND twin
    AND NOT EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.dedupe_key = job.dedupe_key
      AND p.finished_at IS NULL AND NOT p.twin) {skip})
  RETURNING kind, lane, run_at"""
# The first of each order that has not ended, in one pass: asked of each job by itself, ten thousand are asked of all.
# One that was put at the same time and has a later number may have come before it.
_RELEASE_ORDERED = """
UPDATE job SET state = 'waiting'
  WHERE id IN (SELECT job.id FROM job
  WHERE id IN (SELECT min(p.id) FROM job p WHERE p.scope = {scope} AND p.ordering_key {among}
      AND p.ordering_key IS NOT NULL AND p.finished_at IS NULL GROUP BY p.ordering_key)
    AND state = 'blocked' AND NOT twin
    AND NOT EXISTS (SELECT 1 FROM job r WHERE r.scope = job.scope AND r.ordering_key = job.ordering_key
      AND r.ordering_key IS NOT NULL AND r.state IN ('waiting', 'leased')) {skip})
  RETURNING kind, lane, run_at"""

_TAKE_BACK = """
UPDATE job SET state = 'cancelled', finished_at = {now}, why = {why}, alone = false
  WHERE id IN (SELECT job.id FROM job
  WHERE scope = {scope} AND ordering_key {among} AND ordering_key IS NOT NULL AND finished_at IS NULL
    AND state <> 'leased' AND coalesce(part, '') <> 'last'
    AND EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
      AND p.finished_at IS NULL AND p.part = 'last' AND p.id > job.id) {skip})
  RETURNING *"""
_CANCEL_LAST = """
UPDATE job SET state = 'cancelled', finished_at = {now}, why = {why}
  WHERE id IN (SELECT job.id FROM job
  WHERE scope = {scope} AND ordering_key {among} AND ordering_key IS NOT NULL AND finished_at IS NULL
    AND state <> 'leased' AND part = 'last'
    AND NOT EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
      AND p.part = 'last' AND p.id > job.id) {skip})
  RETURNING *"""
_FOLLOWED = """
SELECT 1 FROM job WHERE id IN (SELECT k.value::bigint FROM json_array_elements_text($1::text::json) k(value))
  AND EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
    AND p.ordering_key IS NOT NULL AND p.id > job.id) LIMIT 1"""
OF_LANES = {
    "sqlite": "(SELECT e.value->>0, e.value->>1 FROM json_each(?) e)",
    "postgresql": "(SELECT e.value->>0, e.value->>1 FROM json_array_elements($2::text::json) e)",
}
_HEALTH = """
SELECT kind, lane, fails, opened_at, open_until, quarantine, heard_at FROM lane
  WHERE scope = {scope} AND (kind, lane) IN {lanes}"""
_OLDEST = (
    "(SELECT {max}(j.run_at, h.open_until, lane.not_before) FROM job j WHERE j.scope = lane.scope"
    " AND j.kind = lane.kind AND j.lane = lane.lane AND j.state = 'waiting' AND NOT j.alone"
    " ORDER BY j.run_at, j.id LIMIT 1)"
)
_SET_HEALTH = """
UPDATE lane SET fails = h.fails, opened_at = h.opened_at, open_until = h.open_until, quarantine = h.quarantine,
    cap = h.cap, heard_at = h.heard_at, next_at = {oldest}
  FROM ({source}) AS h WHERE lane.scope = {scope} AND lane.kind = h.kind AND lane.lane = h.lane
    AND (lane.kind, lane.lane) IN {lanes}"""
_HEALTH_FIELDS = (
    "kind text, lane text, fails int, opened_at float8, open_until float8, quarantine float8, cap int, heard_at float8"
)
SET_HEALTH = {
    "sqlite": _SET_HEALTH.format(
        oldest=_OLDEST.format(max="max"),
        source="SELECT "
        + ", ".join(f"e.value->>'{f.split()[0]}' AS {f.split()[0]}" for f in _HEALTH_FIELDS.split(", "))
        + " FROM json_each(?2) e",
        scope="?1",
        # Said once more, so that SQLite looks up these lanes and does not go through all of them.
        lanes="(SELECT e.value->>'kind', e.value->>'lane' FROM json_each(?2) e)",
    ),
    "postgresql": _SET_HEALTH.format(
        oldest=_OLDEST.format(max="greatest"),
        source=f"SELECT * FROM json_to_recordset($2::text::json) AS x({_HEALTH_FIELDS})",
        scope="$1",
        lanes="(SELECT e.value->>'kind', e.value->>'lane' FROM json_array_elements($2::text::json) e)",
    ),
}
_TIMED_OUT = "55P03"
MANY = 1000
HEARD_EVERY = 86400.0  # how exactly it is known when a host was last heard of


@cache
def _insert_sqlite(count: int) -> str:
    """Of so many rows: values that are bound cost half of what they do within JSON."""
    row = f"({', '.join('?' * len(_COLUMNS.split(', ')))})"
    return f"INSERT INTO job({_COLUMNS}) VALUES {', '.join([row] * count)} {_UNLESS_THERE}"


async def insert(tx: Transaction, rows: Sequence[dict[str, Any]]) -> Sequence[Any]:
    """Insert these jobs where their keys are not there.

    Returns id, kind, lane, run_at, state and dedupe_key of those that are new.
    """
    if tx.dialect == "postgresql":
        return await tx.raw(_INSERT_POSTGRESQL, (_json(rows), known(tx)))
    now = known(tx)
    new: list[Any] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        values = [
            value for row in some for value in (*_given(row), now, now if row["run_at"] is None else row["run_at"])
        ]
        new += await tx.raw(_insert_sqlite(len(some)), tuple(values), long=len(some) > _FEW)
    return new


@cache
def _of(statement: str, dialect: str) -> str:
    """A statement over the keys of a scope, in this dialect."""
    return statement.format(scope=_SCOPE[dialect], among=_AMONG[dialect], skip=_SKIP[dialect])


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@dataclass(frozen=True)
class Verdict:
    """What is new about a host at `now`: it answered, it failed a job leased then, or (`heard` None) it wrote to us."""

    heard: bool | None
    now: float
    leased_at: float = 0.0

    def on(self, health: breaker.Health) -> breaker.Health:
        """The host's health, given this."""
        if self.heard is None:
            return breaker.wrote(health, self.now)
        return breaker.HEALTHY if self.heard else breaker.failed(health, self.leased_at, self.now)


@dataclass
class Settling:
    """What one transaction owes in one scope; `Transaction.finish` calls it."""

    scope: str
    lanes: dict[tuple[str, str], tuple[float | None, float]] = field(default_factory=dict)
    twins: list[dict[str, Any]] = field(default_factory=list)
    ordering_keys: set[str] = field(default_factory=set)
    fact_keys: set[str] = field(default_factory=set)  # the ordering keys of facts
    dedupe_keys: set[str] = field(default_factory=set)
    verdicts: dict[tuple[str, str], list[Verdict]] = field(default_factory=dict)
    retried_keys: set[str] = field(default_factory=set)
    again: list[int] = field(default_factory=list)  # jobs of an order that an operator tries again
    last_of: dict[str, Cancelled | None] = field(default_factory=dict)  # ordering keys whose last job was put

    def keep_order(self, lane: str, ordering_key: str) -> None:
        """Something of this order was put or has ended."""
        (self.fact_keys if lane == FACTS else self.ordering_keys).add(ordering_key)

    def judge(self, kind: str, lane: str, verdict: Verdict) -> None:
        """Something is new about the host of a lane."""
        self.touch(kind, lane, None)
        self.verdicts.setdefault((kind, lane), []).append(verdict)

    def touch(self, kind: str, lane: str, next_at: float | None, not_before: float = 0.0) -> None:
        """The lane may have something to run at `next_at` (None: only hold it), and nothing before `not_before`."""
        known, before = self.lanes.get((kind, lane), (None, 0.0))
        times = [moment for moment in (known, next_at) if moment is not None]
        self.lanes[kind, lane] = (min(times) if times else None, max(before, not_before))

    async def __call__(self, tx: Transaction) -> None:
        """Hold the lanes, queue the twins that are to wait, and release what waited for something that has ended."""
        if self.fact_keys:
            if tx.dialect == "postgresql":
                await self._hold(tx, {str(zlib.crc32(key.encode("utf-8", "replace")) % 64) for key in self.fact_keys})
            self._released(tx, await self._release(tx, _RELEASE_ORDERED, self.fact_keys))
        if self.verdicts or (tx.dialect == "postgresql" and self._more_is_decided()):
            await self._write_lanes(tx)
        if self.verdicts:
            await self._write_health(tx)
        if self.again and tx.dialect == "postgresql":
            await self._refuse_followed(tx)
        if self.last_of or self.retried_keys:
            await self._take_back(tx)
        if self.twins:
            self._released(tx, await self._put_twins(tx))
        if self.dedupe_keys:
            self._released(tx, await self._release(tx, _RELEASE_TWINS, self.dedupe_keys))
        if self.ordering_keys:
            self._released(tx, await self._release(tx, _RELEASE_ORDERED, self.ordering_keys))
        await self._write_lanes(tx)

    def _more_is_decided(self) -> bool:
        return bool(self.last_of or self.retried_keys or self.twins or self.dedupe_keys or self.ordering_keys)

    def _released(self, tx: Transaction, rows: Sequence[Any]) -> None:
        for kind, lane, run_at in rows:
            self.touch(kind, lane, run_at)
            tx.announce(topic(self.scope))

    async def _hold(self, tx: Transaction, orders: set[str]) -> None:
        """Lock the rows that the orders of facts share."""
        rows = [
            {"scope": self.scope, "kind": FACTS, "lane": order, "next_at": None, "not_before": 0.0}
            for order in sorted(orders)
        ]
        await tx.raw(TOUCH["postgresql"], (_json(rows),))

    async def _write_lanes(self, tx: Transaction) -> None:
        if self.lanes:
            rows = [
                {"scope": self.scope, "kind": kind, "lane": lane, "next_at": times[0], "not_before": times[1]}
                for (kind, lane), times in sorted(self.lanes.items())
            ]
            self.lanes = {}
            await tx.raw(TOUCH[tx.dialect], (_json(rows),))

    async def _write_health(self, tx: Transaction) -> None:
        sqlite = tx.dialect == "sqlite"
        sql = _HEALTH.format(scope="?" if sqlite else "$1", lanes=OF_LANES[tx.dialect])
        rows = []
        for row in await tx.raw(sql, (self.scope, _json(sorted(self.verdicts)))):
            before = breaker.Health(row.fails, row.opened_at, row.open_until, row.quarantine)
            after, heard_at = before, row.heard_at
            # Which of those that ended together was the last is not known: an answer counts as the later one.
            for verdict in sorted(self.verdicts[row.kind, row.lane], key=lambda one: one.heard is True):
                after = verdict.on(after)
                if verdict.heard is not False and (heard_at or 0.0) < verdict.now - HEARD_EVERY:
                    heard_at = verdict.now
            if after != before or heard_at != row.heard_at:
                names = ("fails", "opened_at", "open_until", "quarantine")
                health = dict(zip(names, astuple(after), strict=True))
                cap = 1 if after.quarantine else None
                rows.append({"kind": row.kind, "lane": row.lane, "cap": cap, "heard_at": heard_at, **health})
        if rows:
            await tx.raw(SET_HEALTH[tx.dialect], (self.scope, _json(rows)))

    async def _refuse_followed(self, tx: Transaction) -> None:
        """What was put behind one that is tried again, while it was looked at, may have run by now."""
        if await tx.raw(_FOLLOWED, (_json(self.again),)):
            raise Conflict("One of these jobs has been followed by a later one of its order.", "Try the others.")

    async def _take_back(self, tx: Transaction) -> None:
        """What waits and has a last of its story behind it is not sent any more, nor the last if nothing ever was."""
        now = await moment(tx)
        back = await self._cancel(tx, _TAKE_BACK, {*self.last_of, *self.retried_keys}, now)
        unheard = {row.ordering_key for row in back if row.part == "first" and row.first_leased_at is None}
        silent = unheard & self.last_of.keys()
        lasts = await self._cancel(tx, _CANCEL_LAST, silent, now) if silent else []
        self.ordering_keys |= {row.ordering_key for row in [*back, *lasts]} - silent
        for row in lasts:
            if (tell := self.last_of[row.ordering_key]) is not None:
                await tell(tx, [from_row(row._asdict(), "", self.scope)], now)

    async def _cancel(self, tx: Transaction, statement: str, keys: set[str], now: float) -> list[Any]:
        if tx.dialect == "sqlite":
            sql = statement.format(now="?", why="?", scope="?", among=_AMONG["sqlite"], skip="")
            values: tuple[Any, ...] = (now, TAKEN_BACK, self.scope, _json(sorted(keys)))
        else:
            sql = statement.format(
                now="$3::float8", why="$4::text", scope="$1", among=_AMONG["postgresql"], skip=_SKIP["postgresql"]
            )
            values = (self.scope, sorted(keys), now, TAKEN_BACK)
        return list(await tx.raw(sql, values))

    async def _release(self, tx: Transaction, statement: str, keys: set[str]) -> list[Any]:
        many = len(keys) > MANY and tx.dialect == "postgresql"
        if many:  # its guess of their number is a hundred: for each job it would go through all of them
            await tx.raw("SET LOCAL enable_nestloop = off")
        asked = _json(sorted(keys)) if tx.dialect == "sqlite" else sorted(keys)
        rows = list(await tx.raw(_of(statement, tx.dialect), (self.scope, asked)))
        if many:
            await tx.raw("SET LOCAL enable_nestloop = on")
        return rows

    async def _put_twins(self, tx: Transaction) -> list[Any]:
        found = await self._release(tx, _TWINS, {row["dedupe_key"] for row in self.twins})
        running = {row[0] for row in found if row[1] == "leased"}
        # A twin is not put beside a twin: who is cancelling that one holds its row and waits for the lanes.
        waiting = {row[0] for row in found if row[1] != "leased" or row[2]}
        rows = [
            row | {"twin": True, "state": "blocked"} if row["dedupe_key"] in running else row
            for row in self.twins
            if row["dedupe_key"] not in waiting
        ]
        put = await self._put_at_last(tx, rows) if rows else ()
        return [(row[1], row[2], row[3]) for row in put if row[4] == "waiting"]

    @staticmethod
    async def _put_at_last(tx: Transaction, rows: Sequence[dict[str, Any]]) -> Sequence[Any]:
        """Insert while the lanes are held: who has put the same at this moment, and waits for them, is not waited for.

        Then it goes behind that one, as its twin.
        """
        if tx.dialect == "sqlite":
            return await insert(tx, rows)
        await tx.raw("SAVEPOINT at_last")
        await tx.raw("SET LOCAL lock_timeout = '50ms'")
        try:
            put = await insert(tx, rows)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != _TIMED_OUT:
                raise
            await tx.raw("ROLLBACK TO at_last")
            behind = [row | {"twin": True, "state": "blocked"} for row in rows]
            put = await insert(tx, behind)
        await tx.raw("SET LOCAL lock_timeout = 0")
        return put


async def in_turn(tx: Transaction, rows: Sequence[dict[str, Any]], scope: str) -> None:
    """On SQLite, where nobody else puts or ends anything meanwhile, let the first of an order with none before wait."""
    keys = {row["ordering_key"] for row in rows if row["ordering_key"] is not None}
    if not keys or tx.dialect != "sqlite":
        return
    ((found,),) = await tx.raw(_WITH_A_PREDECESSOR, (_json(sorted(keys)), scope))
    keys.difference_update(msgspec.json.decode(found))
    for row in rows:
        if row["ordering_key"] in keys:
            row["state"] = "waiting"
            keys.discard(row["ordering_key"])


def settling(tx: Transaction, scope: str) -> Settling:
    """What this transaction owes the lanes of a scope so far."""
    name = f"jobs:{scope}"
    found = tx.last.get(name)
    if not isinstance(found, Settling):
        found = Settling(scope)
        tx.do_last(name, found)
    return found
