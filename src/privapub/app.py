"""The whole server, wired: what lives as long as the process, the web application, and the two running together."""

import asyncio
import contextlib
import difflib
import gc
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from privapub import clock
from privapub.actors import application
from privapub.actors.addresses import Addresses
from privapub.client_api import routes as client_api
from privapub.client_api.cors import Cors
from privapub.database.connect import Database
from privapub.effects import prune
from privapub.errors import OperatorError
from privapub.federation import routes as federation
from privapub.follows import domains
from privapub.job_table import OF_FACTS, in_words, job_kinds
from privapub.jobs import pause
from privapub.jobs.job import FACTS
from privapub.jobs.kind import JobKind
from privapub.jobs.worker import Worker
from privapub.migrations.run import HEAD, check_current, upgrade
from privapub.migrations.run import current as current_schema
from privapub.moderation.gate import DomainGate, own_hosts
from privapub.notifications import push, web_push
from privapub.outbound.client import Door
from privapub.proxy import cache
from privapub.server import Server
from privapub.settings import Settings
from privapub.telemetry.fetches import FetchRecorder
from privapub.web import routes as web
from privapub.web.connection import Connection

WORDS = 1 << 16  # bytes of a message on a WebSocket
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
        gate=DomainGate(database, own_hosts(settings.base_url, settings.handle_domain, settings.media_base_url)),
        allow=settings.allow_addresses,
        user_agent=f"PrivaPub/{version('privapub')} (+{settings.base_url}/)",
        timeout=settings.fetch_timeout,
    )
    return Server.around(settings, database, door, fetches)


async def close_server(server: Server) -> None:
    """Write down what was counted and let go of everything."""
    await server.door.close()
    for each in server.counting:
        with contextlib.suppress(Exception):  # the tables may not be there yet, and counts are no reason to fail
            await each.flush()
    await server.database.close()


async def check_ready(server: Server) -> None:
    """The schema is the program's own, and the actor that signs our fetches exists.

    Raises OperatorError that says which command to run.
    """
    await check_current(server.database)
    async with server.database.write() as tx:
        await application.ensure(tx, Addresses(server.base_url), server.domain, clock.now())
        await cache.ensure(tx, server.settings)
        await push.ensure_key(tx, web_push.new_key())


async def prepare(server: Server) -> None:
    """As `check_ready`, but an empty database is given its tables first."""
    if await current_schema(server.database) is None:
        log.info("the database is empty: making its tables", schema=HEAD)
        await upgrade(server.settings.database)
    await check_ready(server)


def web_application(server: Server) -> ASGIApp:
    """The pages, the documents and the client API."""
    routes = [*web.routes(server), *federation.routes(server), *client_api.routes(server)]
    return web.wrap(Starlette(routes=routes), server, Cors)


@dataclass(frozen=True)
class Work:
    """Which jobs a process runs: of these kinds (none named: all), each `concurrency` at once (None: as is set)."""

    kinds: Sequence[str] = ()
    concurrency: int | None = None


class Stopping:
    """How a process is told to stop: the first time, to end in order; the second, not to wait for what runs."""

    def __init__(self) -> None:
        """Not told yet."""
        self._times = 0
        self._calls: list[Callable[[], None]] = []

    @property
    def times(self) -> int:
        """How often it was told."""
        return self._times

    def then(self, call: Callable[[], None]) -> None:
        """Call this each time it is told; for the times that have passed, now."""
        self._calls.append(call)
        for _ in range(self._times):
            call()

    def once(self) -> None:
        """It is to stop, however often this is said."""
        if not self._times:
            self()

    def __call__(self) -> None:
        """It is to stop, or, if it knows, to hurry."""
        self._times += 1
        for call in self._calls:
            call()


async def run(
    settings: Settings,
    *,
    sockets: Sequence[socket.socket] | None,
    work: Work | None,
    started: Callable[[Server], None],
    stopping: Stopping,
) -> None:
    """Answer requests on the sockets, run jobs, or both, until told to stop; `started` is called when that is so.

    One process that does both is all of an installation, and makes the tables of an empty database.
    """
    async with contextlib.AsyncExitStack() as stack:
        server = open_server(settings)
        stack.push_async_callback(close_server, server)
        kinds = chosen(job_kinds(server), work) if work is not None else {}
        await (check_ready(server) if sockets is None or work is None else prepare(server))
        await _take_over_federation(server)
        _say_what_is_let_through(settings)
        await _say_what_is_paused(server)
        await stack.enter_async_context(_counting(server))
        if work is not None:
            async with server.database.write() as tx:
                await prune.plan(tx)
        # What goes wrong up to here is said in a sentence.
        group = await stack.enter_async_context(asyncio.TaskGroup())
        worker = None if work is None else Worker(server.database, kinds)

        def say() -> None:
            if stopping.times == 1:
                log.info(what_has_time(0 if worker is None else worker.under_way, web=sockets is not None))

        stopping.then(say)
        if worker is not None:
            group.create_task(worker.run())
            stopping.then(worker.stop)
        if sockets is None:
            started(server)
            return
        web_server = _Web(server, started=lambda: started(server))
        stopping.then(web_server.stop)
        group.create_task(web_server.serve(sockets=list(sockets)))


def what_has_time(jobs: int, *, web: bool) -> str:
    """What is said when the process is told to stop: what runs, and how long it may. Pure."""
    told = ([f"{jobs} job{'' if jobs == 1 else 's'}"] if jobs else []) + (["what is being answered"] if web else [])
    if not told:
        return "stopping: no job is under way"
    have, them = ("have", "them") if len(told) > 1 or jobs > 1 else ("has", "it")
    return f"stopping: {' and '.join(told)} {have} {GRACE} seconds; a second signal ends {them}"


class _Web(uvicorn.Server):
    """The web server, that says when it answers. Signals are not its business."""

    def __init__(self, server: Server, started: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                web_application(server),
                http=Connection,
                ws="wsproto",
                ws_max_size=WORDS,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        """Stop; a second call ends the grace of what is being answered."""
        self.force_exit = self.should_exit
        self.should_exit = True


def chosen(kinds: Mapping[str, JobKind], work: Work) -> dict[str, JobKind]:
    """The table with only the chosen kinds ever run, so many at once.

    The others stay in it: whoever brings back what a dead process held must know all. Pure; raises OperatorError for a
    name that is no kind.
    """
    names: set[str] = set()
    for name in work.kinds:
        if name != FACTS and name not in kinds:
            near = difflib.get_close_matches(name, [*kinds, FACTS], n=1, cutoff=0.5)
            raise OperatorError(
                f"There is no kind of job named {name!r}.",
                f"Did you mean {near[0]}?" if near else f"There are {in_words(kinds)}.",
            )
        names |= OF_FACTS if name == FACTS else {name}
    return {
        name: replace(kind, at_once=0 if names and name not in names else work.concurrency or kind.at_once)
        for name, kind in kinds.items()
    }


@contextlib.asynccontextmanager
async def _counting(server: Server) -> AsyncIterator[None]:
    """Counts are written down now and then beside what happens inside."""
    counting = [asyncio.create_task(each.run()) for each in server.counting]
    try:
        yield
    finally:
        for task in counting:
            task.cancel()
        await asyncio.gather(*counting, return_exceptions=True)


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


async def _take_over_federation(server: Server) -> None:
    """With whom there is contact is for all processes as the one that started last was told."""
    only_allowed = server.settings.federation == "allow-list"
    async with server.database.write() as tx:
        changed = await domains.allow_only(tx, only_allowed, clock.now())
    if changed:
        log.warning("contact is with allowed hosts only" if only_allowed else "contact is with all hosts not blocked")


def _say_what_is_let_through(settings: Settings) -> None:
    if settings.allow_addresses:
        log.warning(
            "requests to these networks are let through, by plain http too: for development only",
            networks=[str(network) for network in settings.allow_addresses],
        )


async def _say_what_is_paused(server: Server) -> None:
    async with server.database.read() as tx:
        paused = await pause.count(tx)
    if paused:
        log.warning("jobs are paused since a restore: `privapub jobs resume` lets them go out", jobs=paused)


def calm_collector() -> None:
    """What is loaded by now stays, and little of what comes is in circles: the collector need not look so often.

    It took a third of the time of a delivery.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


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
    # It warns of each request that is none, which anybody may send.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
