"""From putting a job to the first line of its handler, in a process whose worker is idle, against other queues."""

import sys

from measure import Measured, Places, Plan, Row, Side, alternative, at_most, in_turn, missing, say
from noop_jobs import OTHERS


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows for each database: the median and the 99th percentile of all rounds' jobs."""
    return [row for kind in OTHERS for row in _against(places, plan, kind)]


def _against(places: Places, plan: Plan, kind: str) -> list[Row]:
    sides = {"ours": _side(places, plan, kind, "ours")}
    sides |= {name: _side(places, plan, kind, name) for name in OTHERS[kind] if not missing(name)}
    found = in_turn(plan.rounds, sides)
    others = [name for name in sides if name != "ours"]
    rows = []
    for figure, most in (("p50", 0.5), ("p99", 1.0)):
        best = min(others, key=lambda name: found[name][figure])
        name = f"from enqueue to start, {figure}, {kind}"
        rows.append(at_most(name, found["ours"][figure], "ms", best, found[best][figure], most))
    return rows


def _side(places: Places, plan: Plan, kind: str, name: str) -> Side:
    def side() -> Measured:
        url = places.ours(kind) if name == "ours" else places.empty(kind)
        python = sys.executable if name == "ours" else alternative()
        figures: Measured = say(f"{name}_jobs.py", "starts", url, plan.of(300, 20), python=python)
        places.drop(url)
        return figures

    return side
