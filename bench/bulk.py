"""Ten thousand deliveries put on their way in one transaction, against the same rows inserted by hand."""

from functools import partial

from measure import Places, Plan, Row, at_most, in_turn, say

SLOWER = 3.0


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows for each database: all that a fan-out writes, and its jobs alone."""
    rows = []
    count = plan.of(10_000, 500)
    for kind in ("SQLite", "PostgreSQL"):
        url = places.ours(kind)
        measured = in_turn(1, {"bulk": partial(say, "ours_bulk.py", url, plan.rounds, count)})["bulk"]
        places.drop(url)
        rows += [
            at_most(
                f"{count:,} deliveries put on their way, {kind}", measured["deliver_ms"], "ms",
                "the same rows by hand", measured["rows_ms"], SLOWER,
            ),
            at_most(
                f"{count:,} jobs put in one transaction, {kind}", measured["put_ms"], "ms",
                "the same rows by hand", measured["jobs_ms"], SLOWER,
            ),
        ]  # fmt: skip
    return rows
