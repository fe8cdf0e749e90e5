"""A plan of the lease that was made while PostgreSQL knew the tables to be empty is as good when they are full."""

import re

import pytest

from privapub.database.connect import Database
from privapub.jobs.lease_function import LEASE_FUNCTION

# What the function's statements over many rows are made of, and the types of what stands in them.
BOUND = {
    "p_scope": "text", "p_stamp": "text", "p_kinds[i]": "text", "p_free[i]": "int", "p_failing[i]": "int",
    "p_caps[i]": "int", "p_seconds[i]": "float8", "p_attempts[i]": "int", "mine": "text[]", "t": "float8",
}  # fmt: skip


def statement(begins: str, ends: str) -> str:
    """A statement of the function, with numbers for what it is given."""
    start = LEASE_FUNCTION.index(begins)
    sql = LEASE_FUNCTION[start : LEASE_FUNCTION.index(ends, start)].strip().rstrip(";")
    for number, name in enumerate(BOUND, 1):
        sql = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"${number}", sql)
    return sql


@pytest.mark.parametrize(
    ("begins", "ends", "within"),
    [
        ("WITH chosen", "UPDATE lane SET", r"pk_job on job  .*\n +Index Cond: \(id = ANY"),
        ("UPDATE lane SET", "END LOOP", r"pk_lane on lane  .*\n +Index Cond: .*lane = ANY"),
    ],
    ids=["jobs", "lanes"],
)
async def test_rows_are_found_by_their_names_whatever_the_tables_are_thought_to_hold(
    begins: str, ends: str, within: str, database: Database
) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite has no function to lease by")
    settings = re.findall(r"SET (\w+) = '(\w+)'", LEASE_FUNCTION[: LEASE_FUNCTION.index("DECLARE")])
    async with database.turns.alone() as driver:
        await driver.execute("VACUUM ANALYZE job, lane")
    async with database.write() as tx:
        for name, value in settings:
            await tx.raw(f"SET LOCAL {name} = '{value}'")
        await tx.raw(f"PREPARE one({', '.join(BOUND.values())}) AS {statement(begins, ends)}")
        plan = await tx.raw("EXPLAIN EXECUTE one('', 's', 'work', 8, 1, 2, 60, 5, '{a,b}', 0)")
        await tx.raw("DEALLOCATE one")
    shown = "\n".join(row[0] for row in plan)
    assert "Seq Scan" not in shown
    assert re.search(within, shown), shown
