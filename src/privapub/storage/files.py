"""The store of files: put, read in part, listed, let go."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

import obstore
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import LocalStore, ObjectStore, S3Store

from privapub.errors import NotFound, OperatorError, Unavailable

PART = 5 * 1024 * 1024  # bytes of one part of an upload, and of what is read ahead
_PARTS_AT_ONCE = 2
_READ = 256 * 1024
_DELETED_AT_ONCE = 500
# What a request may take, in seconds, and how often it is tried again: a job or a reader waits for it.
_TIMEOUT, _TRIES, _TRYING = 30, 2, 20
_NAME = re.compile(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*(?:\.[A-Za-z0-9]+)?")
_BEGUN = re.compile(r"(.+)#[0-9]{1,9}")  # what the store calls a file in a folder until it is whole
_LONGEST = 200
_OPTIONS = frozenset({"endpoint", "region", "access_key_id", "secret_access_key", "virtual_hosted_style_request"})


@dataclass(frozen=True)
class Opened:
    """A file that is being read: how many bytes it has in all, and which of them come, from one up to another."""

    size: int
    start: int
    end: int
    pieces: AsyncGenerator[bytes]


class Files:
    """One store, for as long as the process lives."""

    def __init__(self, store: ObjectStore | None, folder: Path | None = None) -> None:
        """Around a store, or around a folder of this machine, which is made when the first file is put there."""
        self._kept = store
        self._folder = folder

    @classmethod
    def open(cls, url: str) -> Self:
        """The store at `file:///folder` or `s3://bucket/prefix?endpoint=URL&region=NAME`; nothing is asked of it yet.

        The keys of an S3-compatible store are `access_key_id` and `secret_access_key` in the query, else those of the
        environment (AWS_ACCESS_KEY_ID and so on). Raises OperatorError for any other URL.
        """
        parts = urlsplit(url)
        if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
            return cls(None, Path(unquote(parts.path)))
        if parts.scheme == "s3" and parts.netloc:
            return cls(_bucket(parts.netloc, parts.path.strip("/"), dict(parse_qsl(parts.query))))
        raise OperatorError("A store of files is file:///FOLDER or s3://BUCKET/PREFIX?endpoint=URL&region=NAME.")

    def _store(self, *, made: bool = False) -> ObjectStore:
        """The store; FileNotFoundError for a folder that is not there and is not to be made."""
        if self._kept is None:
            if self._folder is None or not (made or self._folder.is_dir()):
                raise FileNotFoundError
            self._kept = LocalStore(self._folder, automatic_cleanup=True, mkdir=True)
        return self._kept

    async def put(self, name: str, source: bytes | Path | AsyncIterator[bytes]) -> int:
        """Keep a file under this name, whole or not at all; how many bytes it has.

        An iterator is read while it is sent, and no more of it is in memory than a few parts. What it raises is raised,
        and nothing is kept then. Raises Unavailable where the store does not take it.
        """
        checked(name)
        counted = _Counted(source) if not isinstance(source, bytes | Path) else None
        size = len(source) if isinstance(source, bytes) else None
        with _told():
            try:
                await obstore.put_async(
                    self._store(made=True), name, counted or source, chunk_size=PART, max_concurrency=_PARTS_AT_ONCE
                )
            except BaseException:
                if counted is not None and counted.problem is not None:
                    raise counted.problem from None
                raise
            finally:
                if counted is not None:
                    await counted.stop()
        if counted is not None:
            return counted.bytes
        return size if size is not None else await asyncio.to_thread(_size_of, source)

    async def get(self, name: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        """The bytes from `start` up to `end` (not with it; None is all), piece by piece.

        Raises NotFound where there is no such file, Unavailable where the store does not answer or breaks off.
        """
        checked(name)
        if end is not None and end <= start:
            return
        wanted: Any = {"range": (start, end)} if end is not None else {"range": {"offset": start}} if start else {}
        with _told():
            answer = await obstore.get_async(self._store(), name, options=wanted)
            async for piece in answer.stream(min_chunk_size=_READ):
                yield bytes(piece)

    async def opened(self, name: str, start: int | None = 0, end: int | None = None) -> Opened:
        """What `get` gives, with how much it is: one question to the store. `start` None is the last `end` bytes.

        Raises as `get`, and Unavailable too for what lies behind the end of the file.
        """
        checked(name)
        wanted: Any = (start, end) if end is not None else {"offset": start} if start else None
        if start is None:
            wanted = {"suffix": end}
        with _told():
            answer = await obstore.get_async(self._store(), name, options={} if wanted is None else {"range": wanted})
        first, behind = answer.range

        async def pieces() -> AsyncGenerator[bytes]:
            with _told():
                async for piece in answer.stream(min_chunk_size=_READ):
                    yield bytes(piece)

        return Opened(int(answer.meta["size"]), int(first), int(behind), pieces())

    async def size(self, name: str) -> int | None:
        """How many bytes the file has; None where there is none."""
        checked(name)
        try:
            with _told():
                return int((await obstore.head_async(self._store(), name))["size"])
        except NotFound:
            return None

    async def fetch(self, name: str, to: Path) -> None:
        """Copy a file to this path; raises as `get`."""
        opened = await asyncio.to_thread(to.open, "wb")
        try:
            async for piece in self.get(name):
                await asyncio.to_thread(opened.write, piece)
        finally:
            await asyncio.to_thread(opened.close)

    async def delete(self, names: Collection[str]) -> None:
        """Let go of these files, also of those that were only begun; that one is not there any more is as well."""
        wanted = [name for name in names if checked(_whole(name))]
        for at in range(0, len(wanted), _DELETED_AT_ONCE):
            some = wanted[at : at + _DELETED_AT_ONCE]
            if self._folder is not None:
                await asyncio.to_thread(_unlink, self._folder, some)
                continue
            with _told():
                await obstore.delete_async(self._store(), some)

    async def list(self, prefix: str = "") -> AsyncIterator[tuple[str, int, float]]:
        """Every file whose place begins with these folders: its name, its bytes, and when it was written (Unix)."""
        if self._folder is not None and not await asyncio.to_thread(self._folder.is_dir):
            return
        with _told():
            async for some in obstore.list(self._store(), prefix or None, chunk_size=500):
                for each in some:
                    yield each["path"], int(each["size"]), each["last_modified"].timestamp()

    async def begun(self) -> Sequence[tuple[str, int, float]]:
        """Files that are being put into a folder, or whose process was killed meanwhile: as `list`, last written.

        Nothing else tells of them. What a bucket has of uploads that were broken off, a rule of its own lets go.
        """
        return [] if self._folder is None else await asyncio.to_thread(_begun, self._folder)


def checked(name: str) -> str:
    """The name, if it is one that every store takes and that leads nowhere else; ValueError else (pure)."""
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise ValueError("no name of a file")
    return name


class _Counted:
    """The pieces of a stream, counted; what went wrong in it is kept, since the store would only say that it ended."""

    def __init__(self, source: AsyncIterator[bytes]) -> None:
        self._source = source
        self._next: asyncio.Future[bytes] | None = None
        self.bytes = 0
        self.problem: Exception | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        self._next = asyncio.ensure_future(anext(self._source))
        try:
            piece = await self._next
        except StopAsyncIteration:
            raise
        except Exception as problem:
            self.problem = problem
            raise
        self.bytes += len(piece)
        return piece

    async def stop(self) -> None:
        """Let go of the stream: whoever reads it may have gone away while it waited for the next piece."""
        if self._next is not None and not self._next.done():
            self._next.cancel()
            await asyncio.wait({self._next})


@contextmanager
def _told() -> Iterator[None]:
    """What a store says, in our words."""
    try:
        yield
    except (NotFoundError, FileNotFoundError):
        raise NotFound("There is no such file.") from None
    except (BaseError, OSError) as problem:
        raise Unavailable("The store of files does not answer as it should: try again later.") from problem


def _bucket(name: str, prefix: str, options: dict[str, str]) -> ObjectStore:
    unknown = sorted(set(options) - _OPTIONS)
    if unknown:
        raise OperatorError(f"A store of files has no option {unknown[0]!r}: use {', '.join(sorted(_OPTIONS))}.")
    endpoint = options.get("endpoint", "")
    return S3Store(
        name,
        prefix=prefix or None,
        config={**options} if options else None,  # type: ignore[arg-type]  # checked above
        client_options={"timeout": timedelta(seconds=_TIMEOUT), "allow_http": endpoint.startswith("http://")},
        retry_config={"max_retries": _TRIES, "retry_timeout": timedelta(seconds=_TRYING)},
    )


def _unlink(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def _whole(name: str) -> str:
    """What a file that was begun is called once it is whole; else its name."""
    match = _BEGUN.fullmatch(name)
    return name if match is None else match[1]


def _begun(folder: Path) -> Sequence[tuple[str, int, float]]:
    found = []
    for path in folder.rglob("*#*"):
        name = path.relative_to(folder).as_posix()
        if _NAME.fullmatch(_whole(name)):
            with suppress(FileNotFoundError):  # it is whole by now
                told = path.stat()
                found.append((name, told.st_size, told.st_mtime))
    return found


def _size_of(source: Any) -> int:
    return int(Path(source).stat().st_size)
