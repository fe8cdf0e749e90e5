"""Ports of peers: within a run of the tests, no two peers ever listen at the same one.

A server may still be knocking at a peer of a test that has ended (a retry, a probe): if another test's peer listened
there, it would be asked what it knows nothing of. So a port that was given is noted in a folder of the run, which all
its processes share, and never given again.
"""

import atexit
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

RUN = "RUN_OF_THE_TESTS"  # no setting of the server, so it begins otherwise
# Below those that systems give to whoever connects or asks for any port, so that nobody takes one between the moment it
# is found free and the moment it is listened at.
FIRST, LAST = 20_000, 32_000


def begin_run() -> Callable[[], None] | None:
    """Make the folder of this run; how to remove it. None where a process above has made it."""
    if os.environ.get(RUN):
        return None
    folder = tempfile.mkdtemp(prefix="privapub-run-")
    os.environ[RUN] = folder

    def end() -> None:
        os.environ.pop(RUN, None)
        shutil.rmtree(folder, ignore_errors=True)

    return end


def given(port: int) -> bool:
    """Whether the port was given in this run already; if not, it is now."""
    if end := begin_run():  # used without pytest
        atexit.register(end)
    try:
        (Path(os.environ[RUN]) / str(port)).touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


def bound(address: str = "127.0.0.1") -> socket.socket:
    """A socket that is bound to a new port, for a server to listen on."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    refused = []
    try:
        while True:
            found = socket.socket(family)
            found.bind((address, 0))
            if not given(found.getsockname()[1]):
                # Only now, since two sockets that allow it may be given the same port; it lets a peer that was stopped
                # come back where it was.
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                return found
            refused.append(found)  # held meanwhile, so that the system gives another one
    finally:
        for each in refused:
            each.close()


def free() -> int:
    """A new port, for a server in another process to listen at."""
    while True:
        port = FIRST + secrets.randbelow(LAST - FIRST)
        if given(port):
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
