"""Activities as peers send them, and what the server then holds."""

from typing import Any

from sqlalchemy import select

from fakes.world import CONTEXT, PUBLIC, Person, World
from privapub.actors.read import Actor
from privapub.federation.inbox.tables import incoming
from privapub.follows import read as follows
from privapub.posts import read as posts
from privapub.posts.read import Post


def follow_of(carol: Person, followed: Actor, uri: str = "https://peer.test/follow/77") -> dict[str, Any]:
    return {"@context": CONTEXT, "type": "Follow", "id": uri, "actor": carol.uri, "object": followed.uri}


def of(kind: str, carol: Person, what: object, uri: str) -> dict[str, Any]:
    return {"@context": CONTEXT, "type": kind, "id": uri, "actor": carol.uri, "object": what}


def asked(ours: Actor, theirs: Person, uri: str) -> dict[str, Any]:
    """Our Follow, as it is embedded in an answer to it."""
    return {"type": "Follow", "id": uri, "actor": ours.uri, "object": theirs.uri}


def note(carol: Person, uri: str = "https://peer.test/n/1", **changes: Any) -> dict[str, Any]:
    return {
        "type": "Note",
        "id": uri,
        "attributedTo": carol.uri,
        "content": "<p>hi</p>",
        "to": [PUBLIC],
        "published": "2026-03-01T10:00:00Z",
        **changes,
    }


def create(carol: Person, post: dict[str, Any] | str, uri: str = "https://peer.test/a/1") -> dict[str, Any]:
    addressed = {name: post[name] for name in ("to", "cc") if name in post} if isinstance(post, dict) else {}
    return {**of("Create", carol, post, uri), **addressed}


async def state(world: World, follower: Actor | None, followed: Actor | None) -> str | None:
    assert follower is not None
    assert followed is not None
    async with world.database.read() as tx:
        found = await follows.between(tx, follower.id, followed.id)
    return None if found is None else found.state


async def post_at(world: World, uri: str) -> Post | None:
    """What is held of this post, unless it is deleted."""
    async with world.database.read() as tx:
        found = await posts.by_uri(tx, uri)
    return None if found is None or found.deleted_at is not None else found


async def kept_out(world: World) -> list[str | None]:
    """Why each activity that was handled was kept out, None for those taken in, in the order they came."""
    async with world.database.read() as tx:
        rows = await tx.all(select(incoming).order_by(incoming.c.received_at, incoming.c.id))
    assert all(row.handled_at is not None for row in rows)
    return [row.kept_out for row in rows]


async def rows(world: World) -> int:
    async with world.database.read() as tx:
        return len(await tx.all(select(incoming.c.id)))
