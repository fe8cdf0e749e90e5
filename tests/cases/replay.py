"""Reads the shared cases and plays their steps against a World."""

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import MetaData, select

from fakes import keys
from fakes.world import Answered, Person, World, rsa
from makers import make_post
from privapub import clock
from privapub.actors.read import Actor
from shared import shared

NOT_STATE = frozenset({"incoming", "job", "lane", "fetch", "reader_fetch", "arrival", "undone", "host_scheme"})


def case(name: str) -> dict[str, Any]:
    """A case by its id, such as `inbox/01-refollow-same-id`; skips where the cases are not at hand."""
    found: dict[str, Any] = json.loads(shared(f"cases/{name}.json").read_text(encoding="utf-8"))
    return found


@dataclass
class Stage:
    """The people of the cases and what the placeholders stand for."""

    world: World
    alice: Actor
    people: dict[str, Person]
    placeholders: dict[str, str] = field(default_factory=dict)

    def fill(self, value: Any) -> Any:
        """The value with every placeholder filled."""
        text = value if isinstance(value, str) else json.dumps(value)
        for name, said in self.placeholders.items():
            text = text.replace("{" + name + "}", said if isinstance(value, str) else json.dumps(said)[1:-1])
        return text if isinstance(value, str) else json.loads(text)

    async def play(self, steps: list[dict[str, Any]], *, drain: bool = True) -> list[Answered]:
        """Every step in its order; what the inbox answered to each POST. With `drain` all is handled after each."""
        answers = []
        for step in steps:
            match step["op"]:
                case "post_inbox":
                    answers.append(await self.post(step))
                    if drain:
                        await self.world.drain()
                case "drain":
                    await self.world.drain()
                case "advance":
                    clock.advance(step["seconds"])
                case "repeat":
                    for number in range(1, step["n"] + 1):
                        one = json.loads(json.dumps(step["step"]).replace("{i}", str(number)))
                        answers += await self.play([one], drain=drain)
                case other:
                    raise ValueError(f"unknown step {other!r}")
        return answers

    async def post(self, step: dict[str, Any]) -> Answered:
        by = self.someone(step["signed_by"])
        body = self.fill(step["raw"]).encode() if "raw" in step else self.fill(step["json"])
        return await self.world.post(self.fill(step["to"]), body, by=by)

    def someone(self, uri: str) -> Person:
        """Whoever signs: served if they are one of the cases' people, else only a key that nobody can fetch."""
        return self.people.get(uri) or Person(uri, uri.rpartition("/")[2], key_name="nobody")

    async def make_note(self) -> None:
        """Alice's own note, `{alice.note1}`."""
        async with self.world.database.write() as tx:
            self.placeholders["alice.note1"] = (await make_post(tx, self.alice.id)).uri

    async def state(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that is stored but telemetry and the queue."""
        tables = MetaData()
        async with self.world.database.read() as tx:
            await tx.connection.run_sync(tables.reflect)
            return {
                name: sorted((tuple(row) for row in await tx.all(select(table))), key=repr)
                for name, table in tables.tables.items()
                if name not in NOT_STATE
            }


async def stage(world: World) -> Stage:
    """Alice and bob here, carol, mallory, erin and ex at peer.test, dave at other.test."""
    alice, bob = await world.persona("alice"), await world.persona("bob")
    uris = [f"https://peer.test/u/{name}" for name in ("carol", "mallory", "erin", "ex")] + [
        "https://other.test/u/dave"
    ]
    people = {uri: world.person(uri) for uri in uris}
    placeholders = {
        "sut.shared_inbox": "https://sut.test/inbox",
        "now": clock.iso(clock.now()),
    }
    for handle, actor in (("alice", alice), ("bob", bob)):
        placeholders |= {f"{handle}.id": actor.uri, f"{handle}.inbox": actor.inbox}
        placeholders[f"{handle}.inbox.path"] = actor.inbox.removeprefix("https://sut.test")
        placeholders[f"{handle}.followers"] = actor.followers or ""
    for name in ("gts", "k1", "k2"):
        placeholders[f"{name}.pem"] = keys.public_pem(rsa(name))
    for uri, person in people.items():
        placeholders[f"{uri.rpartition('/')[2]}.pem"] = person.pem
    return Stage(world, alice, people, placeholders)


def exact(text: str) -> bytes:
    """The bytes of a `*_b64` member."""
    return base64.b64decode(text)


def allowed(status: int, said: str | int) -> bool:
    """Whether a status is one that a case allows: `2xx`, `401`, `2xx-or-401`."""
    return any(f"{status}" == each or (each == "2xx" and 200 <= status < 300) for each in str(said).split("-or-"))
