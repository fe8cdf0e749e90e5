"""What the three commands that last do alike: the parent's half, that loads nothing heavy."""

import json
import os
import socket
import sys

from privapub import clock
from privapub.cli.keep_running import Keeper, Line
from privapub.cli.listening import listening
from privapub.cli.parts import Parts
from privapub.settings import Settings, load


def run(what: Parts) -> None:
    """Do this until told to stop; what dies is started again."""
    settings = load(os.environ).settings
    sockets = listening(settings.listen) if what.web else []

    def work(line: Line) -> None:
        _in_the_child(settings, what, sockets, line)

    if not hasattr(os, "fork"):  # no child, then: whoever started this must start it again
        _in_the_child(settings, what, sockets, None)
        return
    sys.exit(Keeper(work, lambda sentence: say(settings, sentence)).keep())


def _in_the_child(settings: Settings, what: Parts, sockets: list[socket.socket], line: Line | None) -> None:
    # What writes the log would load it for tracebacks in colours that nobody asks for: 3 MB, and a tenth of the start.
    sys.modules.setdefault("rich", None)  # type: ignore[arg-type]  # None is how Python writes "not to be had"
    from privapub.cli.process import live  # noqa: PLC0415 - all that is heavy is loaded where it is used, and only there

    live(settings, what, sockets, line)


def say(settings: Settings, sentence: str) -> None:
    """One log line of the parent, in the form in which the child writes its own."""
    if settings.log_level == "error":
        return
    moment = clock.iso(clock.now())
    if settings.log_format == "json":
        line = json.dumps({"event": sentence, "level": "warning", "timestamp": moment})
    else:
        line = f"{moment} [warning  ] {sentence}"
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is where the parent speaks
