"""What it costs to make pictures and films anew, to show what lies in the cache, and how often others are asked."""

from measure import Measured, Places, Plan, Row, Side, at_most, in_turn, progress, say, within, within_at_least

PEAK, GROWTH, MUST_CPU = 120, 5, 1.3  # MB, MB
SAME = 0.05  # by how much the bytes of what both sides made may differ: else they did not do the same
MUST_HIT = 2.0
MB = 2**20 / 1e6
OTHERS = {"photo.heic": "12-megapixel HEIC", "moving.gif": "GIF, 200 frames of 640 x 480", "film.mp4": "10 s of 1080p"}


def measure(places: Places, plan: Plan) -> list[Row]:
    """Rows of a photograph, of what else is made, of hits of the proxy, of readers and of links."""
    made = places.folder / "media"
    made.mkdir()
    with_film = say("pictures.py", made)["film"]
    if not with_film:
        progress("no ffmpeg: nothing is measured of a film")
    rows = _photograph(str(made / "photo.jpg"), plan)
    for name, about in OTHERS.items():
        if with_film or name != "film.mp4":
            rows += _other(about, say("ours_media.py", made / name), film=name == "film.mp4")
    return [*rows, _hit(places, plan), *_readers(places, plan), *_links(places, plan)]


def _photograph(path: str, plan: Plan) -> list[Row]:
    found = in_turn(
        plan.rounds,
        {"ours": lambda: dict(say("ours_media.py", path)), "pyvips": lambda: dict(say("pyvips_media.py", path))},
    )
    ours, bare = found["ours"], found["pyvips"]
    if ours["longest"] != bare["longest"] or abs(ours["bytes"] / bare["bytes"] - 1) > SAME:
        raise SystemExit(f"both sides did not make the same: {found}")
    name = "24-megapixel JPEG to all sizes"
    return [
        within(f"{name}: peak of the child", ours["peak"] * MB, "MB", PEAK),
        at_most(f"{name}: CPU of the child", ours["cpu"], "s", "bare pyvips", bare["cpu"], MUST_CPU),
        within(f"{name}: the serving process grows by", ours["grown"] * MB, "MB", GROWTH),
    ]


def _other(about: str, found: Measured, *, film: bool) -> list[Row]:
    most = found["most_film_cpu" if film else "most_cpu"]
    return [
        Row(f"{about}: made in", found["seconds"], "s", "", None, None, ok=True),
        at_most(f"{about}: peak", found["peak"] * MB, "MB", "the setting", found["memory"] * MB, 1.0),
        at_most(f"{about}: CPU", found["cpu"], "s", "the setting", most, 1.0),
    ]


def _hit(places: Places, plan: Plan) -> Row:
    count = plan.of(8_000, 400)
    found = in_turn(
        plan.rounds,
        {
            "ours": _with_database(places, "SQLite", "proxy_hits.py", "ours", count),
            "static route": lambda: dict(say("proxy_hits.py", "static", count)),
        },
    )
    ours, static = found["ours"]["cpu_ms"], found["static route"]["cpu_ms"]
    return at_most("proxy hit, a picture of 40 KiB: CPU", ours, "ms", "a static route", static, MUST_HIT)


def _readers(places: Places, plan: Plan) -> list[Row]:
    rows = []
    readers = plan.of(100, 20)
    for kind in ("PostgreSQL", "SQLite"):
        sides = {how: _with_database(places, kind, "ours_readers.py", how, readers) for how in ("off", "on")}
        found = in_turn(1, sides)
        name = f"{readers} readers, cold picture, {kind}"
        rows += [
            within(f"{name}: fetched", found["off"]["fetched"], "times", 1),
            within_at_least(f"{name}: shown at once to", found["off"]["shown"], "", readers),
            within(f"{name}, prefetched: before its time", found["on"]["early"], "times", 0),
            within(f"{name}, prefetched: in all", found["on"]["fetched"], "times", 1),
        ]
    return rows


def _links(places: Places, plan: Plan) -> list[Row]:
    count = plan.of(1_000, 50)
    found = in_turn(1, {"links": _with_database(places, "SQLite", "ours_links.py", count)})["links"]
    name = f"{count:,} remote posts with one link within 10 s"
    return [
        within(f"{name}: page fetched", found["fetched"], "times", 1),
        within_at_least(f"{name}: posts with a card", found["cards"], "", count),
    ]


def _with_database(places: Places, kind: str, script: str, *arguments: object) -> Side:
    def side() -> Measured:
        url = places.ours(kind)
        try:
            return dict(say(script, url, *arguments))
        finally:
            places.drop(url)

    return side
