"""Processes that race for the same jobs: how many jobs are leased by two of them, and how many are lost."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from measure import Places, Plan, Row, progress, say, within

PROCESSES = {"SQLite": 3, "PostgreSQL": 6}
TURNS = 10
START = 4.0  # seconds that the processes are given to load


def measure(places: Places, plan: Plan) -> list[Row]:
    """One row for each database."""
    return [_race(places, plan, kind, processes) for kind, processes in PROCESSES.items()]


def _race(places: Places, plan: Plan, kind: str, processes: int) -> Row:
    turns, count = plan.of(TURNS, 1), plan.of(10_000, 300)
    wrong = 0
    for turn in range(turns):
        url = places.ours(kind)
        say("ours_race.py", "put", url, count)
        at = time.time() + START
        began = time.perf_counter()
        with ThreadPoolExecutor(processes) as pool:
            each = list(pool.map(lambda _: say("ours_race.py", "work", url, at, count)["ran"], range(processes)))  # noqa: B023 - all are done before the next turn
        places.drop(url)
        ran = Counter(number for numbers in each for number in numbers)
        twice = sum(times - 1 for times in ran.values())
        lost = count - len(ran)
        wrong += twice + lost
        shares = "/".join(str(len(numbers)) for numbers in each)
        progress(
            f"  {turn + 1}/{turns} {kind}: {shares}, {twice} twice, {lost} lost ({time.perf_counter() - began:.1f} s)"
        )
    name = f"double leases, {processes} processes, {turns} x {count:,} jobs, {kind}"
    return within(name, wrong, "jobs", 0)
