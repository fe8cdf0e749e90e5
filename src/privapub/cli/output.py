"""How commands speak: to people in lines, to programs in JSON."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from privapub import clock
from privapub.errors import InvalidInput, PrivaPubError


def say(data: Any, text: str, *, as_json: bool) -> None:
    """Print the data as JSON or the text."""
    print(json.dumps(data, ensure_ascii=False, indent=2) if as_json else text)  # noqa: T201 - this is where a command speaks


def fail(error: PrivaPubError, *, as_json: bool) -> None:
    """Say what went wrong and what to do, on standard error (as JSON: on standard output, where programs read)."""
    if as_json:
        say({"error": str(error), "hint": error.hint}, "", as_json=True)
    else:
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201 - the same
        if error.hint:
            print(f"Hint: {error.hint}", file=sys.stderr)  # noqa: T201 - the same


def run(command: Callable[[], None]) -> None:
    """Run the program; what fails is one sentence, a hint and exit status 1."""
    try:
        _check_readable(sys.argv)
        command()
    except PrivaPubError as error:
        fail(error, as_json="--json" in sys.argv)
        sys.exit(1)


def readable(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its moments (what is named `…_at` or `…_until`) as text."""
    return {
        name: clock.iso(value) if name.endswith(("_at", "_until")) and value is not None else value
        for name, value in row.items()
    }


def lines(row: Mapping[str, Any]) -> str:
    """One row, a line for each of its fields; a dash where there is nothing."""
    return "\n".join(f"{name.replace('_', ' ')}: {_cell(value) or '—'}" for name, value in row.items())


class Progress:
    """How far a long command has come, on one line of the terminal; where there is none, nothing."""

    EVERY = 0.1  # seconds

    def __init__(self) -> None:
        """Nothing was said yet."""
        self._terminal = sys.stderr.isatty()
        self._said = 0.0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show what is done, and how much of it (`total` 0: of how much is not known)."""
        if self._terminal and clock.monotonic() - self._said > self.EVERY:
            self._said = clock.monotonic()
            share = f"{done / total:.0%}" if total else f"{done / 1e6:,.1f} MB" if done else ""
            print(f"\r\033[K{what} {share}", end="", file=sys.stderr, flush=True)  # noqa: T201 - the same

    def __exit__(self, *_: object) -> None:
        """Make room for what is said next."""
        if self._terminal and self._said:
            print("\r\033[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - the same


def _check_readable(words: Sequence[str]) -> None:
    """Raise InvalidInput where a word that was typed is no text: nothing could be looked up or written under it."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InvalidInput(
                f"{word!a} is not UTF-8.", "Look at the settings of the terminal (LANG, LC_ALL)."
            ) from None


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], empty: str) -> str:
    """Rows under headings, each column as wide as its widest cell; the sentence `empty` where there are none."""
    if not rows:
        return empty
    cells = [[column.replace("_", " ") for column in columns]]
    cells += [[_cell(row.get(column)) for column in columns] for row in rows]
    widths = [max(len(line[n]) for line in cells) for n in range(len(columns))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def with_total(rows: Sequence[Mapping[str, Any]], title: str, counts: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """The rows and below them their sum in the columns `counts`, called "total" in the column `title`; none of none."""
    return [*rows, {title: "total", **{name: sum(row[name] for row in rows) for name in counts}}] if rows else rows


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(each) for each in value)
    return "" if value is None else str(value)
