"""What a transaction owes the lanes, done as its last act.

Lanes are locked in one go, in the order of their bytes, and as late as can be: two transactions that put jobs into
the same lanes in another order cannot lock each other out, and a lane is held no longer than the commit takes. Whether
a job must wait for another (its predecessor, or its running twin) is decided under that lock, so that no release is
missed.
"""

# ruff: noqa: S608 - the statements are put together from fragments of this room alone

import json
from dataclasses import dataclass, field
from typing import Any

from privapub.database.transaction import Transaction

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
_COLUMNS = "scope, kind, lane, args, trigger, state, created_at, run_at, dedupe_key, once_for_ever, twin, ordering_key"
_INSERT_TAIL = " ON CONFLICT DO NOTHING RETURNING id, kind, lane, run_at, state, dedupe_key"
INSERT = {
    "sqlite": f"INSERT INTO job({_COLUMNS}) SELECT "
    + ", ".join(f"e.value->>'{name}'" for name in _COLUMNS.split(", "))
    + " FROM json_each(?) e WHERE true"
    + _INSERT_TAIL,
    "postgresql": f"INSERT INTO job({_COLUMNS}) SELECT "
    + ", ".join(f"x.{name}" for name in _COLUMNS.split(", "))
    + """ FROM json_to_recordset($1::text::json)
      AS x(scope text, kind text, lane text, args text, trigger text, state text, created_at float8, run_at float8,
        dedupe_key text, once_for_ever boolean, twin boolean, ordering_key text, place bigint) ORDER BY x.place"""
    + _INSERT_TAIL,
}  # fmt: skip
_KEYS = {
    "sqlite": "(SELECT k.value FROM json_each(?) k)",
    "postgresql": "(SELECT k.value FROM json_array_elements_text($2::text::json) k(value))",
}
_SCOPE = {"sqlite": "?", "postgresql": "$1"}
_TWINS = (
    "SELECT dedupe_key, state FROM job WHERE scope = {scope} AND dedupe_key IN {keys}"
    " AND dedupe_key IS NOT NULL AND NOT twin AND finished_at IS NULL"
)
_RELEASE_TWINS = """
UPDATE job SET state = 'waiting', twin = false
  WHERE scope = {scope} AND dedupe_key IN {keys} AND dedupe_key IS NOT NULL AND finished_at IS NULL
    AND state = 'blocked' AND twin
    AND NOT EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.dedupe_key = job.dedupe_key
      AND p.finished_at IS NULL AND NOT p.twin)
  RETURNING kind, lane, run_at"""
_RELEASE_ORDERED = """
UPDATE job SET state = 'waiting'
  WHERE scope = {scope} AND ordering_key IN {keys} AND ordering_key IS NOT NULL AND finished_at IS NULL
    AND state = 'blocked' AND NOT twin
    AND NOT EXISTS (SELECT 1 FROM job p WHERE p.scope = job.scope AND p.ordering_key = job.ordering_key
      AND p.finished_at IS NULL AND p.id < job.id)
  RETURNING kind, lane, run_at"""


@dataclass
class Settling:
    """What one transaction owes in one scope; `Transaction.finish` calls it."""

    scope: str
    lanes: dict[tuple[str, str], tuple[float | None, float]] = field(default_factory=dict)
    twins: list[dict[str, Any]] = field(default_factory=list)
    ordering_keys: set[str] = field(default_factory=set)
    dedupe_keys: set[str] = field(default_factory=set)

    def touch(self, kind: str, lane: str, next_at: float | None, not_before: float = 0.0) -> None:
        """The lane may have something to run at `next_at` (None: only hold it), and nothing before `not_before`."""
        known, before = self.lanes.get((kind, lane), (None, 0.0))
        times = [moment for moment in (known, next_at) if moment is not None]
        self.lanes[kind, lane] = (min(times) if times else None, max(before, not_before))

    async def __call__(self, tx: Transaction) -> None:
        """Hold the lanes, queue the twins that are to wait, and release what waited for something that has ended."""
        await self._write_lanes(tx)
        released = []
        if self.twins:
            released += await self._put_twins(tx)
        if self.dedupe_keys:
            released += await self._release(tx, _RELEASE_TWINS, self.dedupe_keys)
        if self.ordering_keys:
            released += await self._release(tx, _RELEASE_ORDERED, self.ordering_keys)
        if released:
            self.lanes = {}
            for kind, lane, run_at in released:
                self.touch(kind, lane, run_at)
            await self._write_lanes(tx)
            tx.announce("jobs")

    async def _write_lanes(self, tx: Transaction) -> None:
        if self.lanes:
            rows = [
                {"scope": self.scope, "kind": kind, "lane": lane, "next_at": times[0], "not_before": times[1]}
                for (kind, lane), times in sorted(self.lanes.items())
            ]
            await tx.raw(TOUCH[tx.dialect], (json.dumps(rows),))

    async def _release(self, tx: Transaction, statement: str, keys: set[str]) -> list[Any]:
        sql = statement.format(scope=_SCOPE[tx.dialect], keys=_KEYS[tx.dialect])
        return list(await tx.raw(sql, (self.scope, json.dumps(sorted(keys)))))

    async def _put_twins(self, tx: Transaction) -> list[Any]:
        found = await self._release(tx, _TWINS, {row["dedupe_key"] for row in self.twins})
        states = {row[0]: row[1] for row in found}
        rows = [
            row | {"twin": True, "state": "blocked"} if row["dedupe_key"] in states else row
            for row in self.twins
            if states.get(row["dedupe_key"], "leased") == "leased"
        ]
        put = await tx.raw(INSERT[tx.dialect], (json.dumps(rows),)) if rows else ()
        return [(row[1], row[2], row[3]) for row in put if row[4] == "waiting"]


def settling(tx: Transaction, scope: str) -> Settling:
    """What this transaction owes the lanes of a scope so far."""
    name = f"jobs:{scope}"
    found = tx.last.get(name)
    if not isinstance(found, Settling):
        found = Settling(scope)
        tx.do_last(name, found)
    return found
