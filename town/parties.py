"""Who lives in the town: PrivaPub, told what to do by its commands, and the peers, told by their control ports."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import environments
from processes import ROOT, TOWN, Running, ending, free_port

T = TypeVar("T")
PATIENCE = 60.0  # seconds that a step may wait for something to happen
LONGEST = 120  # seconds that one command may take
BEGINNING = 240.0  # seconds that a server may take to start
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


class Controlled:
    """Whoever does what its control port is told."""

    name: str
    control: int

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


class Peer(Controlled):
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

    def begin(self) -> None:
        """Start it."""
        self.running.start()

    def until_ready(self) -> None:
        """Wait until it answers."""
        self.people = wait(f"{self.name} to start", self._ready, seconds=BEGINNING)["actors"]

    def stop(self) -> None:
        """Stop it; it keeps its people and their keys for the next start."""
        self.running.stop()

    def keep(self) -> None:
        """Write down beside its log what it was asked and what it took in."""
        for what in ("wire", "received"):
            with contextlib.suppress(Failed):
                lines = [json.dumps(it, ensure_ascii=False) for it in self.ask(what)[what]]
                self.running.log.with_suffix(f".{what}.jsonl").write_text("\n".join(lines) + "\n")

    def _ready(self) -> dict[str, Any] | None:
        if self.running.ended():
            raise Stopped(f"{self.name} stopped by itself")
        try:
            return self.ask("ready")
        except Failed:
            return None

    def received(self, kind: str, fits: Callable[[dict[str, Any]], object]) -> list[dict[str, Any]]:
        """The verified activities of a type that fit."""
        return [it for it in self.ask("received")["received"] if it["type"] == kind and fits(it)]

    def wire(self, activity: str) -> list[dict[str, Any]]:
        """Every request that brought the activity with this id, with how it was answered."""
        return [it for it in self.ask("wire")["wire"] if it["id"] == activity]


class Teller:
    """`privapub …` in a process that is started once."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        """Nothing is started before the first command."""
        self.env, self.log = env, log
        self.process: subprocess.Popen[str] | None = None
        self.turn = threading.Lock()

    def run(self, words: list[str]) -> dict[str, Any]:
        """One command, as `town/commands.py` answers it."""
        with self.turn:
            process = self._started()
            watch = threading.Timer(LONGEST, process.kill)
            watch.start()
            try:
                process.stdin.write(json.dumps(words) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            finally:
                watch.cancel()
            if not line:
                self.process = None
                raise Failed(f"privapub {' '.join(words[:2])} did not end in {LONGEST} s; see {self.log}")
            return dict(json.loads(line))

    def stop(self) -> None:
        """Let it end."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _started(self) -> Any:
        if self.process is None or self.process.poll() is not None:
            with self.log.open("ab") as log:
                log.write(f"--- started {time.strftime('%H:%M:%S')}\n".encode())
                log.flush()
                self.process = subprocess.Popen(
                    [sys.executable, str(TOWN / "commands.py")], env=self.env, cwd=ROOT, stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=log, text=True,
                )  # fmt: skip
            ending.append(self.process.kill)
        return self.process


class PrivaPub:
    """`privapub serve`, and `privapub …` beside it."""

    def __init__(
        self, data: Path, database: str, logs: Path, *, name: str = "home", host: str = "127.0.0.1",
        allow: str = "127.0.0.0/8,::1/128",
    ) -> None:  # fmt: skip
        """Draw its port; `database` is a URL, or "" for SQLite in the data folder; `allow` is let through its guard."""
        port = free_port()
        self.name = name
        self.origin = f"http://{host}:{port}"
        self.data = data
        self.env = {
            "PRIVAPUB_DATA": str(data),
            "PRIVAPUB_LISTEN": f"127.0.0.1:{port}",
            "PRIVAPUB_BASE_URL": self.origin,
            "PRIVAPUB_DATABASE_URL": database,
            "PRIVAPUB_ALLOW_ADDRESSES": allow,
            "PYTHONPATH": str(ROOT / "src"),
        }
        self.command = [sys.executable, "-m", "privapub.cli.entry"]
        self.running = Running([*self.command, "serve"], logs / f"{name}.log", env=self.env)
        self.teller = Teller(os.environ | self.env, logs / f"{name}-commands.log")

    def begin(self) -> None:
        """Start it."""
        self.running.start()

    def until_ready(self) -> None:
        """Wait until it answers."""
        wait(f"privapub ({self.name}) to start", self._ready, seconds=BEGINNING)

    def stop(self) -> None:
        """Stop it."""
        self.teller.stop()
        self.running.stop()

    def settle(self) -> None:
        """Make the one account that holds every persona of the town."""
        words = ("account", "create", EMAIL, "--password-stdin", "--json")
        done = subprocess.run(
            [*self.command, *words], env=os.environ | self.env, cwd=ROOT, input="a long enough password\n", text=True,
            capture_output=True, timeout=LONGEST, check=False,
        )  # fmt: skip
        _said(words, {"status": done.returncode, "out": done.stdout, "err": done.stderr})

    def persona(self, handle: str, *, locked: bool = False) -> dict[str, str]:
        """A fresh persona."""
        return dict(self.run("persona", "create", handle, "--account", EMAIL, *(["--locked"] if locked else [])))

    def run(self, *words: str) -> Any:
        """One command, and what it says in JSON; Failed, with its sentence, where it fails."""
        return _said(words, self.teller.run([*words, "--json"]))

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
            raise Stopped(f"privapub ({self.name}) stopped by itself")
        try:
            return self.fetch(f"{self.origin}/.well-known/nodeinfo")[0] == 200
        except (OSError, ValueError):
            return False


def _said(words: Sequence[str], done: dict[str, Any]) -> Any:
    if done["status"]:
        with contextlib.suppress(ValueError, KeyError):
            raise Failed(f"privapub {words[0]} {words[1]} failed: {json.loads(done['out'])['error']}")
        lines = (done["err"].strip() or done["out"].strip()).splitlines() or ["nothing"]
        raise Failed(f"privapub {words[0]} {words[1]} failed: {' / '.join(lines[-2:])[-400:]}")
    return json.loads(done["out"])
