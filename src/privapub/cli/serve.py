"""`privapub serve`."""

import asyncio
import gc

import uvloop

from privapub import app
from privapub.accounts.holds import count
from privapub.cli.opened import settings
from privapub.cli.output import run
from privapub.server import Server


def serve() -> None:
    """Run the whole server, web and workers, until it is told to stop (Ctrl-C or SIGTERM)."""
    what = settings()
    app.begin_logging(what)

    def started(server: Server) -> None:
        gc.freeze()  # what is loaded by now stays: the collector need not look at it again
        print(f"PrivaPub serves {server.base_url}/ (listening on {what.listen}).", flush=True)  # noqa: T201 - for whoever started it
        waiting.append(asyncio.create_task(_greet(server)))

    waiting: list[asyncio.Task[None]] = []
    uvloop.run(app.serve(what, started))


async def _greet(server: Server) -> None:
    async with server.database.read() as tx:
        accounts = await count(tx)
    if accounts == 0:
        print(  # noqa: T201 - the same
            "There is no account yet. In another terminal:\n"
            "  privapub account create you@example.org\n"
            "  privapub persona create yourname --account you@example.org\n"
            "(In a checkout: .venv/bin/privapub, from the folder in which the server was started.)",
            flush=True,
        )


def main() -> None:
    """The command alone, without the others."""
    run(serve)
