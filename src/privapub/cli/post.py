"""`privapub post …`: write, change, take back."""

from pathlib import Path
from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.jobs import seconds
from privapub.cli.meant import acting, asking, own
from privapub.cli.opened import with_server
from privapub.cli.options import (
    Audience,
    Before,
    Json,
    Limit,
    OwnPost,
    Persona,
    Text,
    Typed,
    check_audience,
    text_format,
)
from privapub.cli.output import say, table
from privapub.cli.shown import line, shown_all
from privapub.cli.uploads import described, uploaded
from privapub.composing import compose
from privapub.errors import InvalidInput
from privapub.posts import delete as deleting
from privapub.posts import read
from privapub.posts.polls import NewPoll
from privapub.server import Server

LASTS = "1d"

app = typer.Typer(name="post", help="Write, change and take back posts.", no_args_is_help=True)
Options = Annotated[
    list[str] | None, typer.Option("--poll", metavar="ANSWER", help="An answer of a poll; say it again for each.")
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--media", metavar="FILE", help="A picture, a film or a sound; say it again for each, up to four."),
]
Alts = Annotated[
    list[str] | None,
    typer.Option("--alt", metavar="TEXT", help="What a file shows, in words; say it again for each, in their order."),
]
NewText = Annotated[str | None, typer.Argument(metavar="[TEXT]", help="The text. Absent: it stays.")]
Multiple = Annotated[bool, typer.Option("--poll-multiple", help="Several answers may be chosen. Absent: one.")]
Ends = Annotated[
    str | None,
    typer.Option(metavar="AGE", help=f"How long the poll lasts, such as 30m, 12h or 7d. Absent: {LASTS}."),
]


@app.command()
def create(
    text: Text,
    *,
    persona: Persona,
    audience: Audience,
    reply_to: Annotated[
        str | None, typer.Option(metavar="POST", help="The number, address or page of the post that this answers.")
    ] = None,
    summary: Annotated[str, typer.Option(metavar="TEXT", help="A warning, shown before the text.")] = "",
    typed: Typed = None,
    poll: Options = None,
    poll_multiple: Multiple = False,
    poll_ends: Ends = None,
    media: Files = None,
    alt: Alts = None,
    later: Annotated[
        bool, typer.Option("--later", help="Do not wait for the files: the post goes when they are ready.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a post."""
    wanted, how = _poll(poll, poll_ends, multiple=poll_multiple), text_format(typed)
    check_audience(audience)
    files = described(media or [], alt or [])

    async def work(server: Server) -> dict[str, Any]:
        me = await acting(server, persona)
        attached = await uploaded(server, me.id, files, wait=not later)
        with asking(reply_to or ""):
            post = await compose.write_post(
                server,
                me.id,
                text,
                audience,
                reply_to=reply_to,
                summary=summary,
                text_format=how,
                poll=wanted,
                media=attached,
                may_wait=later,
            )
        return (await shown_all(server, [post]))[0]

    post = with_server(work)
    rest = (
        "\nIt goes when the media that it waits for are ready: `privapub post list` tells of one that cannot be "
        "processed, and `privapub post edit --drop-failed` gives it up."
        if "waits" in post
        else ""
    )
    say(post, f"Written: {post['uri']} (id {post['id']}){rest}", as_json=as_json)


@app.command()
def edit(
    which: OwnPost,
    text: NewText = None,
    *,
    persona: Persona,
    summary: Annotated[str | None, typer.Option(metavar="TEXT", help="Another warning. Absent: it stays.")] = None,
    typed: Typed = None,
    poll: Options = None,
    poll_multiple: Multiple = False,
    poll_ends: Ends = None,
    alt: Alts = None,
    drop_failed: Annotated[
        bool,
        typer.Option("--drop-failed", help="Give up those of its files that could not be processed, so that it goes."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Change a post; what is not given stays. Other answers of a poll take all votes away."""
    wanted, how = _poll(poll, poll_ends, multiple=poll_multiple), text_format(typed)

    async def work(server: Server) -> dict[str, Any]:
        me, post = await own(server, persona, which)
        edited = await compose.edit_post(
            server,
            me.id,
            post.id,
            text,
            summary=summary,
            text_format=how,
            poll=wanted,
            alts=alt or (),
            drop_failed=drop_failed,
        )
        return (await shown_all(server, [edited]))[0]

    post = with_server(work)
    say(post, f"Changed: {post['uri']} (id {post['id']})", as_json=as_json)


@app.command()
def delete(which: OwnPost, *, persona: Persona, as_json: Json = False) -> None:
    """Take a post back, here and everywhere it went."""

    async def work(server: Server) -> tuple[str, bool]:
        me, post = await own(server, persona, which, gone=True)
        if post.deleted_at is not None:
            return post.uri, False
        async with server.database.write() as tx:
            await deleting.delete(tx, post.id, me.id, clock.now())
        return post.uri, True

    uri, changed = with_server(work)
    said = f"Deleted: {uri}" if changed else f"It was deleted already: {uri}"
    say({"uri": uri, "deleted": True, "changed": changed}, said, as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, before: Before = None, limit: Limit = 20, as_json: Json = False) -> None:
    """List all of a persona's own posts, whoever they are for, newest first."""

    async def work(server: Server) -> list[dict[str, Any]]:
        me = await acting(server, persona)
        async with server.database.read() as tx:
            found = await read.of_author(tx, me.id, before=before, limit=limit, audiences=(*read.EVERY, read.HELD))
        return await shown_all(server, found)

    rows = with_server(work)
    columns = ["id", "audience", "published_at", "marks", "text"]
    lines = table([line(row) for row in rows], columns, f"There is no {'older ' if before else ''}post yet.")
    if len(rows) == limit:
        lines += f"\n\nOlder ones: --before {rows[-1]['id']}"
    say(rows, lines, as_json=as_json)


def _poll(options: list[str] | None, lasts: str | None, *, multiple: bool) -> NewPoll | None:
    if options:
        return NewPoll(tuple(options), multiple, seconds(lasts or LASTS, "--poll-ends"))
    if lasts is not None or multiple:
        raise InvalidInput(
            f"{'--poll-multiple' if multiple else '--poll-ends'} is about a poll, and there is none.",
            "Give each answer of the poll with --poll.",
        )
    return None
