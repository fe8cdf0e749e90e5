"""A fan-out to a thousand hosts of which three hundred take the connection and never answer.

They hang from the first post on, when nothing is known of any of them; the second post comes when each has been tried.
"""

from measure import Measured, Places, Plan, Row, Side, at_most, in_turn, say, within_at_least

LIMIT = 120  # seconds
SLOWER = 1.5


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows for each database."""
    return [row for kind in ("SQLite", "PostgreSQL") for row in _in(places, plan, kind)]


def _in(places: Places, plan: Plan, kind: str) -> list[Row]:
    hosts, hanging = plan.of(1000, 50), plan.of(300, 15)
    rounds = min(plan.rounds, 2)  # each is minutes long

    def side(how: str) -> Side:
        def post() -> Measured:
            url = places.ours(kind)
            figures: Measured = say("ours_hanging.py", url, hosts, how, LIMIT)
            places.drop(url)
            return figures

        return post

    found = in_turn(rounds, {"hanging": side("hang"), "none": side("calm")})
    here, calm = found["hanging"], found["none"]
    others = hosts - hanging
    where = f"{hosts} hosts, {hanging} hang, {kind}"
    return [
        within_at_least(f"first post to {where}: healthy reached", here["first_taken"], f"in {LIMIT} s", others),
        within_at_least(f"second post to {where}: healthy reached", here["second_taken"], f"in {LIMIT} s", others),
        at_most(
            f"second post to {where}: time", here["second_seconds"], "s", "none hanging", calm["second_seconds"], SLOWER
        ),
    ]
