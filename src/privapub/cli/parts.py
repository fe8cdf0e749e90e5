"""What a process that lasts is asked to do."""

import getopt
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """What a process does: answer requests, run jobs, or both.

    `kinds` names the jobs it runs (none: all there are), `concurrency` how many of each kind at once (None: as the
    settings say).
    """

    web: bool
    work: bool
    kinds: tuple[str, ...] = ()
    concurrency: int | None = None


def parts(words: Sequence[str]) -> Parts | None:
    """What a command line asks for that needs no more than a look; None where it is another, or wrong."""
    match list(words):
        case ["serve"]:
            return Parts(web=True, work=True)
        case ["web"]:
            return Parts(web=True, work=False)
        case ["work", *options]:
            return _work(options)
    return None


def _work(options: list[str]) -> Parts | None:
    try:
        found, rest = getopt.getopt(options, "", ["kinds=", "concurrency="])
    except getopt.GetoptError:
        return None
    named = dict(found)
    concurrency = named.get("--concurrency")
    kinds = split(named.get("--kinds", ""))
    if "--kinds" in named and not kinds:
        return None
    if rest or (concurrency is not None and not (concurrency.isdecimal() and 1 <= int(concurrency) <= 1000)):
        return None
    return Parts(
        web=False,
        work=True,
        kinds=kinds,
        concurrency=None if concurrency is None else int(concurrency),
    )


def split(kinds: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name.strip() for name in kinds.split(",") if name.strip())
