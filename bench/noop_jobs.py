"""Jobs that do nothing through the real worker of one process, against queues that others use."""

from measure import Measured, Places, Plan, Row, Side, alternative, at_least, in_turn, missing, say

MUST = {"SQLite": 6.0, "PostgreSQL": 10.0}
OTHERS = {"SQLite": ("huey",), "PostgreSQL": ("procrastinate", "saq", "oban")}


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows: one for each database."""
    return [_against(places, plan, kind) for kind in MUST]


def _against(places: Places, plan: Plan, kind: str) -> Row:
    others = [name for name in OTHERS[kind] if not missing(name)]
    found = in_turn(
        plan.rounds, {"ours": _ours(places, plan, kind)} | {n: _theirs(places, plan, kind, n) for n in others}
    )
    best = max(others, key=lambda name: found[name]["a_second"])
    name = f"no-op jobs through the worker, {kind}"
    return at_least(
        name, found["ours"]["a_second"], "a second", best + _left_out(kind), found[best]["a_second"], MUST[kind]
    )


def _left_out(kind: str) -> str:
    return "".join(f"; {name}: {why}" for name in OTHERS[kind] if (why := missing(name)))


def _ours(places: Places, plan: Plan, kind: str) -> Side:
    def side() -> Measured:
        url = places.ours(kind)
        figures: Measured = say("ours_jobs.py", "jobs", url, plan.of(10_000, 200))
        places.drop(url)
        return figures

    return side


def _theirs(places: Places, plan: Plan, kind: str, name: str) -> Side:
    def side() -> Measured:
        url = places.empty(kind)
        figures: Measured = say(f"{name}_jobs.py", "jobs", url, plan.of(2_000, 100), python=alternative())
        places.drop(url)
        return figures

    return side
