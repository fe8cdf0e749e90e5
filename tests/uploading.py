"""Uploads in tests: a server whose store is a folder, a picture that tells something, and what became of it."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

from PIL import Image
from sqlalchemy import select

from asgi import BASE
from privapub.database.connect import Database
from privapub.job_table import job_kinds
from privapub.jobs.tables import job as job_table
from privapub.jobs.worker import Worker
from privapub.media import read
from privapub.outbound.client import Door
from privapub.outbound.gate import OpenGate
from privapub.server import Server
from privapub.settings import Settings
from privapub.storage.files import Files
from privapub.telemetry.fetches import FetchRecorder

SECRET = b"Planted-Kw7"


def picture(side: int = 60) -> bytes:
    told = Image.Exif()
    told[0x010F] = SECRET.decode()
    data = BytesIO()
    Image.new("RGB", (side, side), "teal").save(data, "JPEG", exif=told, comment=SECRET)
    return data.getvalue()


async def pieces(data: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def server_of(database: Database, folder: Path, **settings: int) -> Server:
    recorder = FetchRecorder(database)
    door = Door(recorder=recorder, gate=OpenGate(), user_agent="PrivaPub (test)")
    made = Settings(data=folder, base_url=BASE, storage_url=(folder / "kept").as_uri(), **settings)  # type: ignore[arg-type]  # numbers
    return Server.around(made, database, door, recorder)


async def run(server: Server, *kinds: str) -> None:
    await Worker(server.database, job_kinds(server), only=kinds).drain()


async def found(server: Server, number: int) -> read.Medium | None:
    async with server.database.read() as tx:
        return await read.by_id(tx, number)


async def kept(files: Files) -> list[str]:
    return sorted([name async for name, _, _ in files.list()])


async def jobs(server: Server, kind: str) -> int:
    async with server.database.read() as tx:
        return len(await tx.all(select(job_table.c.id).where(job_table.c.kind == kind)))
