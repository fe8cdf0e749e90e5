"""`privapub post like|unlike|boost|unboost|react|unreact`: what a persona does with posts, here and elsewhere."""

from typing import Annotated, Any

import typer

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json
from privapub.cli.output import say
from privapub.composing.learn import known_post, seen_post
from privapub.errors import NotFound
from privapub.markup.reactions import LIKE
from privapub.posts import boost as boosts
from privapub.posts import react as reactions
from privapub.posts.read import Post
from privapub.server import Server

Who = Annotated[str, typer.Option("--persona", help="The handle of the persona that does this.")]
Which = Annotated[str, typer.Argument(metavar="POST", help="The post's id, uri or page; one elsewhere is fetched.")]
Emoji = Annotated[str, typer.Argument(help="One emoji, or the `:name:` of one that somebody reacted with there.")]


def like(which: Which, *, persona: Who, as_json: Json = False) -> None:
    """Like a post."""
    _react(which, LIKE, persona, as_json=as_json)


def unlike(which: Which, *, persona: Who, as_json: Json = False) -> None:
    """Take a like back."""
    _take_back(which, LIKE, persona, as_json=as_json)


def react(which: Which, emoji: Emoji, *, persona: Who, as_json: Json = False) -> None:
    """React to a post with an emoji."""
    _react(which, emoji, persona, as_json=as_json)


def unreact(which: Which, emoji: Emoji, *, persona: Who, as_json: Json = False) -> None:
    """Take a reaction back."""
    _take_back(which, emoji, persona, as_json=as_json)


def boost(
    which: Which,
    *,
    persona: Who,
    audience: Annotated[
        str | None, typer.Option(help=f"Who is shown it: {', '.join(boosts.CHOICES)}. Absent: as of the post.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Pass a post on to the persona's followers."""

    async def work(server: Server) -> Post:
        me_id, post = await _found(server, persona, which)
        async with server.database.write() as tx:
            await boosts.boost(tx, me_id, post.id, _fresh(server), clock.now(), audience=audience)
        return post

    post = with_server(work)
    say({"uri": post.uri, "boosted": True}, f"Boosted: {post.uri}", as_json=as_json)


def unboost(which: Which, *, persona: Who, as_json: Json = False) -> None:
    """Take a boost back."""

    async def work(server: Server) -> Post:
        me_id, post = await _known(server, persona, which)
        async with server.database.write() as tx:
            if not await boosts.withdraw(tx, me_id, post.id, clock.now()):
                raise NotFound(f"{persona} has not boosted {which}.")
        return post

    post = with_server(work)
    say({"uri": post.uri, "boosted": False}, f"Not boosted any more: {post.uri}", as_json=as_json)


COMMANDS = (like, unlike, boost, unboost, react, unreact)


def _react(which: str, emoji: str, persona: str, *, as_json: bool) -> None:
    async def work(server: Server) -> Post:
        me_id, post = await _found(server, persona, which)
        async with server.database.write() as tx:
            await reactions.react(tx, me_id, post.id, emoji, _fresh(server), clock.now())
        return post

    post = with_server(work)
    done: dict[str, Any] = {"uri": post.uri, "emoji": emoji, "there": True}
    say(done, f"{emoji or 'Liked'}: {post.uri}", as_json=as_json)


def _take_back(which: str, emoji: str, persona: str, *, as_json: bool) -> None:
    async def work(server: Server) -> Post:
        me_id, post = await _known(server, persona, which)
        async with server.database.write() as tx:
            if not await reactions.withdraw(tx, me_id, post.id, emoji, clock.now()):
                raise NotFound(f"{persona} has not {f'reacted with {emoji} to' if emoji else 'liked'} {which}.")
        return post

    post = with_server(work)
    done: dict[str, Any] = {"uri": post.uri, "emoji": emoji, "there": False}
    say(done, f"{emoji or 'Like'} taken back: {post.uri}", as_json=as_json)


async def _found(server: Server, persona: str, which: str) -> tuple[int, Post]:
    async with server.database.read() as tx:
        me = await persona_named(tx, persona)
    return me.id, await seen_post(server, me.id, which)


async def _known(server: Server, persona: str, which: str) -> tuple[int, Post]:
    async with server.database.read() as tx:
        me = await persona_named(tx, persona)
    return me.id, await known_post(server, which)


def _fresh(server: Server) -> str:
    return Addresses(server.base_url).activity(identifiers.token())
