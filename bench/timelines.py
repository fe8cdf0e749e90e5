"""A page of a home timeline, out of very many posts by very many people."""

from measure import Places, Plan, Row, in_turn, say, within

MOST = 2.0  # milliseconds


def measure(places: Places, plan: Plan) -> list[Row]:
    """Two rows: the newest page, and pages from anywhere."""
    posts, follows, reads = plan.of(200_000, 2000), 500, plan.of(300, 10)

    def side() -> dict[str, float]:
        url = places.ours("SQLite")
        try:
            return dict(say("ours_timelines.py", url, posts, follows, reads))
        finally:
            places.drop(url)

    found = in_turn(1, {"ours": side})["ours"]
    about = f"{posts:,} posts, {follows} follows"
    return [
        within(f"home timeline, {about}: CPU of the first page", found["first"], "ms", MOST),
        within(f"home timeline, {about}: CPU of a page anywhere", found["anywhere"], "ms", MOST),
    ]
