"""What the sides share: the pauses between jobs whose start is awaited, and how a figure is told."""

import json
import statistics

PAUSE = (0.005, 0.015)  # seconds


def told(what: "dict[str, float] | list[float]") -> None:
    """Print figures as the last line; a list of waits in seconds as its median and 99th percentile in milliseconds."""
    if isinstance(what, list):
        what = {"p50": 1000 * statistics.median(what), "p99": 1000 * statistics.quantiles(what, n=100)[98]}
    print(json.dumps(what), flush=True)
