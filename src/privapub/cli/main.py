"""`privapub`: every command, put together."""

import sys

import typer

from privapub.cli import (
    account,
    doctor,
    federation,
    follow,
    hosts,
    jobs,
    migrate,
    output,
    persona,
    post,
    serve,
    timeline,
)
from privapub.cli import settings as settings_command
from privapub.errors import PrivaPubError

app = typer.Typer(
    name="privapub",
    help="A privacy-first server for the fediverse.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for group in (account, persona, follow, post, jobs, hosts, federation):
    app.add_typer(group.app)
for command in (serve.serve, migrate.migrate, settings_command.settings, doctor.doctor, timeline.timeline):
    app.command()(command)


def main() -> None:
    """Run the command; what fails is one sentence, a hint and exit status 1."""
    try:
        app()
    except PrivaPubError as error:
        output.fail(error, as_json="--json" in sys.argv)
        sys.exit(1)


if __name__ == "__main__":
    main()
