"""`privapub work`."""

from typing import Annotated

import typer

from privapub.cli.parts import Parts, split
from privapub.cli.running import run
from privapub.errors import InvalidInput
from privapub.job_table import in_words


def work(
    *,
    kinds: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Run only these kinds of jobs, with commas between them: as `privapub jobs list` names them, or "
            "`facts` for all that follows from what happened here. Absent: every kind.",
        ),
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="How many jobs of each kind this process runs at once. It replaces what the settings say of "
            "deliveries and of the inbox, and the four of most other kinds; the limit of each host stays.",
        ),
    ] = None,
) -> None:
    """Run jobs, and answer no requests: `privapub web` does. There may be several."""
    names = split(kinds or "")
    if kinds is not None and not names:
        raise InvalidInput("--kinds names no kind.", f"There are {in_words()}. Leave the option away for all of them.")
    run(Parts(web=False, work=True, kinds=names, concurrency=concurrency))
