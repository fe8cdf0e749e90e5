"""`privapub post quote …`: quote others, and say who may quote a persona's posts."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.cli.post import Persona, Which, own
from privapub.composing import compose
from privapub.errors import InvalidInput
from privapub.posts import quotes, stamps
from privapub.posts.audience import CHOICES
from privapub.posts.read import Post
from privapub.server import Server

_STATES = {"accepted": "it stands in the post", "pending": "its author is asked"}


def quote(
    uri: Annotated[str, typer.Argument(help="The id or address of the post that is quoted.")],
    text: str,
    *,
    persona: Persona,
    audience: Annotated[str, typer.Option(help=f"Who may see it: {', '.join(CHOICES)}.")] = "public",
    as_json: Json = False,
) -> None:
    """Write a post that quotes another, if the author of that one lets it."""
    if audience not in CHOICES:
        raise InvalidInput(f"{audience!r} is no audience.", f"It may be {', '.join(CHOICES)}.")

    async def work(server: Server) -> Post:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
        return await compose.write_post(server, me.id, text, audience, quote=uri)

    post = with_server(work)
    data = {"id": str(post.id), "uri": post.uri, "quote": post.quote, "quote_state": post.quote_state}
    say(data, f"Written: {post.uri}\n  quotes {post.quote}: {_STATES.get(post.quote_state)}", as_json=as_json)


def quote_policy(
    which: Which,
    policy: Annotated[str, typer.Argument(help=f"{', '.join(quotes.POLICIES)}.")],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Say who may quote a post: from now on, what was allowed stays so."""

    async def work(server: Server) -> dict[str, Any]:
        me_id, post = await own(server, persona, which)
        async with server.database.write() as tx:
            await quotes.set_policy(tx, post.id, me_id, policy, clock.now())
        return {"uri": post.uri, "quote_policy": policy}

    done = with_server(work)
    say(done, f"{done['uri']} may be quoted by: {policy}", as_json=as_json)


def revoke_quote(
    which: Which,
    quoting: Annotated[str, typer.Argument(help="The address of the post that quotes it.")],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Take back that somebody may quote a post."""

    async def work(server: Server) -> dict[str, Any]:
        me_id, post = await own(server, persona, which)
        async with server.database.write() as tx:
            await stamps.revoke(tx, post.id, me_id, quoting, clock.now())
        return {"uri": post.uri, "quoting": quoting, "revoked": True}

    done = with_server(work)
    say(done, f"{quoting} may not quote {done['uri']} any more", as_json=as_json)
