"""A sealed child: without network, bounded, and killed whole."""

import os
import select
import sys
from pathlib import Path

import pytest

from privapub.media.sandbox import Ended, Limits, run

MIB = 1 << 20
LIMITS = Limits(memory=512 * MIB, cpu=20, wall=60.0, file=MIB)


def ends(number: int) -> bool:
    """Whether a process that was told to die is dead, at the latest in a while."""
    try:
        process = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 30)[0])
    finally:
        os.close(process)


async def python(code: str, folder: Path, limits: Limits = LIMITS) -> Ended:
    return await run([sys.executable, "-I", "-c", code], folder=folder, limits=limits)


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX"])
async def test_it_makes_no_socket(family: str, tmp_path: Path) -> None:
    code = f"import socket\ntry:\n socket.socket(socket.{family})\nexcept PermissionError:\n print('refused')"
    ended = await python(code, tmp_path)
    assert (ended.status, ended.said) == (0, b"refused\n"), ended.complaint


async def test_neither_does_what_it_starts(tmp_path: Path) -> None:
    inner = "import socket; socket.socket()"
    code = f"import subprocess, sys; print(subprocess.run([sys.executable, '-I', '-c', {inner!r}]).returncode)"
    ended = await python(code, tmp_path)
    assert ended.said == b"1\n"
    assert b"PermissionError" in ended.complaint


async def test_it_is_told_nothing_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVAPUB_DATABASE_URL", "postgresql://town:secret@db/town")
    ended = await python("import os; print(sorted(os.environ))", tmp_path)
    assert b"PRIVAPUB" not in ended.said
    assert b"TMPDIR" in ended.said


async def test_memory_file_size_and_time_are_bounded(tmp_path: Path) -> None:
    assert b"MemoryError" in (await python("x = bytearray(1 << 30)", tmp_path)).complaint
    written = await python("open('x', 'wb').write(bytes(4 << 20))", tmp_path)
    assert written.status != 0
    assert (tmp_path / "x").stat().st_size <= MIB
    computed = await python("while True: pass", tmp_path, Limits(512 * MIB, 1, 60.0, MIB))
    assert computed.status is not None
    assert computed.status < 0


async def test_one_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-I', '-c', 'import time; time.sleep(600)'])\n"
        "open('pid', 'w').write(str(child.pid)); time.sleep(600)"
    )
    ended = await python(code, tmp_path, Limits(512 * MIB, 20, 2.0, MIB))
    assert ended.status is None
    assert ends(int((tmp_path / "pid").read_text()))


async def test_what_it_says_is_bounded(tmp_path: Path) -> None:
    ended = await python("print('x' * 10_000_000)", tmp_path)
    assert ended.status == 0
    assert len(ended.said) <= 64 * 1024
