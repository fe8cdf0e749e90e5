"""Signed activities at the door of the inbox, and what one costs from the socket to the timeline."""

from measure import Measured, Places, Plan, Row, Side, at_least, in_turn, say, within

RATIO = 0.5
MOST_SECONDS = 3.0  # of processor, for 1,000


def measure(places: Places, plan: Plan) -> list[Row]:
    """A row for each database: activities accepted a second, handling paused; on SQLite, what 1,000 cost in all."""
    rows = []
    count = plan.of(2_000, 80)

    def side(name: str, kind: str) -> Side:
        def take() -> Measured:
            url = places.ours(kind)
            figures: Measured = say("door.py", name, url, count)
            places.drop(url)
            return figures

        return take

    for kind in ("SQLite", "PostgreSQL"):
        found = in_turn(plan.rounds, {"ours": side("ours", kind), "bare route": side("bare", kind)})
        ours, bare = found["ours"]["a_second"], found["bare route"]["a_second"]
        rows.append(at_least(f"Creates accepted by the inbox, {kind}", ours, "a second", "a bare route", bare, RATIO))
        if kind == "SQLite":
            name = "CPU of 1,000 Creates, from socket to timeline, SQLite"
            rows.append(within(name, found["ours"]["cpu_s"], "s", MOST_SECONDS))
    return rows
