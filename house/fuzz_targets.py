"""Let every target of `tests/fuzz` meet inputs that are made to reach what no input has reached before.

make fuzz                                     until it is interrupted
make fuzz FUZZ_SECONDS=600                    for ten minutes in all
make fuzz ARGS="test_html test_addresses"     some of them

A target is a test of `tests/fuzz` that takes its input from Hypothesis. Each gets its turn, in a process of its own:
where atheris can be had (`docs/decisions`), what code an input reached decides which is changed next; elsewhere inputs
are drawn by lot. What reached something new is kept in `.fuzz/`, so that the next run goes on from there.

An input that makes a target fail is kept among the examples of Hypothesis. The test is then run as always, which finds
it there, makes it as small as it can, and prints it: that is written above the test as `@example(…)`, or becomes a test
of its own beside what was wrong.
"""

import argparse
import importlib
import importlib.util
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from privapub import clock

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "fuzz"
KEPT = ROOT / ".fuzz"

TURN = 60  # seconds of each target, where there is no end
SHORTEST_TURN = 5
# An input that takes longer has found something that is not linear; one process never needs as much memory.
LONGEST_INPUT_SECONDS, MOST_MEGABYTES = 20, 2048
LONGEST_INPUT = 8192  # bytes of choices, which Hypothesis makes an input of

One = Callable[[bytes], bytes | None]


def targets(wanted: list[str]) -> list[str]:
    """The names of all targets, or of those whose name holds one of these words."""
    found = [f"{path.stem}.{name}" for path in sorted(FOLDER.glob("test_*.py")) for name in _names(path.stem)]
    return [name for name in found if not wanted or any(word in name for word in wanted)]


def _names(module: str) -> Iterator[str]:
    for name, thing in vars(importlib.import_module(f"fuzz.{module}")).items():
        if name.startswith("test_") and hasattr(thing, "hypothesis"):
            yield name


def main() -> int:
    """All targets in turn; the status is 1 where one failed, 2 where there is none, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only targets whose name holds one of these")
    parser.add_argument("--seconds", type=int, default=0, help="for all together; without, there is no end")
    parser.add_argument("--one", action="store_true", help="one target, in this process")
    asked = parser.parse_args()
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    if asked.one:
        return _one(asked.words[0], asked.seconds)
    names = targets(asked.words)
    if not names:
        sys.stderr.write("There is no such target.\n")
        return 2
    end = clock.monotonic() + (asked.seconds or math.inf)
    failed: dict[str, None] = {}
    tried: set[str] = set()
    try:
        while clock.monotonic() < end:
            # In another order each time, so that not always the same ones are reached where there is little time.
            random.shuffle(names)
            for number, name in enumerate(names):
                left = end - clock.monotonic()
                if left <= 0:
                    break
                seconds = max(SHORTEST_TURN, int(left / (len(names) - number))) if asked.seconds else TURN
                tried.add(name)
                if not _turn(name, seconds):
                    failed[name] = None
    except KeyboardInterrupt:
        pass
    sys.stdout.write(f"{len(failed)} of {len(tried)} targets failed{''.join(f', {name}' for name in failed)}\n")
    sys.stdout.writelines(f"{name} had no turn\n" for name in names if name not in tried)
    return 1 if failed else 0


def _turn(name: str, seconds: int) -> bool:
    """Whether a target held while it was its turn; where it did not, what to make of it is printed."""
    command = [sys.executable, __file__, "--one", "--seconds", str(seconds), name]
    # Where `CI` is set Hypothesis keeps no examples.
    outside = {key: value for key, value in os.environ.items() if key != "CI"}
    done = subprocess.run(
        command, cwd=ROOT, env=outside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    last = [line for line in done.stdout.splitlines() if " cov: " in line or line.startswith("Done ")][-2:]
    sys.stdout.write(f"{name}: {'held' if done.returncode == 0 else 'FAILED'}  {' | '.join(last)}\n")
    sys.stdout.flush()
    if done.returncode == 0:
        return True
    module, _, test = name.partition(".")
    again = ["-m", "pytest", "-q", "-n", "0", "-p", "no:randomly", f"tests/fuzz/{module}.py::{test}"]
    shown = subprocess.run([sys.executable, *again], cwd=ROOT, env=outside, check=False)
    if shown.returncode:
        sys.stdout.write(f"Make it a test: write what stands there as @example(…) above {test}, and mend the code.\n")
    else:
        sys.stdout.write(
            f"{done.stdout[-3000:]}\nIt does not fail when the test is run: it took too long or too much.\n"
        )
    sys.stdout.flush()
    return False


def _one(name: str, seconds: int) -> int:
    """One target in this process."""
    kept = KEPT / name
    kept.mkdir(parents=True, exist_ok=True)
    if importlib.util.find_spec("atheris") is None:
        return _by_lot(_target(name), seconds)
    import atheris  # noqa: PLC0415 - it cannot be had everywhere

    with atheris.instrument_imports(include=["privapub"]):
        run = _target(name)
    options = {
        "max_total_time": seconds,
        "max_len": LONGEST_INPUT,
        "len_control": 0,  # a short input makes next to nothing of Hypothesis' strategies
        "timeout": LONGEST_INPUT_SECONDS,
        "rss_limit_mb": MOST_MEGABYTES,
        "artifact_prefix": f"{kept.parent}{os.sep}",
    }
    atheris.Setup([name, str(kept), *(f"-{key}={value}" for key, value in options.items())], run)
    atheris.Fuzz()
    return 0


def _target(name: str) -> One:
    module, _, test = name.partition(".")
    run: One = getattr(importlib.import_module(f"fuzz.{module}"), test).hypothesis.fuzz_one_input
    return run


def _by_lot(run: One, seconds: int) -> int:
    """Without anybody to tell what an input reached."""
    end = clock.monotonic() + seconds
    chance = random.Random()  # noqa: S311 - nothing depends on its secrecy
    runs = 0
    while clock.monotonic() < end:
        run(chance.randbytes(chance.randrange(1, LONGEST_INPUT)))
        runs += 1
    sys.stdout.write(f"Done {runs} runs in {seconds} second(s), by lot\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
