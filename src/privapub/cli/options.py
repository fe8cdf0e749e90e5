"""Options that many commands have."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")]
LARGEST = 2**63 - 1  # that a database has room for
