"""Processes on free ports, each with a log of its own."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

TOWN = Path(__file__).parent
ROOT = TOWN.parent
KEPT = 8  # runs whose logs are kept
TAIL = 40  # lines of each log that a failure shows

_drawn: set[int] = set()
ending: list[Callable[[], None]] = []  # what must be done, last things first, when the town is told to stop


def stop_when_told() -> None:
    """On SIGTERM and SIGINT end every server that was started, and leave at once."""

    def leave(number: int, _frame: object) -> None:
        for end in reversed(ending):
            with contextlib.suppress(Exception):
                end()
        os._exit(128 + number)

    for told in (signal.SIGTERM, signal.SIGINT):
        signal.signal(told, leave)


def free_port() -> int:
    """A port that nothing listens on and that the system gives to no outgoing connection.

    Drawn anew for each server of each run: servers remember the keys of those whom they met under a name.
    """
    while True:
        port = random.SystemRandom().randrange(20000, 25000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if port not in _drawn:
                _drawn.add(port)
                return port


def logs_of_this_run() -> Path:
    """A fresh folder for logs; those of the oldest runs go."""
    place = TOWN / "logs"
    place.mkdir(exist_ok=True)
    for old in sorted(place.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    fresh = place / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    fresh.mkdir()
    return fresh


class Running:
    """A program that can be stopped and started again, writing to one log."""

    def __init__(self, command: list[str], log: Path, *, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
        """Say what to run; `env` is added to this process' own environment."""
        self.command, self.log, self.cwd = command, log, cwd
        self.env = os.environ | {"PYTHONUNBUFFERED": "1"} | (env or {})
        self.process: subprocess.Popen[bytes] | None = None
        log.parent.mkdir(parents=True, exist_ok=True)

    def start(self) -> None:
        """Start it; whether it is ready is for its party to find out."""
        with self.log.open("ab") as log:
            log.write(f"--- started {time.strftime('%H:%M:%S')}\n".encode())
            log.flush()
            self.process = subprocess.Popen(
                self.command, cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        ending.append(self.process.terminate)

    def stop(self) -> None:
        """Ask it to stop; end it if it has not after 30 s."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def ended(self) -> bool:
        """Whether it has stopped by itself."""
        return self.process is not None and self.process.poll() is not None

    @staticmethod
    def tail(log: Path) -> str:
        """The last lines of a log."""
        return "\n".join(log.read_text(errors="replace").splitlines()[-TAIL:])
