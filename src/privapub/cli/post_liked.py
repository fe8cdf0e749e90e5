"""`privapub post like|unlike|boost|unboost|react|unreact`: what a persona does with posts, here and elsewhere."""

from typing import Annotated, Any

import typer

from privapub import clock, identifiers
from privapub.actors.addresses import Addresses
from privapub.cli.meant import acting, seen
from privapub.cli.opened import with_server
from privapub.cli.options import AnyPost, Json, Persona
from privapub.cli.output import say
from privapub.composing.learn import known_post
from privapub.errors import InvalidInput
from privapub.markup.reactions import LIKE
from privapub.posts import boost as boosts
from privapub.posts import boost_read
from privapub.posts import react as reactions
from privapub.posts.read import Post
from privapub.server import Server

Emoji = Annotated[
    str,
    typer.Argument(metavar="EMOJI", help="One emoji, or the `:name:` of one that somebody reacted with there."),
]


def like(which: AnyPost, *, persona: Persona, as_json: Json = False) -> None:
    """Like a post."""
    _react(which, LIKE, persona, as_json=as_json)


def unlike(which: AnyPost, *, persona: Persona, as_json: Json = False) -> None:
    """Take a like back."""
    _take_back(which, LIKE, persona, as_json=as_json)


def react(which: AnyPost, emoji: Emoji, *, persona: Persona, as_json: Json = False) -> None:
    """React to a post with an emoji."""
    _react(which, _some(emoji), persona, as_json=as_json)


def unreact(which: AnyPost, emoji: Emoji, *, persona: Persona, as_json: Json = False) -> None:
    """Take a reaction back."""
    _take_back(which, _some(emoji), persona, as_json=as_json)


def boost(
    which: AnyPost,
    *,
    persona: Persona,
    audience: Annotated[
        str | None,
        typer.Option(metavar="AUDIENCE", help=f"Who is shown it: {', '.join(boosts.CHOICES)}. Absent: as of the post."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Pass a post on to the persona's followers."""

    async def work(server: Server) -> tuple[Post, bool]:
        me, post = await seen(server, persona, which)
        async with server.database.write() as tx:
            stands = await boost_read.between(tx, me.id, post.id) is not None
            await boosts.boost(tx, me.id, post.id, _fresh(server), clock.now(), audience=audience)
        return post, not stands

    post, changed = with_server(work)
    said = f"Boosted: {post.uri}" if changed else f"Boosted already: {post.uri}"
    say({"uri": post.uri, "boosted": True, "changed": changed}, said, as_json=as_json)


def unboost(which: AnyPost, *, persona: Persona, as_json: Json = False) -> None:
    """Take a boost back."""

    async def work(server: Server) -> tuple[Post, bool]:
        me, post = (await acting(server, persona)), (await known_post(server, which))
        async with server.database.write() as tx:
            return post, await boosts.withdraw(tx, me.id, post.id, clock.now())

    post, changed = with_server(work)
    said = f"Not boosted any more: {post.uri}" if changed else f"It was not boosted: {post.uri}"
    say({"uri": post.uri, "boosted": False, "changed": changed}, said, as_json=as_json)


COMMANDS = (like, unlike, boost, unboost, react, unreact)


def _some(emoji: str) -> str:
    if not emoji.strip():
        raise InvalidInput("An emoji is missing.", "`privapub post like` likes a post without one.")
    return emoji


def _react(which: str, emoji: str, persona: str, *, as_json: bool) -> None:
    async def work(server: Server) -> tuple[Post, bool]:
        me, post = await seen(server, persona, which)
        async with server.database.write() as tx:
            return post, await reactions.react(tx, me.id, post.id, emoji, _fresh(server), clock.now())

    post, changed = with_server(work)
    done: dict[str, Any] = {"uri": post.uri, "emoji": emoji, "there": True, "changed": changed}
    what = f"Reacted with {emoji}" if emoji else "Liked"
    say(done, f"{what}{'' if changed else ' already'}: {post.uri}", as_json=as_json)


def _take_back(which: str, emoji: str, persona: str, *, as_json: bool) -> None:
    async def work(server: Server) -> tuple[Post, bool]:
        me, post = (await acting(server, persona)), (await known_post(server, which))
        async with server.database.write() as tx:
            return post, await reactions.withdraw(tx, me.id, post.id, emoji, clock.now())

    post, changed = with_server(work)
    done: dict[str, Any] = {"uri": post.uri, "emoji": emoji, "there": False, "changed": changed}
    if changed:
        said = f"{emoji or 'Like'} taken back: {post.uri}"
    else:
        said = f"{persona} had not {f'reacted with {emoji} to' if emoji else 'liked'} it: {post.uri}"
    say(done, said, as_json=as_json)


def _fresh(server: Server) -> str:
    return Addresses(server.base_url).activity(identifiers.token())
