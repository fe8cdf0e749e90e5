"""Arguments and options that many commands have."""

from typing import Annotated

import typer

from privapub.errors import InvalidInput
from privapub.identifiers import LARGEST
from privapub.markup.render import Format
from privapub.posts.audience import CHOICES

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, metavar="NUMBER", help="How many at most.")]
Before = Annotated[
    int | None, typer.Option(min=0, max=LARGEST, metavar="ID", help="Only older than this one: the next page.")
]
Persona = Annotated[
    str,
    typer.Option(
        "--persona",
        metavar="HANDLE",
        help="The handle of the persona that does this; `privapub persona list` shows those there are.",
    ),
]
Handle = Annotated[str, typer.Argument(metavar="HANDLE", help="The handle of the persona.")]
Address = Annotated[
    str, typer.Argument(metavar="ADDRESS", help="@somebody@example.org, or the address of their page or actor.")
]
AnyPost = Annotated[
    str, typer.Argument(metavar="POST", help="The number, address or page of a post; one elsewhere is fetched.")
]
OwnPost = Annotated[
    str,
    typer.Argument(
        metavar="POST", help="The number or address of a post of the persona's own: `privapub post list` shows them."
    ),
]
Text = Annotated[str, typer.Argument(metavar="TEXT", help="What it says.")]
Audience = Annotated[
    str,
    typer.Option(
        metavar="AUDIENCE",
        help=f"Who may see it: {', '.join(CHOICES)} (direct: those whom the text names).",
    ),
]
Typed = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="How it is typed: plain or markdown. Absent: as the persona likes it."
    ),
]


_FORMATS: dict[str, Format] = {"plain": "plain", "markdown": "markdown"}


def text_format(name: str | None) -> Format | None:
    """The format of this name; InvalidInput where there is none. Pure."""
    if name is None or name in _FORMATS:
        return None if name is None else _FORMATS[name]
    raise InvalidInput(f"{name!r} is no format.", f"It may be {' or '.join(_FORMATS)}.")


def check_audience(name: str) -> None:
    """InvalidInput for what no post can have. Pure."""
    if name not in CHOICES:
        raise InvalidInput(f"{name!r} is no audience.", f"It may be {', '.join(CHOICES)}.")
