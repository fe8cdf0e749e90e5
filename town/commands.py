"""Runs `privapub …` again and again in one process: a walk gives hundreds, and an interpreter starts slowly.

Reads a JSON list of words a line from standard input, and answers each with a line: {"status", "out", "err"}.
"""

import contextlib
import io
import json
import sys
import traceback

from privapub.cli.main import main


def run(words: list[str]) -> dict[str, object]:
    """One command, as if it had been started with these words."""
    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["privapub", *words]
    status: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            status = left.code or 0
        except BaseException:  # noqa: BLE001 - what a command raises is what it would have died of
            traceback.print_exc()
            status = 1
    return {"status": status, "out": out.getvalue(), "err": err.getvalue()}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
