"""`privapub web`."""

from privapub.cli.parts import Parts
from privapub.cli.running import run


def web() -> None:
    """Answer requests, and run no jobs: `privapub work` does. There may be several, each with a PRIVAPUB_LISTEN."""
    run(Parts(web=True, work=False))
