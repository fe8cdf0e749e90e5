"""Requests signed by the house, against the key's own operation alone."""

from functools import partial

from measure import Places, Plan, Row, at_least, in_turn, say


def measure(_places: Places, plan: Plan) -> list[Row]:
    """One row."""
    count = plan.of(500, 20)
    found = in_turn(
        plan.rounds,
        {name: partial(say, "ours_signing.py", name, count) for name in ("ours", "bare")},
    )
    ours, bare = found["ours"]["a_second"], found["bare"]["a_second"]
    return [at_least("requests signed, RSA-2048", ours, "a second", "the RSA operation alone", bare, 0.5)]
