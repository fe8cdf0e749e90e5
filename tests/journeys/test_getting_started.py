"""Somebody new does what the tutorial says, word for word, and looks at the pages in a browser."""

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from fakes import ports
from fakes.elsewhere import jpeg
from fakes.programs import needed
from rules.house import ROOT, SOURCE

TUTORIAL = ROOT / "docs" / "tutorial" / "getting-started.md"
PRIVAPUB = [sys.executable, "-m", "privapub.cli.entry"]


@dataclass(frozen=True)
class Installation:
    """A server that runs for the length of a test, and what is needed to reach it."""

    port: int
    environ: dict[str, str]
    folder: Path

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    async def type(self, line: str) -> str:
        """What a command line of the tutorial prints; it must end well."""
        words = shlex.split(line.replace("localhost:8000", f"localhost:{self.port}"))
        assert words[0] == ".venv/bin/privapub"
        # The tutorial's reader is asked for a password; here there is no terminal to be asked at.
        asked = ["--password-stdin"] if words[1:3] == ["account", "create"] else []
        done = await anyio.run_process(
            [*PRIVAPUB, *words[1:], *asked],
            input=b"a long enough pass phrase\n",
            check=False,
            env=self.environ,
            cwd=self.folder,
        )
        assert done.returncode == 0, f"{line}: {done.stderr.decode()}"
        return done.stdout.decode()


@pytest.fixture
async def installation(tmp_path: Path) -> AsyncIterator[Installation]:
    """`privapub serve` from an empty folder."""
    port = ports.free()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PRIVAPUB_")}
    environ = {
        **kept,
        "PYTHONPATH": str(SOURCE),
        "PRIVAPUB_DATA": str(tmp_path / "data"),
        "PRIVAPUB_LISTEN": f"localhost:{port}",
    }
    async with await anyio.open_process([*PRIVAPUB, "serve"], stderr=None, env=environ) as server:
        try:
            with anyio.fail_after(120):
                said = b""
                assert server.stdout is not None
                while b"account create" not in said:
                    said += await server.stdout.receive()
            assert f"http://localhost:{port}/" in said.decode()
            yield Installation(port, environ, tmp_path)
            server.send_signal(signal.SIGTERM)
            with anyio.fail_after(60):
                assert await server.wait() == 0
        finally:
            if server.returncode is None:
                server.kill()


def commands() -> list[str]:
    """The lines of the tutorial that are typed to PrivaPub."""
    return re.findall(r"^\.venv/bin/privapub .*$", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE)


async def test_what_the_tutorial_says_works(installation: Installation, tmp_path: Path) -> None:
    typed = commands()
    assert len(typed) > 8
    await anyio.Path(tmp_path / "cat.jpg").write_bytes(jpeg())
    with anyio.fail_after(400):
        said = {line: await installation.type(line) for line in typed}
        listed = next(text for line, text in said.items() if "persona list" in line)
        assert "anna" in listed
        assert "bookworm" in listed
        written = next(text for line, text in said.items() if "post create" in line)
        found = re.search(r"http://localhost:\d+/posts/[\w-]+", written)
        assert found
        await look_at(f"{installation.url}/", "PrivaPub", tmp_path)
        await look_at(f"{installation.url}/@anna", "Hello, fediverse!", tmp_path)
        await look_at(f"{installation.url}/@anna", 'alt="A cat, asleep"', tmp_path)
        await look_at(found[0], "Hello, fediverse!", tmp_path)


async def look_at(url: str, text: str, folder: Path) -> None:
    """Open a page in Chromium: it shows the text, complains of nothing, and asks nobody else for anything."""
    chromium = needed("chromium")  # if it is not there, the commands have worked
    log = folder / "net.json"
    seen = await anyio.run_process(
        [
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            f"--user-data-dir={folder / 'browser'}", f"--log-net-log={log}", "--dump-dom", url,
        ],
        check=False,
    )  # fmt: skip
    assert seen.returncode == 0, seen.stderr.decode()
    assert text in seen.stdout.decode()
    assert "CONSOLE" not in seen.stderr.decode()
    origin = re.match(r"http://[^/]+", url)
    assert origin
    events = (event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"])
    asked = {event["url"] for event in events if event.get("initiator") == origin[0] and "url" in event}
    assert [address for address in asked if ".css" in address], "the page has no stylesheet"
    assert [address for address in asked if not address.startswith(f"{origin[0]}/")] == []
