"""`privapub post …`: write, change, take back."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.jobs import seconds
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import LARGEST, Json, Limit, Typed, text_format
from privapub.cli.output import say, table
from privapub.composing import compose
from privapub.errors import InvalidInput, NotFound
from privapub.posts import delete as deleting
from privapub.posts import read
from privapub.posts.audience import CHOICES
from privapub.posts.poll_read import Poll
from privapub.posts.polls import NewPoll
from privapub.posts.read import Post
from privapub.server import Server

app = typer.Typer(name="post", help="Write, change and take back posts.", no_args_is_help=True)
Persona = Annotated[str, typer.Option("--persona", help="The handle of the persona that writes.")]
Which = Annotated[str, typer.Argument(metavar="ID", help="The post's id or uri.")]
Options = Annotated[list[str] | None, typer.Option("--poll", help="An answer of a poll; say it again for each.")]
Multiple = Annotated[bool, typer.Option("--poll-multiple", help="Several answers may be chosen.")]
Ends = Annotated[str, typer.Option(metavar="TIME", help="How long the poll lasts, such as 30m, 12h or 7d.")]


def shown(post: Post) -> dict[str, Any]:
    """A post as commands print it."""
    return {
        "id": str(post.id),
        "uri": post.uri,
        "audience": post.audience,
        "text": post.source,
        "html": post.content,
        "summary": post.summary,
        "in_reply_to": post.in_reply_to,
        "published_at": clock.iso(post.published_at),
        "edited_at": post.edited_at and clock.iso(post.edited_at),
        **({} if post.poll is None else {"poll": poll_shown(post.poll)}),
    }


def poll_shown(poll: Poll) -> dict[str, Any]:
    """A poll as commands print it."""
    return {
        "multiple": poll.multiple,
        "options": [{"name": option.name, "votes": option.votes} for option in poll.options],
        "voters": poll.voters,
        "ends_at": poll.ends_at and clock.iso(poll.ends_at),
        "closed": poll.closed_at is not None,
    }


@app.command()
def create(
    text: str,
    *,
    persona: Persona,
    audience: Annotated[
        str, typer.Option(help=f"Who may see it: {', '.join(CHOICES)} (direct: those whom the text names).")
    ],
    reply_to: Annotated[str | None, typer.Option(help="The address of the post that this answers.")] = None,
    summary: Annotated[str, typer.Option(help="A warning, shown before the text.")] = "",
    typed: Typed = None,
    poll: Options = None,
    poll_multiple: Multiple = False,
    poll_ends: Ends = "1d",
    as_json: Json = False,
) -> None:
    """Write a post."""
    wanted, how = _poll(poll, poll_ends, multiple=poll_multiple), text_format(typed)
    if audience not in CHOICES:
        raise InvalidInput(f"{audience!r} is no audience.", f"It may be {', '.join(CHOICES)}.")

    async def work(server: Server) -> Post:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        return await compose.write_post(
            server, me.id, text, audience, reply_to=reply_to, summary=summary, text_format=how, poll=wanted
        )

    post = with_server(work)
    say(shown(post), f"Written: {post.uri} (id {post.id})", as_json=as_json)


@app.command()
def edit(
    which: Which,
    text: str,
    *,
    persona: Persona,
    summary: Annotated[str | None, typer.Option(help="Another warning. Absent: it stays.")] = None,
    typed: Typed = None,
    poll: Options = None,
    poll_multiple: Multiple = False,
    poll_ends: Ends = "1d",
    as_json: Json = False,
) -> None:
    """Change a post; what is not given stays. Other answers of a poll take all votes away."""
    wanted, how = _poll(poll, poll_ends, multiple=poll_multiple), text_format(typed)

    async def work(server: Server) -> Post:
        me_id, post = await own(server, persona, which)
        return await compose.edit_post(server, me_id, post.id, text, summary=summary, text_format=how, poll=wanted)

    post = with_server(work)
    say(shown(post), f"Changed: {post.uri}", as_json=as_json)


@app.command()
def delete(which: Which, *, persona: Persona, as_json: Json = False) -> None:
    """Take a post back, here and everywhere it went."""

    async def work(server: Server) -> str:
        me_id, post = await own(server, persona, which)
        async with server.database.write() as tx:
            await deleting.delete(tx, post.id, me_id, clock.now())
        return post.uri

    uri = with_server(work)
    say({"uri": uri, "deleted": True}, f"Deleted: {uri}", as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, limit: Limit = 20, as_json: Json = False) -> None:
    """List a persona's own posts, newest first."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
            return [shown(post) for post in await read.of_author(tx, me.id, limit=limit)]

    rows = with_server(work)
    say(rows, table(rows, ["id", "audience", "published_at", "text"], "There is no post yet."), as_json=as_json)


def _poll(options: list[str] | None, lasts: str, *, multiple: bool) -> NewPoll | None:
    return NewPoll(tuple(options), multiple, seconds(lasts)) if options else None


async def own(server: Server, persona: str, which: str) -> tuple[int, Post]:
    """The number of a persona and a post of its own; NotFound where it has none such."""
    async with server.database.read() as tx:
        me = await persona_named(tx, persona)
        numbered = which.isascii() and which.isdigit() and len(which) <= len(str(LARGEST)) and int(which) <= LARGEST
        found = await (read.by_id(tx, int(which)) if numbered else read.by_uri(tx, which))
    if found is None or found.author_id != me.id or found.deleted_at is not None:
        raise NotFound(f"{persona} has no post {which}.", "`privapub post list` shows those there are.")
    return me.id, found
