"""`python -m privapub.media.child FOLDER`: does the order that lies there, and ends."""

import contextlib
import resource
import sys
from pathlib import Path

import msgspec

from privapub.media.child import order as orders
from privapub.media.child.order import FILM, Faulty, Order, Result


def _make(order: Order) -> Result:
    # Either loads much that the other does not need.
    if order.kind == FILM:
        from privapub.media.child.film import make  # noqa: PLC0415 - the same

        return make(order)
    from privapub.media.child.picture import make  # noqa: PLC0415 - the same

    return make(order)


def _peak(mine: resource.struct_rusage) -> int:
    """The largest size of this process, in KiB; `ru_maxrss` knows that of the one it was forked from, too."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    return mine.ru_maxrss


def main(folder: Path) -> None:
    """Do the order; a fault of the file is a result too, and everything else ends the process as it may."""
    order = orders.read(folder)
    try:
        result = _make(order)
    except Faulty as fault:
        result = Result(fault=str(fault))
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    spent = mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime
    orders.write(folder, msgspec.structs.replace(result, peak=max(_peak(mine), theirs.ru_maxrss), cpu=spent))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
