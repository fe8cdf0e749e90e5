"""The tables of the queue.

Every index is led by the scope. A lane's row says when something of one kind may next run in it, so that a host that
must not be asked for an hour is one row written and not a hundred thousand. Rows of one lane are changed by whoever
holds the lane's row.
"""

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    Table,
    Text,
    event,
    false,
    text,
)

from privapub.database.tables import metadata
from privapub.jobs.lease_function import LEASE_FUNCTION

job = Table(
    "job",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("scope", Text, nullable=False, server_default=""),
    Column("kind", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("args", Text, nullable=False),  # a JSON object
    Column("trigger", Text, nullable=False, server_default=""),
    Column("state", Text, nullable=False),  # one of job.STATES
    Column("created_at", Double, nullable=False),
    Column("run_at", Double, nullable=False),
    Column("attempt", Integer, nullable=False, server_default="0"),  # counted when a lease is taken
    Column("attempts", Integer),  # how many the kind allowed at the last lease
    Column("stamp", Text),  # of the lease that holds it
    Column("lease_until", Double),
    Column("lease_seconds", Double),
    Column("first_leased_at", Double),  # never cleared
    Column("alone", Boolean, nullable=False, server_default=false()),  # its last lease expired
    Column("dedupe_key", Text),
    Column("once_for_ever", Boolean, nullable=False, server_default=false()),
    Column("twin", Boolean, nullable=False, server_default=false()),  # waits for the end of one with its key
    Column("ordering_key", Text),
    Column("part", Text),  # first or last of its ordering key's story
    Column("finished_at", Double),
    Column("why", Text),  # what the last failure was
    Column("progress", Double),  # from 0 to 1
    Column("progress_note", Text),
    sqlite_autoincrement=True,
    postgresql_with={"fillfactor": "85", "autovacuum_vacuum_scale_factor": "0.02"},
)

lane = Table(
    "lane",
    metadata,
    Column("scope", Text, primary_key=True, server_default=""),
    Column("kind", Text, primary_key=True),
    Column("lane", Text, primary_key=True),
    Column("next_at", Double),  # when something of it may next run; NULL: nothing waits
    Column("not_before", Double, nullable=False, server_default="0"),  # the host asked to be left alone until
    Column("cap", Integer),  # how many may run at once, where it is not what the kind says
    Column("fails", Integer, nullable=False, server_default="0"),  # in a row
    Column("open_until", Double, nullable=False, server_default="0"),  # quarantined until
    Column("quarantine", Double, nullable=False, server_default="0"),  # the length of the last one, in seconds
    Column("heard_at", Double),  # when the host last answered or wrote, within a day
    Column("opened_at", Double, nullable=False, server_default="0"),  # when its quarantine began
    sqlite_with_rowid=False,
    postgresql_with={"fillfactor": "50"},
)


def _partial(name: str, *columns: object, where: str, unique: bool = False) -> None:
    condition = text(where)
    Index(name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition)  # type: ignore[arg-type]  # columns of the table above


_j = job.c
_partial("ix_job_waiting", _j.scope, _j.kind, _j.lane, _j.run_at, _j.id, where="state = 'waiting' AND NOT alone")
_partial("ix_job_alone", _j.scope, _j.run_at, _j.id, where="state = 'waiting' AND alone")
_partial("ix_job_leased", _j.scope, _j.kind, _j.lane, _j.lease_until, where="state = 'leased'")
_partial("ix_job_blocked", _j.scope, _j.id, where="state = 'blocked'")
_partial("ix_job_finished_at", _j.scope, _j.finished_at, where="finished_at IS NOT NULL")
_partial("ix_job_ordered", _j.scope, _j.ordering_key, _j.id, where="ordering_key IS NOT NULL")
_partial(
    "ix_job_in_turn",
    _j.scope,
    _j.ordering_key,
    where="ordering_key IS NOT NULL AND state IN ('waiting', 'leased')",
)
_partial(
    "uq_job_dedupe_key",
    _j.scope,
    _j.dedupe_key,
    _j.twin,
    where="dedupe_key IS NOT NULL AND (once_for_ever OR finished_at IS NULL)",
    unique=True,
)
for _name, _which in (("ix_lane_next_at", "fails = 0"), ("ix_lane_failing", "fails > 0")):
    _partial(_name, lane.c.scope, lane.c.kind, lane.c.next_at, where=f"next_at IS NOT NULL AND {_which}")

event.listen(metadata, "after_create", DDL(LEASE_FUNCTION).execute_if(dialect="postgresql"))  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
