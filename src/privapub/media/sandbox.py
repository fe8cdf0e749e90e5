"""Running a program that may be taken over by what it reads: bounded, without network, killed whole.

The program is a process of a session of its own, with an empty environment but for what is fixed here, a folder to
work in, and what `media/confine.py` takes from it before it begins. What it says is read while it runs, and no more of
it is kept than OUTPUT bytes. Whatever ends `run`, also its own cancelling, nothing that it started is left.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from privapub.media import confine

OUTPUT = 64 * 1024
_CONFINE = str(Path(confine.__file__))
# One thread for each of libvips' pipelines: more would take memory for what another process can do meanwhile.
_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "MALLOC_ARENA_MAX": "2",
    "VIPS_BLOCK_UNTRUSTED": "1",
    "VIPS_CONCURRENCY": "1",
}
Tell = Callable[[float, str], Awaitable[None]]


@dataclass(frozen=True)
class Limits:
    """What a program may take."""

    memory: int  # bytes of address space
    cpu: int  # seconds of CPU time
    wall: float  # seconds in all
    file: int  # bytes of each file that it writes
    open_files: int = 64


@dataclass(frozen=True)
class Ended:
    """How a program ended: `status` is its exit status (negative: the signal that killed it), None when it took too
    long and was killed; `said` and `complaint` the first bytes of its standard output and error.
    """

    status: int | None
    said: bytes
    complaint: bytes


async def run(argv: Sequence[str], *, folder: Path, limits: Limits, tell: Tell | None = None) -> Ended:
    """Run a program, `argv[0]` being its path, in `folder`, and wait for its end.

    Where `tell` is given, each line of its standard output that is JSON of a number and a sentence is told on.
    """
    bounds = {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_CPU": limits.cpu,
        "RLIMIT_FSIZE": limits.file,
        "RLIMIT_NOFILE": limits.open_files,
    }
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Whole(limit=OUTPUT, loop=loop),
        sys.executable, "-I", "-S", _CONFINE, json.dumps(bounds), *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env=_ENVIRONMENT | {"TMPDIR": str(folder)},
        start_new_session=True,
    )  # fmt: skip
    process = asyncio.subprocess.Process(transport, protocol, loop)
    assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - both are pipes
    said, complaint = bytearray(), bytearray()
    status: int | None = None
    try:
        async with asyncio.timeout(limits.wall), asyncio.TaskGroup() as group:
            group.create_task(_listen(process.stdout, said, tell))
            group.create_task(_listen(process.stderr, complaint, None))
            status = await process.wait()
    except TimeoutError:
        status = None
    except BaseExceptionGroup as errors:  # what `tell` raised ends the program too
        raise errors.exceptions[0] from None
    finally:
        _kill(process.pid)
        await asyncio.shield(process.wait())
    return Ended(status, bytes(said), bytes(complaint))


class _Whole(asyncio.subprocess.SubprocessStreamProtocol):
    """Ends with a program what it started: asyncio holds no program to have ended while another has its pipes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The program runs."""
        super().connection_made(transport)
        self._group: int = cast("asyncio.SubprocessTransport", transport).get_pid()

    def process_exited(self) -> None:
        """The program has ended, of itself or killed by whomever."""
        _kill(self._group)
        super().process_exited()


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


async def _listen(stream: asyncio.StreamReader, kept: bytearray, tell: Tell | None) -> None:
    line = bytearray()
    while chunk := await stream.read(4096):
        kept += chunk[: OUTPUT - len(kept)]
        if tell is None:
            continue
        *whole, rest = (line + chunk).split(b"\n")
        for each in whole:
            await _pass_on(bytes(each), tell)
        line = bytearray(rest[-OUTPUT:])


async def _pass_on(line: bytes, tell: Tell) -> None:
    with suppress(ValueError, RecursionError):
        match json.loads(line):
            case [int() | float() as share, str() as what]:
                await tell(min(max(float(share), 0.0), 1.0), what[:200])
