"""Where `privapub` begins.

A server runs for months: what only commands need (reading of options, coloured help) is not loaded into it, and that is
a tenth of its memory.
"""

import sys


def main() -> None:
    """Serve, or run the command that was typed."""
    if sys.argv[1:] == ["serve"]:
        from privapub.cli.serve import main as begin  # noqa: PLC0415 - see above
    else:
        from privapub.cli.main import main as begin  # noqa: PLC0415 - see above
    begin()


if __name__ == "__main__":
    main()
