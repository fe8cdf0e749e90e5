"""Small worlds for the tests: personas, remote actors, follows and posts on the server under test, `sut.test`."""

import json
from collections.abc import Collection
from functools import cache
from typing import Any

from sqlalchemy import text as sql

from privapub import clock, identifiers
from privapub.actors import keys
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.actors.remote import LearntKey, Profile, learn
from privapub.database.page import Window
from privapub.database.transaction import Transaction
from privapub.follows import follow as follows
from privapub.media import names
from privapub.media.read import READY
from privapub.media.tables import medium
from privapub.personas import create
from privapub.personas import read as personas
from privapub.personas.read import Persona
from privapub.posts import read as posts
from privapub.posts.publish import publish
from privapub.posts.read import Post
from privapub.posts.receive import ReceivedPost, receive
from privapub.timelines.home import home

DOMAIN = "sut.test"
ADDRESSES = Addresses(f"https://{DOMAIN}")


@cache
def private_keys() -> keys.PrivateKeys:
    """One pair for all actors of a run, for tests that do not care: making one takes long."""
    return keys.make()


async def make_persona(
    tx: Transaction,
    handle: str = "alice",
    locked: bool = False,
    *,
    addresses: Addresses = ADDRESSES,
    domain: str = DOMAIN,
) -> Persona:
    """A persona of the server under test."""
    persona_id = await create.create(
        tx, handle, private_keys(), addresses=addresses, domain=domain, locked=locked, now=clock.now()
    )
    persona = await personas.by_id(tx, persona_id)
    assert persona is not None
    return persona


def profile(address: str = "carol@peer.test", **changes: object) -> Profile:
    """What the host of `address` says of that actor: `https://peer.test/u/carol` and a key."""
    handle, host = address.split("@")
    uri = f"https://{host}/u/{handle}"
    values: dict[str, object] = {
        "uri": uri,
        "kind": "Person",
        "handle": handle,
        "host": host,
        "name": handle.title(),
        "inbox": f"{uri}/inbox",
        "shared_inbox": f"https://{host}/inbox",
        "outbox": f"{uri}/outbox",
        "followers": f"{uri}/followers",
        "following": f"{uri}/following",
        "keys": (LearntKey(f"{uri}#main-key", "rsa", keys.public_rsa(private_keys().rsa)),),
    }
    return Profile(**(values | changes))  # type: ignore[arg-type]  # the values are of many types


async def make_remote(tx: Transaction, address: str = "carol@peer.test", **changes: object) -> Actor:
    """A remote actor, as if just fetched; `changes` are fields of its Profile."""
    actor = await actors.by_id(tx, await learn(tx, profile(address, **changes), clock.now()))
    assert actor is not None
    return actor


async def make_follow(tx: Transaction, follower_id: int, followed_id: int, state: str = "accepted") -> int:
    """A follow in this state, whoever of the two is ours; returns its number. Facts are put as in real life."""
    now = clock.now()
    followed = await actors.by_id(tx, followed_id)
    assert followed is not None
    uri = f"https://{DOMAIN}/activities/{identifiers.token()}"
    verb = follows.receive if followed.local else follows.ask
    await verb(tx, follower_id, followed_id, uri, now)
    standing = await follows.read.between(tx, follower_id, followed_id)
    assert standing is not None
    if state != standing.state:
        settle = {"accepted": follows.accepted, "rejected": follows.rejected}[state]
        await settle(tx, follower_id, followed_id, now)
    return standing.id


async def make_post(
    tx: Transaction, author_id: int, audience: str = "public", text: str = "Hello", named: Collection[int] = ()
) -> Post:
    """A post by a persona (published) or by a remote actor (received); `named` are numbers of actors."""
    author = await actors.by_id(tx, author_id)
    assert author is not None
    now = clock.now()
    if author.local:
        post_id: int | None = await publish(
            tx,
            author_id=author_id,
            audience=audience,
            source=text,
            content_html=f"<p>{text}</p>",
            mentions=named,
            addresses=ADDRESSES,
            now=now,
        )
    else:
        record = ReceivedPost(
            uri=f"https://{author.host}/n/{identifiers.token()}", content=f"<p>{text}</p>", published_at=now
        )
        post_id = await receive(tx, record, author_id, audience, named, now)
    assert post_id is not None
    post = await posts.by_id(tx, post_id)
    assert post is not None
    return post


async def make_medium(tx: Transaction, actor_id: int, **changes: Any) -> int:
    """The number of a picture that a persona uploaded, ready to be attached."""
    now = clock.now()
    files = [
        {"role": role, "name": names.new("image/webp"), "media_type": "image/webp", "width": side, "height": side}
        | {"bytes": 500}
        for role, side in (("original", 1000), ("small", 400))
    ]
    values = {
        "id": identifiers.sortable(now), "actor_id": actor_id, "use": "post", "state": READY, "kind": "image",
        "alt": "a cat", "focal_x": -0.5, "focal_y": 1.0, "blurhash": "UBL", "colour": "#102030", "width": 1000,
        "height": 1000, "files": files, "bytes": 1000, "created_at": now,
    }  # fmt: skip
    await tx.execute(medium.insert().values(**values | changes))
    return int((values | changes)["id"])


async def facts(tx: Transaction, kind: str = "") -> list[dict[str, Any]]:
    """The arguments of the facts that were put so far, of this kind (`post_published`, …) or of all, oldest first."""
    rows = await tx.all(sql("SELECT kind, args FROM job ORDER BY id"))
    return [json.loads(row.args) for row in rows if kind in ("", row.kind)]


async def at_home(tx: Transaction, persona_id: int, limit: int = 20) -> list[Post]:
    """The posts of a persona's home timeline, newest first."""
    return [entry.post for entry in (await home(tx, persona_id, Window(limit=limit), clock.now())).items]
