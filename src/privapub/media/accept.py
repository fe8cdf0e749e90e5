"""An upload is taken in: judged by its first bytes, stored while it arrives, and put in line to be processed."""

from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

from sqlalchemy import func, select

from privapub import clock, identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.media import names, sniff, sniff_film
from privapub.media.attach import described
from privapub.media.process import MIB, Bounds, bounds_of, check, empty, too_long, unknown
from privapub.media.read import WAITING, Use
from privapub.media.tables import medium
from privapub.personas.read import alone
from privapub.server import Server

MEDIA = "media"
# Bytes that are looked at before anything is stored: more than the headers of nearly all files.
HEAD = 512 * 1024
Focus = tuple[float, float]


async def accept(
    server: Server,
    actor_id: int,
    chunks: AsyncIterator[bytes],
    *,
    alt: str = "",
    focus: Focus | None = None,
    use: Use = "post",
) -> int:
    """Take an upload of a persona in and return its number; it is ready when its job is done.

    `alt` says in words what it shows; `focus` is what matters of it: from -1 to 1, right and up. Raises InvalidInput
    for what is no picture, film or sound that is taken, before more than its first bytes are stored, and for what turns
    out too large; NotAllowed where the persona has no room left; Unavailable where the store does not work. Nothing is
    left of what was refused.
    """
    alt, (x, y) = described(alt), _focused(focus)
    async with server.database.read() as tx:
        await _check_room(tx, server, actor_id, 0)
    bounds = bounds_of(server.settings)
    source = names.new(None)
    size = await server.files.put(names.place(source), _judged(chunks, bounds))
    now = clock.now()
    medium_id = identifiers.sortable(now)
    try:
        async with server.database.write() as tx:
            await keep(
                tx,
                server,
                actor_id,
                id=medium_id,
                use=use,
                alt=alt,
                focal_x=x,
                focal_y=y,
                source=source,
                bytes=size,
                created_at=now,
            )
    except BaseException:
        await server.files.delete([names.place(source)])
        raise
    return medium_id


async def keep(tx: Transaction, server: Server, actor_id: int, **row: Any) -> None:
    """The row of an upload that is stored, and its job; NotAllowed where another one took the room meanwhile."""
    await alone(tx, actor_id)  # of two at once, the second sees what the first took
    await _check_room(tx, server, actor_id, row["bytes"])
    await tx.execute(medium.insert().values(actor_id=actor_id, state=WAITING, **row))
    await put(tx, [NewJob(MEDIA, MEDIA, {"medium": row["id"]})])


def _focused(focus: Focus | None) -> tuple[float | None, float | None]:
    if focus is None:
        return None, None
    if not all(-1 <= each <= 1 for each in focus):
        raise InvalidInput("This is no point of a picture.", "It has two numbers from -1 to 1: right, and up.")
    return focus


async def _check_room(tx: Transaction, server: Server, actor_id: int, more: int) -> None:
    most = server.settings.media_quota * MIB
    has = await tx.scalar(select(func.coalesce(func.sum(medium.c.bytes), 0)).where(medium.c.actor_id == actor_id))
    if int(has) + more > most or int(has) >= most:
        raise NotAllowed(
            f"This persona has {most // MIB} MiB for its media, and they are used.", "Delete posts that have some."
        )


async def _judged(chunks: AsyncIterator[bytes], bounds: Bounds) -> AsyncIterator[bytes]:
    """The same bytes, the first of them held back until it is known that they may be taken; BadMedia."""
    head, size, held = bytearray(), 0, True
    async for chunk in chunks:
        size += len(chunk)
        if size > bounds.bytes:
            raise too_long(bounds)
        if not held:
            yield chunk
            continue
        head += chunk
        if len(head) >= HEAD:
            _judge(bytes(head), bounds, whole=False)
            held = False
            yield bytes(head)
    if held:
        _judge(bytes(head), bounds, whole=True)
        yield bytes(head)


def _judge(head: bytes, bounds: Bounds, *, whole: bool) -> None:
    """BadMedia for what is no medium, or is too large by its own word; a header may be longer than what is here."""
    if not head:
        raise empty()
    picture = sniff.picture(BytesIO(head))
    if picture is not None:
        check(picture, bounds)
    elif sniff_film.container(head[: sniff_film.HEAD]) is None and (whole or not sniff.begins(head)):
        raise unknown()
