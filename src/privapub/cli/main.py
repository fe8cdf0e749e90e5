"""`privapub`: every command, put together."""

import typer

from privapub.cli import (
    account,
    announcement,
    backup,
    block,
    doctor,
    domain,
    domain_list,
    emoji,
    federation,
    federation_resolve,
    federation_show,
    follow,
    hosts,
    invitation,
    jobs,
    media,
    migrate,
    move,
    mute,
    notifications,
    people_list,
    persona,
    persona_edit,
    pins,
    post,
    post_liked,
    post_vote,
    quotes,
    receipt,
    report,
    restore,
    serve,
    timeline,
    token,
    traffic,
    usage,
    web,
    word_filter,
    work,
)
from privapub.cli import settings as settings_command
from privapub.cli.output import run

app = typer.Typer(
    name="privapub",
    help="A privacy-first server for the fediverse.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for group in (
    account,
    announcement,
    invitation,
    persona,
    token,
    follow,
    block,
    mute,
    people_list,
    word_filter,
    post,
    notifications,
    media,
    emoji,
    jobs,
    hosts,
    domain,
    federation,
    traffic,
):
    app.add_typer(group.app)
for of_post in (
    pins.pin,
    pins.unpin,
    *post_liked.COMMANDS,
    post_vote.vote,
    *receipt.COMMANDS,
    quotes.quote,
    quotes.quote_policy,
    quotes.revoke_quote,
):
    post.app.command()(of_post)
app.add_typer(report.app)
federation.app.command()(federation_show.show)
federation.app.command()(federation_resolve.resolve)
domain.app.command(name="import")(domain_list.import_)
domain.app.command()(domain_list.export)
for of_persona in (persona_edit.edit, persona_edit.rotate_keys):
    persona.app.command()(of_persona)
persona.app.add_typer(pins.tags)
persona.app.add_typer(move.alias)
for of_move in (move.move, move.unmove):
    persona.app.command()(of_move)
for command in (
    serve.serve,
    web.web,
    work.work,
    migrate.migrate,
    backup.backup,
    restore.restore,
    settings_command.settings,
    doctor.doctor,
    timeline.timeline,
    report.report,
):
    app.command()(command)


def main() -> None:
    """Run the command that was typed."""
    run(lambda: usage.run(app))


if __name__ == "__main__":
    main()
