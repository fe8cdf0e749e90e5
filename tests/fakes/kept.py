"""Children that live as a test tells them, below the real parent."""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from privapub.cli.keep_running import Keeper, Line
from privapub.errors import OperatorError


def keep(lives: str, says: Connection, ends: tuple[str, ...], silence: float) -> None:
    """Be a parent. Each child writes its number to the file of lives, and ends as told; after that, they wait.

    What is said: "alive PID", "told" for each order to stop, and, by the parent, why it starts anew.
    """

    def say(sentence: str) -> None:
        says.send_bytes(sentence.encode())

    def work(line: Line) -> None:
        with Path(lives).open("a") as file:
            file.write(".")
        life = Path(lives).stat().st_size - 1
        line.beat()
        say(f"alive {os.getpid()}")
        _live(ends[life] if life < len(ends) else "waits", line, say)

    raise SystemExit(Keeper(work, say, silence=silence, longest_pause=0.2).keep())


def _live(end: str, line: Line, say: Callable[[str], None]) -> None:
    told = threading.Semaphore(0)

    def stop() -> None:
        say("told")
        told.release()

    line.listen(stop)
    match end:
        case "exits":
            os._exit(0)
        case "raises":
            raise SystemExit(3)
        case "is killed":
            line.ready()
            os.kill(os.getpid(), signal.SIGKILL)
        case "refuses":
            raise OperatorError("It is set wrongly.")
        case "is silent":
            signal.pause()
        case "waits twice":
            line.ready()
            _beat_until(told, line)
    line.ready()
    _beat_until(told, line)


def _beat_until(told: threading.Semaphore, line: Line) -> None:
    while not told.acquire(timeout=0.05):
        line.beat()
