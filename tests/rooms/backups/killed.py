"""A restore in a process of its own that comes to a point, says so, and goes no further: to be killed there."""

import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from privapub.backups import restore as restoring
from privapub.backups.place import Place
from privapub.migrations.run import REVISIONS

BEFORE_THE_END = "everything is there but the last step"


def restore(file: str, place: Place, point: str, there: Connection) -> None:
    """Restore up to the point: what `progress` is told, or BEFORE_THE_END."""

    def stop() -> None:
        there.send_bytes(b"there")
        time.sleep(600)

    def progress(what: str, _done: int, _total: int) -> None:
        if what == point:
            stop()

    def stopping(*_: Any) -> None:
        stop()

    if point == BEFORE_THE_END:
        # What comes right before the commit, or the renaming: the media are in their place by then.
        restoring.move = stopping
        before = restoring.postgresql.put_back

        def put_back(*given: Any) -> None:
            def place_media() -> None:
                given[-1]()
                stop()

            before(*given[:-1], place_media)

        restoring.postgresql.put_back = put_back
    restoring.restore(Path(file), place, revisions=REVISIONS, stay=(), empty=True, progress=progress)
