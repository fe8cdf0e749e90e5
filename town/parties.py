"""Who lives in the town: PrivaPub, told what to do by its commands, and the peers, told by their control ports."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import environments
from processes import ROOT, Running, free_port

T = TypeVar("T")
PATIENCE = 60.0  # seconds that a step may wait for something to happen
BEGINNING = 60.0  # seconds that a server may take to start
EMAIL = "mayor@town.example"


class Failed(Exception):
    """Why a cell of the table is not passed."""


class Stopped(Failed):
    """A server is not there any more: there is nothing to wait for."""


def wait(what: str, look: Callable[[], T | None], *, seconds: float = PATIENCE) -> T:
    """The first answer of `look` that counts as true; Failed, saying for what was waited, when the time is over."""
    ends = time.monotonic() + seconds
    why = ""
    while True:
        try:
            found = look()
        except Stopped:
            raise
        except Failed as failed:
            found, why = None, f" ({failed})"
        if found:
            return found
        if time.monotonic() > ends:
            raise Failed(f"waited {seconds:.0f} s for {what}{why}")
        time.sleep(0.25)


class Peer:
    """A real server of another kind, with the people `open`, `locked` and `refusing`."""

    def __init__(self, name: str, folder: Path, logs: Path) -> None:
        """Draw its ports."""
        self.name = name
        port, self.control = free_port(), free_port()
        # As different as names on the loopback can be without a name server.
        host = {"fedify": "localhost", "apkit": "127.0.0.1"}[name]
        self.host = f"{host}:{port}"
        self.running = Running(
            [*environments.command(name), "--port", str(port), "--control", str(self.control), "--host", host,
             "--state", str(folder / f"{name}.json")],
            logs / f"{name}.log",
        )  # fmt: skip
        self.people: dict[str, dict[str, str]] = {}

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.running.start()
        self.people = wait(f"{self.name} to start", self._ready, seconds=BEGINNING)["actors"]

    def stop(self) -> None:
        """Stop it; it keeps its people and their keys for the next start."""
        self.running.stop()

    def _ready(self) -> dict[str, Any] | None:
        if self.running.ended():
            raise Stopped(f"{self.name} stopped by itself")
        try:
            return self.ask("ready")
        except Failed:
            return None

    def ask(self, what: str) -> dict[str, Any]:
        """GET from its control port."""
        return self._call(urllib.request.Request(f"http://127.0.0.1:{self.control}/control/{what}"))

    def tell(self, what: str, **words: Any) -> dict[str, Any]:
        """POST to its control port: make it do something."""
        return self._call(
            urllib.request.Request(
                f"http://127.0.0.1:{self.control}/control/{what}",
                data=json.dumps(words).encode(),
                headers={"Content-Type": "application/json"},
            )
        )

    def _call(self, request: urllib.request.Request) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(request, timeout=45) as response:  # noqa: S310 - its own control port
                return dict(json.load(response))
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")
            raise Failed(f"{self.name} could not: {said[:300]}") from None
        except OSError as error:
            raise Failed(f"{self.name} does not answer: {error}") from None

    def received(self, kind: str, fits: Callable[[dict[str, Any]], object]) -> list[dict[str, Any]]:
        """The verified activities of a type that fit."""
        return [it for it in self.ask("received")["received"] if it["type"] == kind and fits(it)]

    def wire(self, activity: str) -> list[dict[str, Any]]:
        """Every request that brought the activity with this id, with how it was answered."""
        return [it for it in self.ask("wire")["wire"] if it["id"] == activity]


class PrivaPub:
    """`privapub serve`, and `privapub …` beside it."""

    def __init__(self, data: Path, database: str, logs: Path) -> None:
        """Draw its port; `database` is a URL, or "" for SQLite in the data folder."""
        port = free_port()
        self.origin = f"http://127.0.0.1:{port}"
        self.env = {
            "PRIVAPUB_DATA": str(data),
            "PRIVAPUB_LISTEN": f"127.0.0.1:{port}",
            "PRIVAPUB_BASE_URL": self.origin,
            "PRIVAPUB_DATABASE_URL": database,
            "PRIVAPUB_ALLOW_ADDRESSES": "127.0.0.0/8,::1/128",
            "PYTHONPATH": str(ROOT / "src"),
        }
        self.command = [sys.executable, "-m", "privapub.cli.main"]
        self.running = Running([*self.command, "serve"], logs / "privapub.log", env=self.env)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self.running.start()
        wait("privapub to start", self._ready, seconds=BEGINNING)

    def stop(self) -> None:
        """Stop it."""
        self.running.stop()

    def settle(self) -> None:
        """Make the one account that holds every persona of the town."""
        self.run("account", "create", EMAIL, "--password-stdin", typed="a long enough password\n")

    def persona(self, handle: str, *, locked: bool = False) -> dict[str, str]:
        """A fresh persona."""
        return dict(self.run("persona", "create", handle, "--account", EMAIL, *(["--locked"] if locked else [])))

    def run(self, *words: str, typed: str = "") -> Any:
        """One command, and what it says in JSON; Failed, with its sentence, where it fails."""
        done = subprocess.run(
            [*self.command, *words, "--json"], env=os.environ | self.env, cwd=ROOT, input=typed, text=True,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["nothing"]
            raise Failed(f"privapub {words[0]} {words[1]} failed: {' / '.join(said[-4:])[:400]}")
        return json.loads(done.stdout)

    def fetch(self, url: str) -> tuple[int, dict[str, Any]]:
        """The status and the document at one of its addresses."""
        request = urllib.request.Request(url, headers={"Accept": "application/activity+json"})  # noqa: S310 - its own
        try:
            with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310 - the same
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, {}

    def relations(self, side: str, handle: str) -> dict[str, str]:
        """Of a persona's `following` or `followers`: actor uri to state."""
        return {it["uri"]: it["state"] for it in self.run("follow", "list", "--persona", handle)[side]}

    def seen(self, handle: str, uri: str) -> dict[str, Any] | None:
        """A post in a persona's timeline."""
        return next((it for it in self.run("timeline", "--persona", handle) if it["uri"] == uri), None)

    def _ready(self) -> bool:
        if self.running.ended():
            raise Stopped("privapub stopped by itself")
        try:
            return self.fetch(f"{self.origin}/.well-known/nodeinfo")[0] == 200
        except (OSError, ValueError):
            return False


def host_of(url: str) -> str:
    """Host and port of a URL."""
    return urlsplit(url).netloc
