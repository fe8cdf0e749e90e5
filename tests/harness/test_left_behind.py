"""What a test leaves behind is seen; and what every test may count on finding."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

import left_behind
from privapub import clock
from privapub.database.connect import Database
from privapub.jobs.enqueue import put
from privapub.jobs.job import NewJob
from privapub.jobs.tables import job

HANGUP = signal.getsignal(signal.SIGHUP)  # ignored where the terminal that began this may close
LEFT: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "environment": (lambda: os.environ.update(LEFT="1"), lambda: os.environ.pop("LEFT")),
    "umask": (lambda: os.umask(0o077), lambda: os.umask(0o022)),
    "path of imports": (lambda: sys.path.append("/nowhere"), lambda: sys.path.remove("/nowhere")),
    "clock": (lambda: clock.advance(1), clock.reset),
    "signals": (
        lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL if HANGUP is signal.SIG_IGN else signal.SIG_IGN),
        lambda: signal.signal(signal.SIGHUP, HANGUP),
    ),
    "logging": (lambda: logging.disable(logging.ERROR), lambda: logging.disable(logging.NOTSET)),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_a_test_leaves_behind_is_seen(what: str) -> None:
    leave, take_back = LEFT[what]
    before = left_behind.state()
    assert left_behind.changed(before, left_behind.state()) == {}
    leave()
    try:
        assert list(left_behind.changed(before, left_behind.state())) == [what]
    finally:
        take_back()
    assert left_behind.changed(before, left_behind.state()) == {}


def test_another_working_folder_is_seen(tmp_path: Path) -> None:
    before, here = left_behind.state(), Path.cwd()
    os.chdir(tmp_path)
    try:
        assert list(left_behind.changed(before, left_behind.state())) == ["working folder"]
    finally:
        os.chdir(here)


@pytest.mark.parametrize("turn", [1, 2])
async def test_every_test_begins_with_an_empty_queue(database: Database, turn: int) -> None:
    """Each turn leaves a job, which the other one must not find; numbers begin anew too."""
    async with database.write() as tx:
        assert await tx.scalar(select(func.count()).select_from(job)) == 0, turn
        await put(tx, [NewJob("left", "left")], scope=str(turn))
    async with database.read() as tx:
        assert await tx.scalar(select(job.c.id)) == 1
