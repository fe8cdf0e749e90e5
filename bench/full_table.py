"""A million jobs wait, nine in ten of them for hosts in quarantine: what a lease costs, and what a worker holds."""

from measure import Places, Plan, Row, at_most, in_turn, say

SLOWER = {"SQLite": 3.0, "PostgreSQL": 5.0}
LARGER = 1.1


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows for each database."""
    return [row for kind in SLOWER for row in _in(places, plan, kind)]


def _in(places: Places, plan: Plan, kind: str) -> list[Row]:
    many, few, none = places.ours(kind), places.ours(kind), places.ours(kind)
    say("ours_many.py", "fill", many, plan.of(1_000_000, 2_000))
    say("ours_many.py", "fill", few, 1_000)
    found = in_turn(plan.rounds, {"leases": lambda: say("ours_many.py", "leases", many, few, plan.of(100, 10))})
    seconds = plan.of(5, 1)
    held = in_turn(
        plan.rounds,
        {
            "a million waiting": lambda: say("ours_many.py", "memory", many, seconds),
            "an empty table": lambda: say("ours_many.py", "memory", none, seconds),
        },
    )
    for url in (many, few, none):
        places.drop(url)
    count = f"{plan.of(1_000_000, 2_000):,}"
    times = found["leases"]
    return [
        at_most(
            f"a lease of 8 among {count} waiting, {kind}", times["many_ms"], "ms", "among 1,000", times["few_ms"],
            SLOWER[kind],
        ),
        at_most(
            f"RssAnon of a worker beside {count} waiting, {kind}", held["a million waiting"]["mib"], "MiB",
            "beside an empty table", held["an empty table"]["mib"], LARGER,
        ),
    ]  # fmt: skip
