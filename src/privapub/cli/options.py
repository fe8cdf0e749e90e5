"""Options that many commands have."""

from typing import Annotated

import typer

from privapub.errors import InvalidInput
from privapub.markup.render import Format

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")]
LARGEST = 2**63 - 1  # that a database has room for

Typed = Annotated[
    str | None, typer.Option("--format", help="How it is typed: plain or markdown. Absent: as the persona likes it.")
]


_FORMATS: dict[str, Format] = {"plain": "plain", "markdown": "markdown"}


def text_format(name: str | None) -> Format | None:
    """The format of this name; InvalidInput where there is none. Pure."""
    if name is None or name in _FORMATS:
        return None if name is None else _FORMATS[name]
    raise InvalidInput(f"{name!r} is no format.", f"It may be {' or '.join(_FORMATS)}.")
