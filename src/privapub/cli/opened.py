"""A server opened for the length of one command."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from privapub import budget, scope
from privapub.app import check_ready, close_server, open_server
from privapub.database.transaction import Transaction
from privapub.errors import NotFound, OperatorError
from privapub.personas.read import Persona, by_handle
from privapub.server import Server
from privapub.settings import Settings, load

T = TypeVar("T")


async def persona_named(tx: Transaction, handle: str) -> Persona:
    """The persona with this handle; NotFound where there is none."""
    found = await by_handle(tx, handle.removeprefix("@"))
    if found is None:
        raise NotFound(f"There is no persona {handle!r}.", "`privapub persona list` shows those there are.")
    return found


def settings() -> Settings:
    """The settings of this installation."""
    return load(os.environ).settings


def with_server(work: Callable[[Server], Awaitable[T]]) -> T:
    """Do this with an open server whose database is up to date."""
    what = settings()
    check_there(what)

    async def opened() -> T:
        server = open_server(what)
        try:
            await check_ready(server)
            with scope.cause(scope.READER, budget.COMMAND):
                return await work(server)
        finally:
            await close_server(server)

    return asyncio.run(opened())


def check_there(what: Settings) -> None:
    """A command that is typed in the wrong folder makes nothing there."""
    path = what.database.removeprefix("sqlite:///")
    if path != what.database and not Path(path).exists():
        raise OperatorError(
            f"There is no database at {path}.",
            "Go to the folder in which the server was started, or set PRIVAPUB_DATA. "
            "A new database is made by `privapub serve` and by `privapub migrate`.",
        )
