"""Signed deliveries through the real worker of one process, against a bare loop that signs and posts."""

from measure import Measured, Places, Plan, Row, Side, at_least, in_turn, say, within

HOSTS = 200
AT_ONCE = 32  # of 8, 16, 32 and 64 what served the bare loop best
RATIO = 0.7
MOST_MS = 1.0


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows for each database: deliveries a second, and the processor's time beyond the signature's."""
    rows = []
    hosts, each = plan.of(HOSTS, 20), plan.of(10, 2)

    def side(name: str, kind: str) -> Side:
        def deliver() -> Measured:
            url = places.ours(kind) if name == "ours" else ""
            figures: Measured = say("ours_deliveries.py", name, url, hosts, each, AT_ONCE)
            if url:
                places.drop(url)
            return figures

        return deliver

    for kind in ("SQLite", "PostgreSQL"):
        found = in_turn(plan.rounds, {"ours": side("ours", kind), "bare loop": side("bare", kind)})
        ours, bare = found["ours"], found["bare loop"]
        rows += [
            at_least(
                f"signed deliveries, {kind}", ours["a_second"], "a second", "a bare loop", bare["a_second"], RATIO
            ),
            within(f"CPU of a delivery to {hosts} hosts beyond its signature's, {kind}", ours["cpu_ms"], "ms", MOST_MS),
        ]
    return rows
