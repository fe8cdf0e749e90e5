"""What comes from npm, as `tests/fronts` locks it: installed once, and again when the lock or our program changes."""

import fcntl
import hashlib
import subprocess
from pathlib import Path

from fakes.programs import needed
from rules.house import ROOT

FRONTS = ROOT / "tests" / "fronts"
_INSTALLED = FRONTS / "node_modules"
_BUNDLE = _INSTALLED / ".program.js"
_LONGEST = 300  # seconds


def axe() -> str:
    """The script that judges a page."""
    _make()
    return (_INSTALLED / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def program() -> str:
    """Our program with its libraries, as one script for a browser."""
    _make()
    return _BUNDLE.read_text(encoding="utf-8")


def _make() -> None:
    npm = needed("npm")
    with (FRONTS / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes run tests
        if _is_new("installed", FRONTS / "package-lock.json"):
            _run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
            _done("installed", FRONTS / "package-lock.json")
        if _is_new("bundled", FRONTS / "program.mjs"):
            esbuild = str(Path("node_modules") / ".bin" / "esbuild")
            _run(esbuild, "program.mjs", "--bundle", "--format=iife", f"--outfile={_BUNDLE}", "--log-level=warning")
            _done("bundled", FRONTS / "program.mjs")


def _is_new(what: str, of: Path) -> bool:
    note = _INSTALLED / f".{what}"
    return not note.exists() or note.read_text(encoding="ascii") != _digest(of)


def _done(what: str, of: Path) -> None:
    (_INSTALLED / f".{what}").write_text(_digest(of), encoding="ascii")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(*words: str) -> None:
    done = subprocess.run(  # noqa: S603 - the words are ours
        words, cwd=FRONTS, capture_output=True, text=True, timeout=_LONGEST, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
