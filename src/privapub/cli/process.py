"""One process that lasts, from its loop to its end: what the child of `keep_running` is."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from privapub import app, clock
from privapub.accounts.holds import count
from privapub.app import Stopping
from privapub.cli.keep_running import BEAT_EVERY, STOPPING, Line
from privapub.cli.parts import Parts
from privapub.server import Server
from privapub.settings import Settings

try:
    import uvloop
except ImportError:  # it is not there on every platform
    new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
else:
    new_loop = uvloop.new_event_loop

BROKEN = 70  # the exit status of a process that a job has ended

log = structlog.get_logger()


def live(
    settings: Settings,
    what: Parts,
    sockets: list[socket.socket],
    line: Line | None,
    started: Callable[[Server], None] | None = None,
) -> None:
    """Serve, work, or both, until told to stop by the parent, or, where there is none, by a signal."""
    app.begin_logging(settings)
    stopping = Stopping()
    greetings: list[asyncio.Task[None]] = []

    def ready(server: Server) -> None:
        app.calm_collector()
        if line is not None:
            line.ready()
        (started or greet)(server)

    def greet(server: Server) -> None:
        if what.web:
            print(f"PrivaPub serves {server.base_url}/ (listening on {settings.listen}).", flush=True)  # noqa: T201 - for whoever started it
        else:
            print(f"PrivaPub works: {', '.join(what.kinds) or 'jobs of every kind'}.", flush=True)  # noqa: T201 - the same
        if what.web and what.work:
            greetings.append(asyncio.create_task(_say_how_to_begin(server)))

    async def living() -> None:
        _hear_signals(stopping, line)
        beating = asyncio.create_task(_beat(line)) if line is not None else None
        try:
            await app.run(
                settings,
                sockets=sockets if what.web else None,
                work=app.Work(what.kinds, what.concurrency) if what.work else None,
                started=ready,
                stopping=stopping,
            )
        finally:
            if beating is not None:
                beating.cancel()

    _run(living())


def _run(main: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        try:
            runner.run(main)
        except (SystemExit, KeyboardInterrupt) as error:
            # Some task of a job wants to end the process. It may: at once, so that its attempt is not given back.
            log.critical("something in this process has ended it", error=repr(error))
            os._exit(BROKEN)


async def _beat(line: Line) -> None:
    while True:
        line.beat()
        await clock.sleep(BEAT_EVERY)


def _hear_signals(stopping: Stopping, line: Line | None) -> None:
    loop = asyncio.get_running_loop()

    def soon(call: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(call)

    if line is None:
        for one in STOPPING:
            signal.signal(one, lambda *_: soon(stopping))
        return
    # What manages processes may tell all of them at once: it is the parent who counts.
    signal.signal(signal.SIGTERM, lambda *_: soon(stopping.once))
    line.listen(lambda: soon(stopping))


async def _say_how_to_begin(server: Server) -> None:
    async with server.database.read() as tx:
        accounts = await count(tx)
    if accounts == 0:
        print(  # noqa: T201 - for whoever started it
            "There is no account yet. In another terminal:\n"
            "  privapub account create you@example.org\n"
            "  privapub persona create yourname --account you@example.org\n"
            "(In a checkout: .venv/bin/privapub, from the folder in which the server was started.)",
            flush=True,
        )
