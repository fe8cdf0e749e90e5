"""The world of a case before it begins: its people, what the placeholders stand for, and what is stored."""

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from cases.words import Unknown
from fakes import keys
from fakes.world import Answered, Person, World, rsa
from makers import make_post, private_keys
from privapub import clock
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.database.tables import metadata
from privapub.personas import create
from privapub.personas import read as personas

NOT_STATE = frozenset({
    "incoming", "job", "lane", "fetch", "reader_fetch", "arrival", "undone", "host_scheme",
    "application", "token",  # by which the cases ask
})  # fmt: skip
PLACEHOLDER = re.compile(r"\{[a-z][a-z0-9_.+]*\}")
THEIRS = ("carol", "mallory", "erin", "ex")


@dataclass
class Stage:
    """The people of the cases and what the placeholders stand for."""

    world: World
    alice: Actor
    people: dict[str, Person]
    ours: dict[str, Actor]
    placeholders: dict[str, str] = field(default_factory=dict)

    def fill(self, value: Any) -> Any:
        """The value with every placeholder filled. Raises Unknown for one that nobody knows."""
        text = value if isinstance(value, str) else json.dumps(value)
        for name, said in self.placeholders.items():
            text = text.replace("{" + name + "}", said if isinstance(value, str) else json.dumps(said)[1:-1])
        if left := PLACEHOLDER.search(text):
            raise Unknown("placeholder", left[0])
        return text if isinstance(value, str) else json.loads(text)

    def someone(self, uri: str) -> Person:
        """Whoever signs: served if they are one of the cases' people, else only a key that nobody can fetch."""
        return self.people.get(uri) or Person(uri, uri.rpartition("/")[2], key_name="nobody")

    def named(self, name: str) -> Person:
        """One of the people elsewhere, by name: `carol`, or `mallory@peer.test`."""
        handle = name.partition("@")[0]
        for person in self.people.values():
            if person.handle == handle:
                return person
        raise Unknown("person", name)

    async def post(self, step: dict[str, Any]) -> Answered:
        """POST the `json` or the `raw` bytes of a step, signed by whom it names."""
        by = self.someone(step["signed_by"])
        body = self.fill(step["raw"]).encode() if "raw" in step else self.fill(step["json"])
        return await self.world.post(self.fill(step["to"]), body, by=by)

    async def make_persona(self, handle: str) -> Actor:
        """One of ours; the placeholders know it."""
        server = self.world.server
        async with self.world.database.write() as tx:
            number = await create.create(
                tx,
                handle,
                private_keys(),
                addresses=Addresses(server.base_url),
                domain=server.domain,
                now=clock.now(),
            )
            persona = await personas.by_id(tx, number)
        assert persona is not None
        actor = self.ours[handle] = persona.actor
        self.placeholders |= {
            handle: str(actor.id),  # as programs call them
            f"{handle}.id": actor.uri,
            f"{handle}.inbox": actor.inbox,
            f"{handle}.inbox.path": actor.inbox.removeprefix(server.base_url),
            f"{handle}.outbox": actor.outbox or "",
            f"{handle}.followers": actor.followers or "",
            f"{handle}.profile_url": actor.url or "",
        }
        return actor

    async def make_note(self) -> None:
        """Alice's own note, `{alice.note1}`."""
        async with self.world.database.write() as tx:
            self.placeholders["alice.note1"] = (await make_post(tx, self.alice.id)).uri

    async def state(self, *only: str) -> dict[str, list[tuple[Any, ...]]]:
        """All that is stored but telemetry and the queue; with names of tables, what they hold."""
        async with self.world.database.read() as tx:
            return {
                name: sorted((tuple(row) for row in await tx.all(select(table))), key=repr)
                for name, table in metadata.tables.items()
                if (name in only if only else name not in NOT_STATE)
            }


async def stage(world: World) -> Stage:
    """Alice and bob here, carol, mallory, erin and ex at peer.test, dave at other.test."""
    base = world.server.base_url
    uris = [f"https://peer.test/u/{name}" for name in THEIRS] + ["https://other.test/u/dave"]
    people = {uri: world.person(uri, changes=shared_inbox(uri)) for uri in uris}
    placeholders = {"sut.shared_inbox": f"{base}/inbox", "sut.origin": base, "now": clock.iso(clock.now())}
    for name in ("gts", "k1", "k2"):
        placeholders[f"{name}.pem"] = keys.public_pem(rsa(name))
    for uri, person in people.items():
        name = uri.rpartition("/")[2]
        placeholders |= {f"{name}.pem": person.pem, f"{name}.id": uri}
    on = Stage(world, None, people, {}, placeholders)  # type: ignore[arg-type]  # she is made in the next line
    on.alice = await on.make_persona("alice")
    await on.make_persona("bob")
    return on


def shared_inbox(uri: str) -> dict[str, Any]:
    """What a document says of the shared inbox of its host."""
    host = uri.split("/")[2]
    return {"endpoints": {"sharedInbox": f"https://{host}/inbox"}}


def exact(text: str) -> bytes:
    """The bytes of a `*_b64` member."""
    return base64.b64decode(text)


def allowed(status: int, said: str | int) -> bool:
    """Whether a status is one that a case allows: `2xx`, `401`, `2xx-or-401`."""
    choices = str(said).split("-or-")
    return any(f"{status}" == each or (each[1:] == "xx" and each[0] == f"{status}"[0]) for each in choices)
