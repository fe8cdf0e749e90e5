"""`privapub serve`."""

from privapub.cli.parts import Parts
from privapub.cli.running import run


def serve() -> None:
    """Run the whole server, web and workers, until it is told to stop (Ctrl-C or SIGTERM)."""
    run(Parts(web=True, work=True))
