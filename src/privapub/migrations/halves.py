"""The two halves of a step that hands work to another mechanism, as the numbers of steps tell them. Pure.

    0006 ──► 0007a ──► 0007b ──► 0008
             before    after

A *before* half (`0007a`) only adds: whoever knows 0006 may go on with it. An *after* half (`0007b`) takes over what the
older release left, once none of it runs, and can be taken back. Every other step is for one release alone.
"""

import re
from collections.abc import Sequence

BEFORE = "a"
AFTER = "b"


def _parts(revision: str) -> tuple[int, str]:
    found = re.fullmatch(r"([0-9]{4})([ab]?)", revision)
    return (int(found[1]), found[2]) if found else (-1, "")


def serves(revision: str, head: str) -> bool:
    """Whether a database that has come to this step can be used by a program whose last step is `head`."""
    if revision == head:
        return True
    number, half = _parts(revision)
    known, known_half = _parts(head)
    if half != BEFORE or known < 0:
        return False
    return number == known + 1 or (number == known and known_half == AFTER)


def before_half(revision: str | None, revisions: Sequence[str]) -> str | None:
    """The step that may be taken while an older release still runs on a database at `revision`, or None."""
    if revision is None or revision not in revisions:
        return None
    rest = revisions[revisions.index(revision) + 1 :]
    return rest[0] if rest and _parts(rest[0])[1] == BEFORE else None


def half_way_back(revision: str | None, revisions: Sequence[str]) -> str | None:
    """The before half to which a database whose last step is the after half can go back, or None."""
    if revision is None or revision not in revisions:
        return None
    earlier = dict(zip(revisions[1:], revisions, strict=False)).get(revision)
    number, half = _parts(revision)
    return earlier if half == AFTER and earlier == f"{number:04}{BEFORE}" else None
