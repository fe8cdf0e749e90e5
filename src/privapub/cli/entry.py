"""Where `privapub` begins.

A server runs for months: what only commands need (reading of options, coloured help) is not loaded into it, and that is
a tenth of its memory. What the server needs is not loaded here either: this process may become the parent that keeps
it running.
"""

import sys

from privapub.cli import output, running
from privapub.cli.parts import parts


def main() -> None:
    """Serve, or run the command that was typed."""
    what = parts(sys.argv[1:])
    if what is not None:
        output.run(lambda: running.run(what))
        return
    from privapub.cli.main import main as begin  # noqa: PLC0415 - see above

    begin()


if __name__ == "__main__":
    main()
