"""Files that a command uploads, and waits for until they are ready."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from privapub import clock
from privapub.errors import InvalidInput
from privapub.job_table import job_kinds
from privapub.jobs.worker import Worker
from privapub.media import read
from privapub.media.accept import MEDIA, accept
from privapub.media.read import READY, WAITING, Use
from privapub.server import Server

CHUNK = 256 * 1024
LOOK_EVERY = 0.5  # seconds


def described(files: Sequence[Path], alts: Sequence[str]) -> list[tuple[Path, str]]:
    """Each file with what it shows in words; InvalidInput for more words than files, and for what is no file."""
    if len(alts) > len(files):
        raise InvalidInput("There are more --alt than --media.", "Each describes one file, in their order.")
    for file in files:
        if not file.is_file():
            raise InvalidInput(f"There is no file {file}.")
    return list(zip(files, [*alts, *[""] * (len(files) - len(alts))], strict=True))


async def uploaded(
    server: Server, actor_id: int, files: Sequence[tuple[Path, str]], use: Use = "post", *, wait: bool = True
) -> list[int]:
    """The numbers of the files once they are ready; InvalidInput with what is wrong with the first that is no good.

    This process makes them itself, unless another that runs took them first. Without `wait` that is left to another.
    """
    numbers = [await accept(server, actor_id, _chunks(file), alt=alt, use=use) for file, alt in files]
    for (file, _), number in zip(files, numbers, strict=True) if wait else ():
        while (state := await _state(server, number))[0] == WAITING:
            if not await Worker(server.database, job_kinds(server), only=[MEDIA]).drain():
                await clock.sleep(LOOK_EVERY)
        if state[0] != READY:
            raise InvalidInput(f"{file.name}: {state[1]}")
    return numbers


async def _state(server: Server, number: int) -> tuple[str, str]:
    async with server.database.read() as tx:
        found = await read.by_id(tx, number)
    return ("", "It is gone.") if found is None else (found.state, found.why)


async def _chunks(file: Path) -> AsyncIterator[bytes]:
    opened = await asyncio.to_thread(file.open, "rb")
    try:
        while chunk := await asyncio.to_thread(opened.read, CHUNK):
            yield chunk
    finally:
        await asyncio.to_thread(opened.close)
