"""`privapub post quote …`: quote others, and say who may quote a persona's posts."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.cli.meant import acting, asking, own
from privapub.cli.opened import with_server
from privapub.cli.options import AnyPost, Audience, Json, OwnPost, Persona, Text, check_audience
from privapub.cli.output import say
from privapub.cli.shown import shown
from privapub.composing import compose
from privapub.posts import quotes, stamps
from privapub.posts.read import Post
from privapub.server import Server

_STATES = {"accepted": "it stands in the post", "pending": "its author is asked"}


def quote(
    quoted: AnyPost,
    text: Text,
    *,
    persona: Persona,
    audience: Audience = "public",
    as_json: Json = False,
) -> None:
    """Write a post that quotes another, if the author of that one lets it."""
    check_audience(audience)

    async def work(server: Server) -> Post:
        me = await acting(server, persona)
        with asking(quoted):
            return await compose.write_post(server, me.id, text, audience, quote=quoted)

    post = with_server(work)
    said = f"Written: {post.uri} (id {post.id})\n  quotes {post.quote}: {_STATES.get(post.quote_state)}"
    say(shown(post), said, as_json=as_json)


def quote_policy(
    which: OwnPost,
    policy: Annotated[str, typer.Argument(metavar="WHO", help=f"{', '.join(quotes.POLICIES)}.")],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Say who may quote a post: from now on, what was allowed stays so."""

    async def work(server: Server) -> dict[str, Any]:
        me, post = await own(server, persona, which)
        async with server.database.write() as tx:
            changed = await quotes.set_policy(tx, post.id, me.id, policy, clock.now())
        return {"uri": post.uri, "quote_policy": policy, "changed": changed}

    done = with_server(work)
    already = "" if done["changed"] else ", as before"
    say(done, f"{done['uri']} may be quoted by: {policy}{already}", as_json=as_json)


def revoke_quote(
    which: OwnPost,
    quoting: Annotated[str, typer.Argument(metavar="ADDRESS", help="The address of the post that quotes it.")],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Take back that somebody may quote a post."""

    async def work(server: Server) -> dict[str, Any]:
        me, post = await own(server, persona, which)
        async with server.database.write() as tx:
            changed = await stamps.revoke(tx, post.id, me.id, quoting, clock.now())
        return {"uri": post.uri, "quoting": quoting, "revoked": True, "changed": changed}

    done = with_server(work)
    any_more = "any more" if done["changed"] else "already"
    say(done, f"{quoting} may not quote {done['uri']} {any_more}", as_json=as_json)
