"""The whole server, wired: what lives as long as the process, the web application, and the two running together."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.metadata import version
from types import FrameType
from typing import Any

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from privapub import clock
from privapub.actors import application
from privapub.actors.addresses import Addresses
from privapub.database.connect import Database
from privapub.effects import prune
from privapub.errors import OperatorError
from privapub.federation import routes as federation
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.migrations.run import HEAD, check_current, upgrade
from privapub.migrations.run import current as current_schema
from privapub.outbound.client import Door
from privapub.outbound.gate import OpenGate
from privapub.server import Server
from privapub.settings import Listen, Settings
from privapub.telemetry.arrivals import ArrivalRecorder
from privapub.telemetry.fetches import FetchRecorder
from privapub.web import routes as web

GRACE = 25  # seconds that requests and jobs under way are given when the server is told to stop

log = structlog.get_logger()


def open_server(settings: Settings) -> Server:
    """Everything that lives as long as the process. The data folder is made if it is not there.

    Raises OperatorError where the folder cannot be made or written.
    """
    _check_folder(settings)
    database = Database(settings.database)
    fetches = FetchRecorder(database)
    door = Door(
        recorder=fetches,
        gate=OpenGate(),
        allow=settings.allow_addresses,
        user_agent=f"PrivaPub/{version('privapub')} (+{settings.base_url}/)",
        timeout=settings.fetch_timeout,
    )
    return Server(settings, database, door, fetches, ArrivalRecorder(database))


async def close_server(server: Server) -> None:
    """Write down what was counted and let go of everything."""
    await server.door.close()
    with contextlib.suppress(Exception):  # the tables may not be there yet, and counts are no reason to fail
        await server.fetches.flush()
        await server.arrivals.flush()
    await server.database.close()


async def check_ready(server: Server) -> None:
    """The schema is the program's own, and the actor that signs our fetches exists.

    Raises OperatorError that says which command to run.
    """
    await check_current(server.database)
    async with server.database.write() as tx:
        await application.ensure(tx, Addresses(server.base_url), server.domain, clock.now())


async def prepare(server: Server) -> None:
    """As `check_ready`, but an empty database is given its tables first."""
    if await current_schema(server.database) is None:
        log.info("the database is empty: making its tables", schema=HEAD)
        await upgrade(server.settings.database)
    await check_ready(server)
    async with server.database.write() as tx:
        await prune.plan(tx)


def web_application(server: Server) -> ASGIApp:
    """The pages and the documents."""
    return web.wrap(Starlette(routes=[*web.routes(server), *federation.routes(server)]))


async def serve(settings: Settings, started: Callable[[Server], None]) -> None:
    """Web and workers in one process until told to stop; `started` is called when requests are answered."""
    async with contextlib.AsyncExitStack() as stack:
        sockets = [stack.enter_context(one) for one in listening(settings.listen)]
        server = open_server(settings)
        stack.push_async_callback(close_server, server)
        await prepare(server)
        _say_what_is_let_through(settings)
        worker = await stack.enter_async_context(_background(server))
        loop = asyncio.get_running_loop()
        await _Web(
            server, started=lambda: started(server), stopping=lambda: loop.call_soon_threadsafe(worker.stop)
        ).serve(sockets=sockets)


class _Web(uvicorn.Server):
    """The web server, that says when it answers and when it is told to stop."""

    def __init__(self, server: Server, started: Callable[[], None], stopping: Callable[[], Any]) -> None:
        super().__init__(
            uvicorn.Config(
                web_application(server),
                http="httptools",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._started, self._stopping = started, stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As its parent, but the signal ends here: what is still to be put in order would be cut off by it."""
        before = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        # A second signal ends the grace of the jobs too.
        self._stopping()


@contextlib.asynccontextmanager
async def _background(server: Server) -> AsyncIterator[Worker]:
    """The worker and the flushing of counts beside what happens inside; both are ended in order."""
    worker = Worker(server.database, job_kinds(server))
    working = asyncio.create_task(worker.run())
    counting = [asyncio.create_task(server.fetches.run()), asyncio.create_task(server.arrivals.run())]
    try:
        yield worker
    finally:
        if not worker.stopping:
            worker.stop()
        await working
        for task in counting:
            task.cancel()
        await asyncio.gather(*counting, return_exceptions=True)


def listening(listen: Listen) -> list[socket.socket]:
    """Sockets bound to every address that the host has.

    Raises OperatorError where the port is taken or the address is not this machine's.
    """
    try:
        found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise OperatorError(f"There is no address for {listen.host}.", "Look at PRIVAPUB_LISTEN.") from None
    bound: list[socket.socket] = []
    problem: OSError | None = None
    for family, kind, protocol, _name, address in dict.fromkeys(found):
        one = socket.socket(family, kind, protocol)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            one.bind(address)
            bound.append(one)
        except OSError as error:
            one.close()
            problem = error
            if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                break
    if not bound or (problem and problem.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)):
        for one in bound:
            one.close()
        raise _cannot_listen(listen, problem)
    return bound


def _cannot_listen(listen: Listen, problem: OSError | None) -> OperatorError:
    number = problem.errno if problem else None
    if number == errno.EADDRINUSE:
        return OperatorError(
            f"Port {listen.port} on {listen.host} is taken.",
            "Stop what listens there, or choose another with PRIVAPUB_LISTEN=host:port.",
        )
    if number == errno.EACCES:
        return OperatorError(f"Port {listen.port} may not be used.", "Ports below 1024 need a right of their own.")
    return OperatorError(f"{listen} is no address of this machine.", "Look at PRIVAPUB_LISTEN.")


def _check_folder(settings: Settings) -> None:
    try:
        settings.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = settings.data / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OperatorError(
            f"The data folder {settings.data} cannot be written: {error.strerror}.",
            "Give the user who runs PrivaPub the right to write there, or choose another with PRIVAPUB_DATA.",
        ) from None


def _say_what_is_let_through(settings: Settings) -> None:
    if settings.allow_addresses:
        log.warning(
            "requests to these networks are let through, by plain http too: for development only",
            networks=[str(network) for network in settings.allow_addresses],
        )


def begin_logging(settings: Settings) -> None:
    """Log lines to standard error, in the form and from the level that the settings name."""
    last = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.log_level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # The web server's own lines: its errors, never who asked for what.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
