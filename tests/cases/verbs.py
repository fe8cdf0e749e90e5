"""What people here do, as the cases call it: `clients` does what a case asks of the client API by name."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from cases import clients
from cases.clients import File
from cases.play import Reply
from fakes.keys import new_rsa
from fakes.world import World
from privapub import clock, identifiers, scope
from privapub.actors import keys
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.composing import compose
from privapub.composing import report as reporting
from privapub.composing.find import find
from privapub.composing.learn import seen_post
from privapub.emojis import take_in
from privapub.emojis.keep import Emoji
from privapub.errors import NotFound, PrivaPubError
from privapub.follows import blocking
from privapub.follows import follow as follows
from privapub.follows import read as follows_read
from privapub.markup.reactions import LIKE
from privapub.media import read as media
from privapub.media.accept import accept
from privapub.media.read import FAILED, Medium, Use
from privapub.personas import rotate as rotating
from privapub.posts import boost as boosting
from privapub.posts import boost_read, polls, quotes, react, reaction_read
from privapub.posts import delete as deleting
from privapub.posts import pin as pins
from privapub.posts.read import Post, by_uri
from privapub.posts.tables import post as posts

FORMATS = ("plain", "markdown")  # in which a text may be typed
PIECE = 64 * 1024  # bytes of an upload that come at once


# What people here do


async def post(
    world: World, by: Actor, text: str, audience: str = "public", typed: str = "plain", files: Sequence[int] = ()
) -> Post:
    """Somebody here writes a post, in one of the FORMATS, with these uploads."""
    how = "markdown" if typed == "markdown" else "plain"
    return await compose.write_post(world.server, by.id, text, audience, text_format=how, media=files)


async def quote(world: World, by: Actor, uri: str) -> Post:
    """Somebody here quotes a post from elsewhere, whose author lets them: its page shows both."""
    quoted = await seen_post(world.server, by.id, uri)
    written = await compose.write_post(world.server, by.id, "see there", "public", quote=uri)
    async with world.database.write() as tx:
        assert await quotes.accepted(tx, written.id, quoted.author_id, f"{uri}/stamp", clock.now())
    return await _known(world, written.uri)


@dataclass(frozen=True)
class Upload:
    """What came of one: its status when it was ready, its row, unless it was refused at once, and the answer."""

    status: int
    medium: Medium | None = None
    why: str = ""
    reply: Reply | None = None


async def upload(world: World, by: Actor, file: File) -> Upload:
    """Somebody here uploads a file for a post, which waits to be processed; see `processed`."""
    reply = await clients.ask(world, by, "POST", "/api/v2/media", files={"file": file})
    if reply.status != 202:
        return Upload(reply.status, None, reply.body, reply)
    return Upload(202, await _medium(world, int(reply.json["id"])), "", reply)


async def wear(world: World, by: Actor, data: bytes, use: Use) -> Upload:
    """Somebody here is to be shown with this file, which waits to be processed."""

    async def pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(data), PIECE):
            yield data[at : at + PIECE]

    try:
        number = await accept(world.server, by.id, pieces(), use=use)
    except PrivaPubError as error:
        return Upload(422, why=str(error))
    return Upload(202, await _medium(world, number))


async def processed(world: World, by: Actor, one: Upload) -> Upload:
    """The same upload when its job has run; of one for a post as its program is told."""
    if one.medium is None:
        return one
    await world.drain()
    found = await _medium(world, one.medium.id)
    if found.use != "post":
        return Upload(422 if found.state == FAILED else 200, found, found.why)
    reply = await clients.ask(world, by, "GET", f"/api/v1/media/{found.id}")
    assert (reply.status == 422) is (found.state == FAILED), reply
    return Upload(reply.status, found, found.why, reply)


async def _medium(world: World, number: int) -> Medium:
    async with world.database.read() as tx:
        found = await media.by_id(tx, number)
    assert found is not None
    return found


async def add_emoji(world: World, shortcode: str, picture: bytes) -> Emoji:
    """The operator adds a custom emoji."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture"
        file.write_bytes(picture)
        return await take_in.take_in(world.server, shortcode, file)


async def edit(world: World, by: Actor, uri: str, text: str) -> None:
    await compose.edit_post(world.server, by.id, (await _known(world, uri)).id, text)


async def delete(world: World, by: Actor, uri: str) -> None:
    found = await _known(world, uri)
    async with world.database.write() as tx:
        await deleting.delete(tx, found.id, by.id, clock.now())


async def follow(world: World, by: Actor, whom: Actor) -> str:
    """The id of the Follow."""
    return await world.follow(by, whom)


async def unfollow(world: World, by: Actor, whom: Actor) -> None:
    async with world.database.write() as tx:
        await follows.withdraw(tx, by.id, whom.id, clock.now())


async def like(world: World, by: Actor, uri: str) -> None:
    post = await seen_post(world.server, by.id, uri)
    async with world.database.write() as tx:
        await react.react(tx, by.id, post.id, LIKE, fresh(world), clock.now())


async def boost(world: World, by: Actor, uri: str) -> None:
    post = await seen_post(world.server, by.id, uri)
    async with world.database.write() as tx:
        await boosting.boost(tx, by.id, post.id, fresh(world), clock.now())


def fresh(world: World) -> str:
    """An id for an activity."""
    return Addresses(world.server.base_url).activity(identifiers.token())


async def vote(world: World, by: Actor, uri: str, choices: list[int]) -> None:
    post = await seen_post(world.server, by.id, uri)
    async with world.database.write() as tx:
        await polls.cast(tx, post.id, by.id, choices, clock.now())


async def pin(world: World, by: Actor, uri: str) -> None:
    found = await _known(world, uri)
    async with world.database.write() as tx:
        await pins.pin(tx, found.id, by.id, clock.now())


async def block(world: World, by: Actor, whom: Actor) -> None:
    uri = Addresses(world.server.base_url).activity(identifiers.token())
    async with world.database.write() as tx:
        await blocking.block(tx, by.id, whom.id, uri, clock.now())


async def report(world: World, by: Actor, whom: Actor, uris: list[str]) -> None:
    await reporting.report(world.server, by.id, whom, uris)


async def rotate_keys(world: World, by: Actor) -> None:
    pair = await asyncio.to_thread(lambda: keys.PrivateKeys(new_rsa(), keys.make().ed25519))
    async with world.database.write() as tx:
        await rotating.rotate_keys(tx, by.id, pair, clock.now())


async def search(world: World, what: str) -> Actor | Post:
    """Somebody, or a post, by address or uri, fetched where it is not known. Raises PrivaPubError."""
    with scope.trigger("inbox"):
        return await find(world.server, what)


# What the server holds


async def _known(world: World, uri: str) -> Post:
    async with world.database.read() as tx:
        found = await by_uri(tx, uri)
    if found is None:
        raise NotFound
    return found


async def follow_state(world: World, follower: Actor, followed: Actor) -> str | None:
    """`accepted`, `pending`, `rejected`, or None where there is nothing."""
    async with world.database.read() as tx:
        found = await follows_read.between(tx, follower.id, followed.id)
    return None if found is None else found.state


async def newest(world: World, by: Actor, count: int = 1) -> list[Post]:
    """The last posts of somebody, the newest first."""
    async with world.database.read() as tx:
        rows = await tx.all(select(posts.c.uri).where(posts.c.author_id == by.id).order_by(posts.c.id.desc()))
        return [each for row in rows[:count] if (each := await by_uri(tx, row.uri))]


async def likes(world: World, uri: str) -> list[str]:
    """The uris of those who like a post."""
    post = await _known(world, uri)
    async with world.database.read() as tx:
        who = {each.actor_id for each in await reaction_read.of_post(tx, post.id, emoji=LIKE, limit=1000)}
        return [actor.uri for actor in (await actors.by_ids(tx, who)).values()]


async def boosts(world: World, uri: str) -> list[str]:
    """The uris of those who boosted a post."""
    post = await _known(world, uri)
    async with world.database.read() as tx:
        who = {each.actor_id for each in await boost_read.of_post(tx, post.id, limit=1000)}
        return [actor.uri for actor in (await actors.by_ids(tx, who)).values()]


async def poll(world: World, uri: str) -> dict[str, Any]:
    """Counts by option, and how many voted."""
    found = (await _known(world, uri)).poll
    if found is None:
        raise NotFound
    return {**{option.name: option.votes for option in found.options}, "voters": found.voters}
