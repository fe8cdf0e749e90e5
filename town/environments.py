"""The peers' own environments: made once, and again when what they are locked to has changed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from processes import ROOT, TOWN

PEERS = ("fedify", "apkit")
NEIGHBOUR = "privapub"  # the second one, which needs no environment
ADVERSARY = "adversary"  # a hostile server of ours, with a PrivaPub of its own to attack
FEDIFY = TOWN / "fedify"
NODE = FEDIFY / "node_modules" / "node" / "bin" / "node"
APKIT = TOWN / "apkit"
APKIT_VENV = ROOT / ".venv-apkit"
LONGEST = 600  # seconds that one may take to install


def prepare(peers: list[str], logs: Path, say: Callable[..., None]) -> dict[str, str]:
    """Install what is missing; for each peer that could not be installed, why."""
    making = {"fedify": _make_fedify, "apkit": _make_apkit}
    problems = {}
    with (TOWN / ".gitignore").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two towns may begin at once
        for name in peers:
            log = logs / f"install-{name}.log"
            try:
                making[name](log, say)
            except (OSError, subprocess.SubprocessError) as error:
                problems[name] = f"its environment could not be made ({error}); see {log}"
                say(name, problems[name])
    return problems


def command(name: str) -> list[str]:
    """How a peer is started, without its arguments."""
    if name == "fedify":
        return [str(NODE), str(FEDIFY / "peer.mjs")]
    return [str(APKIT_VENV / "bin" / "python"), str(APKIT / "peer.py")]


def _make_fedify(log: Path, say: Callable[..., None]) -> None:
    done = FEDIFY / "node_modules" / ".made"
    locked = FEDIFY / "package-lock.json"
    if _is_made(done, locked):
        return
    say("fedify: npm ci")
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not there: install Node.js with npm")
    # The package `node` brings the Node that Fedify needs by a script of its own.
    _run([npm, "ci", "--no-audit", "--no-fund", "--foreground-scripts"], log, FEDIFY)
    _run([str(NODE), "--version"], log, FEDIFY)
    done.write_text(_digest(locked))


def _make_apkit(log: Path, say: Callable[..., None]) -> None:
    done = APKIT_VENV / ".made"
    locked = APKIT / "requirements.lock"
    if _is_made(done, locked):
        return
    say("apkit: a venv of its own")
    _run([sys.executable, "-m", "venv", "--clear", str(APKIT_VENV)], log, ROOT)
    python = str(APKIT_VENV / "bin" / "python")
    uv = Path(sys.executable).with_name("uv")
    installer = [str(uv), "pip", "install", "--python", python] if uv.exists() else [python, "-m", "pip", "install"]
    _run([*installer, "--quiet", "--require-hashes", "-r", str(locked)], log, ROOT)
    done.write_text(_digest(locked))


def _is_made(done: Path, locked: Path) -> bool:
    return done.exists() and done.read_text() == _digest(locked)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(words: list[str], log: Path, cwd: Path) -> None:
    with log.open("ab") as out:
        subprocess.run(
            words, cwd=cwd, env=dict(os.environ), stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=LONGEST,
            check=True,
        )  # fmt: skip
