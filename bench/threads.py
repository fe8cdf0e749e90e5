"""A long thread on a peer, read to the budget; and one post that a thousand actors boost at the same time."""

from measure import Places, Plan, Row, in_turn, say, within, within_at_least

BUDGET = 500  # posts
AT_ONCE = 2
SECONDS = 60.0


def measure(places: Places, plan: Plan) -> list[Row]:
    """Five rows of the thread, two of the boosts."""
    replies, boosts = plan.of(1000, 40), plan.of(1000, 40)

    def side(what: str, count: int) -> dict[str, float]:
        url = places.ours("SQLite")
        try:
            return dict(say("ours_threads.py", what, url, count))
        finally:
            places.drop(url)

    rounds = min(plan.rounds, 2)
    found = in_turn(rounds, {"thread": lambda: side("thread", replies), "boosts": lambda: side("boosts", boosts)})
    thread, boosted = found["thread"], found["boosts"]
    name = f"thread of {replies:,} replies on a peer"
    expected = min(BUDGET - thread["of_author"], replies + 1)  # the author and their address cost of the budget too
    return [
        within_at_least(f"{name}: posts kept", thread["kept"], "", expected),
        within(f"{name}: kept before what they answer, not", thread["out_of_order"], "", 0),
        within(f"{name}: requests at a time", thread["at_once"], "", AT_ONCE),
        within(f"{name}: requests made twice", thread["twice"], "", 0),
        within(f"{name}: read in", thread["seconds"], "s", SECONDS),
        within(f"a post boosted by {boosts:,} actors: fetched", boosted["fetched"], "times", 1),
        within_at_least(f"a post boosted by {boosts:,} actors: boosts kept", boosted["kept"], "", boosts),
    ]
