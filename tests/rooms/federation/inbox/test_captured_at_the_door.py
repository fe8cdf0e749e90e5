"""Requests as real servers sent them, sent again over the wire: each is answered, and after any change refused."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from fakes.captured import CAPTURED, as_request, captured, changes, with_field, without
from fakes.certificates import Authority
from fakes.world import Person, World
from privapub import clock
from privapub.database.connect import Database
from privapub.federation.served.asking import wants_document
from privapub.federation.signatures.keys import PrivateKey
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign
from shared import shared

COVERED = re.compile('headers="([^"]*)"')
KEY_ID = re.compile('keyId="([^"]*)"')
MANY = 1_000_000
# Of nobody who has the key, or of nobody who may be heard; but never because there were too many.
REFUSED = {400, 401, 404, 405, 413, 415}


@pytest.fixture
async def strict(database: Database, authority: Authority) -> AsyncIterator[World]:
    """In secure mode, so that a reader's signature is looked at too; and patient."""
    limits = {"inbox_per_address": MANY, "inbox_claims_per_host": MANY, "inbox_per_host": MANY}
    async with World(database, authority, secure_mode=True, **limits) as opened:
        yield opened


def signer(key_id: str) -> Person:
    """Whose key it is: most name it by a fragment, one by a path below the actor."""
    owner = key_id.partition("#")[0].removesuffix("/main-key")
    return Person(owner, "somebody", fragment=key_id.removeprefix(owner))


def addressed(row: dict[str, Any], alice: str) -> HttpRequest:
    """The same request for alice or her shared inbox."""
    request = without(as_request(row), "signature")
    inbox = "https://sut.test/inbox" if "shared" in request.url else f"{alice}/inbox"
    headers = tuple((name, "sut.test" if name == "Host" else value) for name, value in request.headers)
    return replace(request, url=inbox if request.method == "POST" else alice, headers=headers)


async def status(world: World, request: HttpRequest) -> int:
    """Send it as it is, letter by letter; 0 where the connection is ended without an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    try:
        path = request.url.removeprefix("https://sut.test")
        lines = [f"{request.method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers)]
        writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + request.body)
        async with asyncio.timeout(20):
            line = await reader.readline()
        return int(line.split(b" ")[1]) if line else 0
    finally:
        writer.close()


async def test_what_was_captured_is_taken_as_it_was_signed_and_after_no_change(strict: World) -> None:
    shared(CAPTURED)
    alice = await strict.persona()
    rows = [row for row in captured() if row["sig"] and (row["body"] or wants_document(row["accept"]))]
    people = {key_id: signer(key_id) for row in rows for key_id in KEY_ID.findall(row["sig"])}
    for host in {person.host for person in people.values()}:
        await strict.site(host)
    for person in people.values():
        strict.serve_person(person)
        strict.serve(person.key_id, person.document())
    tried = set()
    for row in rows:
        clock.reset()
        clock.advance(datetime.fromisoformat(row["t"]).timestamp() - clock.now())
        (key_id,), (covered,) = KEY_ID.findall(row["sig"]), COVERED.findall(row["sig"])
        request, names = addressed(row, alice.uri), tuple(covered.split(" "))
        key = PrivateKey.from_pem(key_id, people[key_id].private)
        signed = replace(request, headers=(*request.headers, *sign(request, key, "cavage", clock.now(), covered=names)))
        kind = (key_id, request.method, names)
        for changed in [] if kind in tried else on_the_wire(changes(signed, names), signed):
            assert await status(strict, changed) in REFUSED, (row["req"], changed)
        tried.add(kind)
        assert await status(strict, signed) == (202 if request.method == "POST" else 200), (row["req"], row["ua"])
    assert len(rows) > 70
    assert len(tried) > 8


def on_the_wire(made: list[HttpRequest], signed: HttpRequest) -> Iterator[HttpRequest]:
    """Those that can be told from the request: what is more than the length says is not read, nor a reader's body."""
    for changed in made:
        if changed.body == signed.body:
            yield changed
        elif changed.method == "POST":
            yield with_field(changed, "content-length", str(len(changed.body)))
