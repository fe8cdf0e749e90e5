"""What a test may leave behind in its process, where the next one would find it."""

import asyncio
import gc
import logging
import multiprocessing
import os
import signal
import sys
from pathlib import Path

from privapub import clock, scope
from privapub.database.transaction import is_open_here

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


def state() -> dict[str, object]:
    """Whatever all tests of a process share, by name."""
    root = logging.getLogger()
    return {
        "environment": {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        "working folder": Path.cwd(),
        "umask": _umask(),
        "path of imports": tuple(sys.path),
        "clock": clock.offset(),
        "tags of requests": scope.current(),
        "open transaction": is_open_here(),
        "signals": {number: signal.getsignal(number) for number in SIGNALS},
        "logging": (root.level, logging.root.manager.disable, tuple(_handlers(root))),
        "garbage collection": gc.isenabled(),
        "switch interval": sys.getswitchinterval(),
        "child processes": tuple(child.name for child in multiprocessing.active_children()),
        "policy of event loops": _policy(),
    }


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _handlers(root: logging.Logger) -> list[str]:
    """Those of our own making; pytest's come and go with each phase of a test."""
    return [repr(each) for each in root.handlers if not type(each).__module__.startswith("_pytest")]


def _policy() -> str:
    return type(asyncio.get_event_loop_policy()).__name__ if sys.version_info < (3, 14) else ""


def changed(before: dict[str, object], after: dict[str, object]) -> dict[str, tuple[object, object]]:
    """What is otherwise than before."""
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}
