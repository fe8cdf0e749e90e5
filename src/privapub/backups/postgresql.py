"""PostgreSQL: a copy of the database by its own programs, and putting one back in a single transaction."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sqlalchemy import URL, text

from privapub.backups.client_programs import environment, find, outer, what_it_said
from privapub.database.connect import Database
from privapub.errors import OperatorError
from privapub.migrations.run import sentence

READY = b"all is there"
_ANYTHING = text("""
SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))""")
# Newer programs set it, older servers do not know it, and its default is what is set.
_NOT_KNOWN_EVERYWHERE = b"SET transaction_timeout = 0;\n"


class InDoubt(OperatorError):
    """The connection was lost between the question for a commit and its answer."""


@dataclass(frozen=True)
class Asked:
    """What a PostgreSQL says of itself: its major version, and whether the database holds no table of anyone."""

    version: int
    empty: bool


async def ask(database: Database) -> Asked:
    """Ask it; raises OperatorError where it does not answer."""
    try:
        async with database.read() as tx:
            version = int(await tx.scalar(text("SELECT current_setting('server_version_num')::int / 10000")))
            return Asked(version, not await tx.scalar(_ANYTHING))
    except (OSError, Exception) as error:  # noqa: BLE001 - drivers raise what they like when nobody answers
        raise OperatorError(
            f"The PostgreSQL at {database.url.host or 'this machine'} cannot be used: {sentence(error)}.",
            "Look at PRIVAPUB_DATABASE_URL, and whether the database runs.",
        ) from None


def copy(url: URL, target: Path, tools: str, server: int, told: Callable[[int], None]) -> None:
    """Dump a database in use, as it is at one moment, to a file that is not there yet; `told` its bytes so far.

    Raises OperatorError where pg_dump is missing, too old, or fails.
    """
    dump = find("pg_dump", tools, server)
    find("pg_restore", tools, server)  # that reads the dump again
    with (
        os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file,
        tempfile.TemporaryFile() as errors,
        _started([dump, "--format=custom", "--no-password"], url, stdout=file, stderr=errors) as process,
    ):
        while _runs(process):
            told(target.stat().st_size)
        if process.returncode:
            raise OperatorError(f"The database cannot be copied: {_read(errors)}")


@contextmanager
def _started(command: Sequence[str | Path], url: URL, **pipes: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A program that knows where the database is, and that does not outlive an error."""
    process = subprocess.Popen(command, env=environment(url, outer()), **pipes)  # noqa: S603 - the operator's own program
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    finally:
        for pipe in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        process.wait()


def _runs(process: "subprocess.Popen[bytes]") -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.2)
        return False
    return True


def look(dump: Path, tools: str, server: int) -> str:
    """The schema that a dump holds; raises OperatorError where it cannot be read or holds none."""
    program = find("pg_restore", tools, server)
    reading: list[str | Path] = [program, "--file=-", "--data-only", "--table=alembic_version", dump]
    done = subprocess.run(reading, capture_output=True, check=False, env={**outer(), "LC_ALL": "C"})  # noqa: S603 - the operator's own program
    if done.returncode:
        raise OperatorError(f"The copy of the database cannot be read: {what_it_said(done.stderr)}")
    found = re.search(rb"^COPY [^\n]*alembic_version [^\n]*\n([^\n\\]+)\n\\\.$", done.stdout, re.MULTILINE)
    if found is None:
        raise OperatorError("The database has no tables yet.")
    return found[1].decode(errors="replace")


def put_back(
    url: URL, dump: Path, statements: Sequence[str], tools: str, server: int, before_commit: Callable[[], None]
) -> None:
    """Restore a dump and run statements on what it holds, all in one transaction.

    The commit is asked for by this process and by nothing else: psql, its input cut off, ends without one, and the
    server forgets everything. `before_commit` is called when nothing else is left to do. Raises OperatorError.
    """
    restore, psql = find("pg_restore", tools, server), find("psql", tools, server)
    with (
        tempfile.TemporaryFile() as reading_errors,
        tempfile.TemporaryFile() as writing_errors,
        _started(
            [restore, "--file=-", "--no-owner", "--no-privileges", dump],
            url, stdout=subprocess.PIPE, stderr=reading_errors,
        ) as reading,
        _started(
            [psql, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", f"--output={os.devnull}"],
            url, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=writing_errors,
        ) as writing,
    ):  # fmt: skip
        script, orders, answers = _pipe(reading.stdout), _pipe(writing.stdin), _pipe(writing.stdout)
        try:
            orders.write(b"BEGIN;\n")
            orders.write(script.read(64 * 1024).replace(_NOT_KNOWN_EVERYWHERE, b""))
            while part := script.read(1024 * 1024):
                orders.write(part)
            if reading.wait():
                raise OperatorError(f"The copy of the database cannot be read: {_read(reading_errors)}")
            rest = "".join(f"{statement};\n" for statement in statements)
            orders.write(f"\nRESET ALL;\n{rest}\\echo {READY.decode()}\n".encode())
            orders.flush()
            answer = answers.readline().strip()
            if answer == READY:
                before_commit()
                orders.write(b"COMMIT;\n")
            orders.close()
        except BrokenPipeError:
            answer = b""
        if writing.wait() and answer == READY:
            raise InDoubt(
                f"Whether the database was restored is not known: {_read(writing_errors)}",
                "Look whether it holds tables.",
            )
        if answer != READY:
            raise OperatorError(f"The database cannot be restored: {_read(writing_errors)}")


def _pipe(end: IO[bytes] | None) -> "IO[bytes]":
    if end is None:
        raise RuntimeError("a pipe was asked for and is not there")
    return end


def _read(errors: IO[bytes]) -> str:
    errors.seek(0)
    return what_it_said(errors.read(64 * 1024))
