"""The real server in processes of its own, as `privapub serve`, `web` and `work` run it, that says when it is ready."""

import os
from multiprocessing.connection import Connection
from pathlib import Path

from privapub.cli import running
from privapub.cli.keep_running import Keeper, Line
from privapub.cli.listening import listening
from privapub.cli.parts import parts
from privapub.cli.process import live
from privapub.settings import load


def serve(environ: dict[str, str], said: str, ready: Connection, *words: str) -> None:
    """Be the parent of what these words of a command line ask for (none: `serve`), until told to stop, or killed.

    `said` is the file for what is printed; each child that is ready says its process' number.
    """
    os.environ.clear()
    os.environ.update(environ)
    with Path(said).open("ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    settings = load(os.environ).settings
    what = parts(words or ("serve",))
    assert what is not None
    sockets = listening(settings.listen) if what.web else []

    def work(line: Line) -> None:
        live(settings, what, sockets, line, lambda _server: ready.send_bytes(str(os.getpid()).encode()))

    raise SystemExit(Keeper(work, lambda sentence: running.say(settings, sentence), longest_pause=0.2).keep())
