"""An upload is taken in: judged by its first bytes, stored while it arrives, and put in line to be processed."""

from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any, Literal

from sqlalchemy import func, select, update

from privapub import clock, identifiers
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotAllowed, NotFound
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.media import names, sniff, sniff_film
from privapub.media.attach import described
from privapub.media.let_go import let_go
from privapub.media.process import MIB, BadMedia, Bounds, bounds_of, check, empty, too_long, unknown
from privapub.media.read import WAITING, Use, from_row
from privapub.media.tables import medium
from privapub.personas.read import alone
from privapub.server import Server

MEDIA = "media"
# Bytes that are looked at before anything is stored: more than the headers of nearly all files.
HEAD = 512 * 1024
Focus = tuple[float, float]
Kind = Literal["any", "picture", "film"]  # what is taken; a film may be a sound


async def accept(
    server: Server,
    actor_id: int,
    chunks: AsyncIterator[bytes],
    *,
    alt: str = "",
    focus: Focus | None = None,
    use: Use = "post",
    poster: AsyncIterator[bytes] | None = None,
) -> int:
    """Take an upload of a persona in and return its number; it is ready when its job is done.

    `alt` says in words what it shows; `focus` is what matters of it: from -1 to 1, right and up; `poster` is a picture
    that stands for a film or a sound. Raises InvalidInput for what is no picture, film or sound that is taken, before
    more than its first bytes are stored, and for what turns out too large; NotAllowed where the persona has no room
    left; Unavailable where the store does not work. Nothing is left of what was refused.
    """
    alt, (x, y) = described(alt), _focused(focus)
    async with server.database.read() as tx:
        await _check_room(tx, server, actor_id, 0)
    source, size = await _store(server, chunks, "film" if poster is not None else "any")
    stored, poster_source = [source], None
    now = clock.now()
    medium_id = identifiers.sortable(now)
    try:
        if poster is not None:
            poster_source, more = await _store(server, poster, "picture")
            stored.append(poster_source)
            size += more
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
                poster_source=poster_source,
                bytes=size,
                created_at=now,
            )
    except BaseException:
        await server.files.delete([names.place(name) for name in stored])
        raise
    return medium_id


async def take_poster(server: Server, actor_id: int, medium_id: int, chunks: AsyncIterator[bytes]) -> None:
    """A picture that stands for an upload of a persona from when it is processed on; raises as `accept`.

    NotFound where there is no such upload that is in no post, InvalidInput where that is a picture itself.
    """
    async with server.database.read() as tx:
        await _check_room(tx, server, actor_id, 0)
    poster_source, size = await _store(server, chunks, "picture")
    try:
        async with server.database.write() as tx:
            await _keep_poster(tx, server, actor_id, medium_id, poster_source, size)
    except BaseException:
        await server.files.delete([names.place(poster_source)])
        raise


async def _keep_poster(
    tx: Transaction, server: Server, actor_id: int, medium_id: int, poster_source: str, size: int
) -> None:
    await alone(tx, actor_id)
    await _check_room(tx, server, actor_id, size)
    free = medium.c.id == medium_id, medium.c.actor_id == actor_id, medium.c.post_id.is_(None)
    row = await tx.first(select(medium).where(*free, medium.c.use == "post").with_for_update())
    if row is None:
        raise NotFound("There is no such upload.")
    before = from_row(row)
    if before.kind == "image":
        raise _has_one()
    if before.poster_source is not None:
        await let_go(tx, [before.poster_source])
    values = {"poster_source": poster_source, "bytes": before.bytes + size, "why": ""}
    await tx.execute(update(medium).where(medium.c.id == medium_id).values(**values))
    await put(tx, [NewJob(MEDIA, MEDIA, {"medium": medium_id})])


async def _store(server: Server, chunks: AsyncIterator[bytes], kind: Kind) -> tuple[str, int]:
    """The name under which it is stored as it came, and its bytes."""
    source = names.new(None)
    return source, await server.files.put(names.place(source), _judged(chunks, bounds_of(server.settings), kind))


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


async def _judged(chunks: AsyncIterator[bytes], bounds: Bounds, kind: Kind) -> AsyncIterator[bytes]:
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
            _judge(bytes(head), bounds, kind, whole=False)
            held = False
            yield bytes(head)
    if held:
        _judge(bytes(head), bounds, kind, whole=True)
        yield bytes(head)


def _judge(head: bytes, bounds: Bounds, kind: Kind, *, whole: bool) -> None:
    """BadMedia for what is no medium, or is too large by its own word; a header may be longer than what is here."""
    if not head:
        raise empty()
    picture = sniff.picture(BytesIO(head))
    if picture is not None:
        check(picture, bounds)
        if kind == "film":
            raise _has_one()
    elif not whole and sniff.begins(head):
        return
    elif kind == "picture":
        raise BadMedia("Only a picture can be used for this.")
    elif sniff_film.container(head[: sniff_film.HEAD]) is None:
        raise unknown()


def _has_one() -> BadMedia:
    return BadMedia("Only a film or a sound has a picture that stands for it.")
