"""The real server in a process of its own, as `privapub serve` runs it, that says when it answers."""

import os
from multiprocessing.connection import Connection
from pathlib import Path

import uvloop

from privapub import app
from privapub.settings import load


def serve(environ: dict[str, str], said: str, ready: Connection) -> None:
    """Serve until told to stop, or killed. `said` is the file for what it prints."""
    os.environ.clear()
    os.environ.update(environ)
    with Path(said).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    settings = load(os.environ).settings
    app.begin_logging(settings)
    uvloop.run(app.serve(settings, lambda _server: ready.send_bytes(b"it answers")))
