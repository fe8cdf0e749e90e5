"""usage: huey_jobs.py jobs URL COUNT | starts URL COUNT: huey on SQLite with tasks that do nothing."""

import queue
import random
import sys
import threading
import time

from huey import SqliteHuey
from huey.consumer import Consumer
from starting import PAUSE, told

# One thread took most tasks a second of 1, 2, 4 and 8: they wait for each other at SQLite's one lock.
WORKERS = 1
# The command's own default is to look after 0.1 s, and ever more seldom: this is ten times as eager.
LOOK_EVERY = 0.01


def consumer(huey: SqliteHuey) -> Consumer:
    """What the command starts: a scheduler and threads that look for tasks."""
    return huey.create_consumer(
        workers=WORKERS, worker_type="thread", periodic=False, initial_delay=LOOK_EVERY, backoff=1.0,
        max_delay=LOOK_EVERY, check_worker_health=False,
    )  # fmt: skip


def jobs(path: str, count: int) -> None:
    """From the start of the threads to the end of the last task that waits."""
    huey = SqliteHuey(filename=path, fsync=True, results=False)
    every, handled = threading.Event(), 0

    def handle(_n: int) -> None:
        nonlocal handled
        handled += 1
        if handled >= count:
            every.set()

    nothing = huey.task()(handle)

    with huey.storage.db(commit=True) as cursor:  # all in one transaction: putting them in is not what is measured
        for n in range(count):
            cursor.execute(
                "insert into task (queue, data, priority) values (?, ?, 0)",
                (huey.name, huey.serialize_task(nothing.s(n))),
            )
    running = consumer(huey)
    began = time.perf_counter()
    running.start()
    every.wait()
    told({"a_second": count / (time.perf_counter() - began)})


def starts(path: str, count: int) -> None:
    """From the call that puts a task, in a process whose consumer is idle, to the first line of the task."""
    huey = SqliteHuey(filename=path, fsync=True, results=False)
    started: queue.Queue[float] = queue.Queue()

    def handle(_n: int) -> None:
        started.put(time.perf_counter())

    nothing = huey.task()(handle)

    consumer(huey).start()
    waits = []
    for n in range(-20, count):
        time.sleep(random.uniform(*PAUSE))  # noqa: S311 - so that no two clocks beat together
        asked = time.perf_counter()
        nothing(n)
        wait = started.get() - asked
        if n >= 0:
            waits.append(wait)
    told(waits)


if __name__ == "__main__":
    {"jobs": jobs, "starts": starts}[sys.argv[1]](sys.argv[2].removeprefix("sqlite:///"), int(sys.argv[3]))
