"""The parent that keeps a child running: with real processes that end in every way there is."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from fakes import kept
from fakes.processes import FORKED
from privapub.cli import keep_running
from privapub.cli.keep_running import Life, exit_status, pause_after, what_happened


@dataclass
class Parent:
    """A parent in a process of its own, and what it and its children say."""

    process: BaseProcess
    said: Connection

    async def says(self) -> str:
        """The next sentence; "" when nobody is left who could say one."""
        ready = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self.said.fileno(), ready.set)
        try:
            async with asyncio.timeout(60):
                await ready.wait()
        finally:
            loop.remove_reader(self.said.fileno())
        try:
            return self.said.recv_bytes().decode()
        except EOFError:
            return ""

    async def lives(self) -> int:
        """The number of the process that is the child now."""
        word, _, pid = (await self.says()).partition(" ")
        assert word == "alive"
        return int(pid)

    def tell(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    async def ended(self) -> int | None:
        await asyncio.to_thread(self.process.join, 60)
        return self.process.exitcode


@contextmanager
def parent(folder: Path, *ends: str, silence: float = 60.0) -> Iterator[Parent]:
    """A parent whose children end like this, one after the other."""
    said, says = FORKED.Pipe(duplex=False)
    process = FORKED.Process(target=kept.keep, args=(str(folder / "lives"), says, ends, silence), daemon=True)
    process.start()
    says.close()
    try:
        yield Parent(process, said)
    finally:
        process.kill()
        process.join(10)
        said.close()


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("exits", "ended by itself, with status 0"),
        ("raises", "ended by itself, with status 3"),
        ("is killed", "was killed by SIGKILL"),
    ],
)
async def test_a_child_that_dies_is_started_again_with_a_line_that_says_why(tmp_path: Path, end: str, why: str) -> None:
    with parent(tmp_path, end) as told:
        first = await told.lives()
        sentence = await told.says()
        assert f"process {first} {why}" in sentence
        assert "starting anew in 0.1 s" in sentence
        assert await told.lives() != first
        told.tell(signal.SIGTERM)
        assert await told.says() == "told"
        assert await told.ended() == 0


async def test_a_child_that_gives_no_sign_of_life_is_killed_and_started_again(tmp_path: Path) -> None:
    with parent(tmp_path, "is silent", silence=0.5) as told:
        first = await told.lives()
        assert f"process {first} did not give a sign of life for 0.5 s" in await told.says()
        assert await told.lives() != first


async def test_whoever_stood_still_together_with_its_child_does_not_hold_it_against_it(tmp_path: Path) -> None:
    """A machine that was put to sleep, or a container that was paused."""
    with parent(tmp_path, "waits twice", silence=1.0) as told:
        child = await told.lives()
        os.kill(child, signal.SIGSTOP)
        told.tell(signal.SIGSTOP)
        await asyncio.sleep(2.5)  # longer than the silence that is borne, and what is overslept
        told.tell(signal.SIGCONT)
        os.kill(child, signal.SIGCONT)
        told.tell(signal.SIGTERM)
        assert await told.says() == "told", "it was not killed"


async def test_a_child_that_stays_down_is_tried_less_and_less_often(tmp_path: Path) -> None:
    with parent(tmp_path, "exits", "exits", "exits") as told:
        pauses = []
        for _ in range(3):
            await told.lives()
            pauses.append((await told.says()).rpartition("anew in ")[2])
        assert pauses == ["0.1 s", "0.2 s", "0.2 s"]


async def test_an_error_of_the_operator_ends_it(tmp_path: Path) -> None:
    with parent(tmp_path, "refuses") as told:
        await told.lives()
        assert await told.says() == ""
        assert await told.ended() == 1


async def test_whoever_was_ready_once_is_not_given_up_for_it(tmp_path: Path) -> None:
    with parent(tmp_path, "is killed", "refuses") as told:
        await told.lives()
        assert "SIGKILL" in await told.says()
        await told.lives()
        assert "with status 1" in await told.says()
        await told.lives()


async def test_a_second_order_is_passed_on_too(tmp_path: Path) -> None:
    with parent(tmp_path, "waits twice") as told:
        await told.lives()
        told.tell(signal.SIGINT)
        assert await told.says() == "told"
        told.tell(signal.SIGTERM)
        assert await told.says() == "told"
        assert await told.ended() == 0


async def test_without_its_parent_the_child_ends_at_once(tmp_path: Path) -> None:
    with parent(tmp_path, "is silent") as told:
        await told.lives()
        told.tell(signal.SIGKILL)
        assert await told.says() == "", "nobody is left who holds the other end"


async def test_told_while_nobody_lives_it_ends(tmp_path: Path) -> None:
    with parent(tmp_path, "exits", "exits", "exits", "exits", "exits") as told:
        await told.lives()
        await told.says()
        told.tell(signal.SIGTERM)
        assert await told.ended() in {0, 1}


def test_the_pause_doubles_up_to_its_longest_and_is_short_again_after_a_long_life() -> None:
    pauses, pause = [], 0.0
    for _ in range(11):
        pause = pause_after(pause, 1.0)
        pauses.append(pause)
    assert pauses[:4] == [0.1, 0.2, 0.4, 0.8]
    assert pauses[-2:] == [keep_running.LONGEST_PAUSE] * 2
    assert pause_after(30.0, keep_running.LONG_LIFE) == keep_running.FIRST_PAUSE


@pytest.mark.parametrize(
    ("status", "on_purpose", "expected"),
    [(0, True, 0), (0, False, 1), (3 << 8, True, 3), (int(signal.SIGKILL), False, 137)],
)
def test_the_exit_status_is_the_child_s(status: int, on_purpose: bool, expected: int) -> None:
    with socket.socket() as line:
        life = Life(1, line, 0.0, 0.0, on_purpose=on_purpose, status=status)
        assert exit_status(life) == expected
        assert what_happened(life, 1.0).startswith("process 1 ")
