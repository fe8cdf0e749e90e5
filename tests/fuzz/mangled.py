"""Texts that are nearly right: what a grammar makes or others wrote, changed in a few places."""

from collections.abc import Callable, Sequence

from hypothesis import settings
from hypothesis import strategies as st

# What an ordinary run spends on each target; `make fuzz` knows no such bound.
FUZZED = settings(deadline=None, max_examples=100)

MOST_CHANGES = 4
_LONGEST_SLICE = 24


@st.composite
def mangled(draw: st.DrawFn, whole: st.SearchStrategy[str], pieces: Sequence[str]) -> str:
    """A text of `whole` with up to four slices left out, said again, moved, or replaced by pieces or anything."""
    text = draw(whole)
    put = st.sampled_from(pieces) | st.text(max_size=3)
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, _LONGEST_SLICE)))
        change = draw(st.sampled_from(["put", "left-out", "again", "moved"]))
        if change == "put":
            text = text[:at] + draw(put) + text[end:]
        elif change == "left-out":
            text = text[:at] + text[end:]
        elif change == "again":
            text = text[:end] + text[at:end] * draw(st.integers(1, 3)) + text[end:]
        else:
            text = text[end:] + text[at:end] + text[:at]
    return text


def joined(pieces: Sequence[str], most: int = 12) -> st.SearchStrategy[str]:
    """Pieces of a grammar one after another, in an order that it may not know."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=3), max_size=most).map("".join)


def long(pieces: Sequence[str], longest: int) -> st.SearchStrategy[str]:
    """One or two pieces said again and again, up to a length, between a beginning and an end."""
    piece = st.sampled_from(pieces)
    return st.builds(
        lambda begin, one, other, end: (begin + (one + other) * (longest // max(1, len(one + other))) + end)[:longest],
        piece | st.just(""),
        piece,
        piece | st.just(""),
        piece | st.just(""),
    )


def only(errors: tuple[type[Exception], ...], read: Callable[[], object]) -> object:
    """What `read` gives; None where it raises what it says that it may raise. Anything else goes through."""
    try:
        return read()
    except errors:
        return None
