"""What it costs to refuse strangers, and what a flood of them does to memory and to whoever is welcome."""

from measure import Places, Plan, Row, at_least, at_most, in_turn, say, within

COST = {"digest": ("a bad digest", 0.25), "unknown": ("an unknown host", 0.25), "signature": ("a bad signature", 0.5)}
GOOD = 0.7  # of its rate
MOST_FETCHES = 11  # one at the begin of ten seconds, one after each of them
FLOOD_MIB, BODIES_MIB, BODY_SECONDS = 32, 64, 10


def measure(places: Places, plan: Plan) -> list[Row]:
    """The cost of each refusal against an accepted activity, then two floods; on SQLite."""
    count = plan.of(2_000, 160)

    def take(*arguments: object) -> dict[str, float]:
        url = places.ours("SQLite")
        figures: dict[str, float] = say("strangers_door.py", arguments[0], url, *arguments[1:])
        places.drop(url)
        return figures

    sides = {what: (lambda what=what: take("one", what, count)) for what in ("accepted", *COST)}
    found = in_turn(min(plan.rounds, 3), sides)
    accepted = found["accepted"]["cpu_s"]
    rows = [
        at_most(f"CPU of 1,000 refused for {name}", found[what]["cpu_s"], "s", "1,000 accepted", accepted, most)
        for what, (name, most) in COST.items()
    ]
    forged = plan.of(10_000, 500)
    flood = take("flood", forged, plan.of(4_000, 400))
    many = f"{forged:,} forged, of 10 hosts"
    rows += [
        within(f"{many}: fetches of one host within 10 s", flood["within_ten"], "", MOST_FETCHES),
        within(f"{many}: memory", flood["mib"], "MiB", FLOOD_MIB),
        at_least(f"{many}: accepted beside", flood["beside"], "a second", "without", flood["alone"], GOOD),
    ]
    bodies = take("bodies", plan.of(100, 12))
    rows += [
        within("100 hostile bodies at once: memory", bodies["mib"], "MiB", BODIES_MIB),
        within("100 hostile bodies at once: the last is ended", bodies["seconds"], "s", BODY_SECONDS),
    ]
    return rows
