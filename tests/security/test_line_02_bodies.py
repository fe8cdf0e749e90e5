"""Line 2, bodies: a deadline for the whole, a cap after unpacking, caps on what JSON holds.

Elsewhere: slow, endless, lying and packed answers (CVE-2023-36461), `rooms/outbound/test_bodies.py`; JSON,
`rooms/federation/documents/test_strict_json.py`; HTML that costs (CVE-2025-68475), `rooms/markup/test_clean.py` and
`rooms/federation/fetching`; tables of a profile and polls, the case `inbox/12-unbounded-properties`. Pixels, frames
and tools come with media (CVE-2023-36460).
"""

import gzip
import json
import time
import tracemalloc
from typing import Any

import pytest
from sqlalchemy import select

from fakes.activities import create, follow_of, note, rows
from fakes.world import CONTEXT, PUBLIC, World
from privapub import scope
from privapub.errors import PrivaPubError
from privapub.federation.documents import limits
from privapub.federation.fetching.actor import fetch_actor
from privapub.posts.tables import post, post_recipient, post_tag

CAROL = "https://peer.test/u/carol"
MANY = 5000


def nested(levels: int, begin: str, end: str) -> bytes:
    return f'{{"@context": "{CONTEXT}", "type": "Create", "object": {begin * levels}1{end * levels}}}'.encode()


# What a stranger may not make us read, whoever signs it.
REFUSED: dict[str, bytes] = {
    "objects in objects": nested(40, '{"object": ', "}"),
    "lists in lists": nested(100_000, "[", "]"),
    "objects without an end": b'{"a":' * 100_000,
    "a name twice": b'{"type": "Follow", "type": "Delete", "actor": "https://peer.test/u/carol"}',
    "no JSON": b"<html>" + b"a" * 1000,
    "no object": b"[1]",
    "endless": b"NaN",
    "another encoding": json.dumps({"type": "Follow"}).encode("utf-16"),
    "packed": gzip.compress(json.dumps({"type": "Follow", "actor": CAROL}).encode(), mtime=0),
    "a NUL in an id": b'{"@context": "https://www.w3.org/ns/activitystreams", "type": "Follow", "actor": "https://peer.test/u/c\\u0000"}',
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_read_safely_is_refused_before_any_key_is_asked_for(world: World, name: str) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    said = await world.post(alice.inbox, REFUSED[name], by=carol)
    assert said.status == 400
    assert (world.peer.received, await rows(world)) == ([], 0)


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "identity, gzip"])
async def test_a_packed_body_is_not_unpacked_at_the_door(world: World, encoding: str) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    body = gzip.compress(json.dumps(follow_of(carol, alice)).encode() + b" " * (1 << 24))
    tracemalloc.start()
    said = await world.post(alice.inbox, body, by=carol, headers=(("Content-Encoding", encoding),))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said.status in {400, 415}
    assert peak < 1 << 23
    assert await rows(world) == 0


@pytest.mark.parametrize("length", [(1 << 20) + 1, 20 << 20])
async def test_a_body_that_is_too_large_is_not_read(world: World, length: int) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    said = await world.send(
        alice.inbox, b"x" * length, (("Host", "sut.test"), ("Content-Type", "application/activity+json"))
    )
    assert said.status == 413
    assert (await rows(world), world.peer.received) == (0, [])
    del carol


def huge(alice_uri: str, carol: Any) -> dict[str, dict[str, Any]]:
    """Posts within the megabyte that say as much as they can of one thing."""
    to = [PUBLIC, alice_uri]
    return {
        "tags": {"tag": [{"type": "Hashtag", "name": f"#t{n}"} for n in range(MANY)]},
        "mentions": {"tag": [{"type": "Mention", "href": f"https://h{n}.test/u/x"} for n in range(MANY)]},
        "recipients": {"to": to + [f"https://h{n}.test/u/x" for n in range(MANY)]},
        "attachments": {"attachment": [{"type": "Image", "url": f"https://peer.test/{n}.png"} for n in range(MANY)]},
        "text": {"content": "a" * 900_000},
        "tags of HTML": {"content": "<b>" * 200_000},
        "open tags": {"content": "<" * 400_000},
        "entities": {"content": "&lt" * 200_000},
        "quotes": {"content": '<a "' + '"' * 400_000},
        "languages": {"contentMap": {f"x-{n}": "a" * 100 for n in range(MANY)}},
        "summary": {"summary": "<p>" + "b " * 300_000},
        "name": {"type": "Article", "name": "n" * 900_000},
        "authors": {"attributedTo": [carol.uri] + [f"https://peer.test/u/{n}" for n in range(MANY)]},
        "numbers": {"likes": {"type": "Collection", "totalItems": int("9" * 4000)}, "updated": "9" * 100_000},
        "numbers as text": {"shares": {"type": "Collection", "totalItems": "9" * 100_000}},
        "moments": {"published": "9999999999-01-01T00:00:00Z", "updated": "1" * 100_000 + "-01-01T00:00:00Z"},
        "durations": {"type": "Video", "duration": "PT" + "9" * 100_000 + "S"},
        "options": {"type": "Question", "oneOf": [{"name": f"o{n}"} for n in range(MANY)], "votersCount": 10**400},
        "an address": {"inReplyTo": "https://peer.test/" + "a" * 900_000},
        "types": {"type": ["Note", *(f"T{n}" for n in range(MANY))]},
        "contexts": {"@context": [CONTEXT, *({f"t{n}": f"as:t{n}"} for n in range(MANY))]},
    }


async def test_whatever_is_long_is_cut_or_refused(world: World) -> None:
    alice, carol = await world.persona(), world.person(CAROL)
    await world.learnt(carol)
    spent = {}
    for number, (name, changes) in enumerate(huge(alice.uri, carol).items()):
        uri = f"https://peer.test/n/{number}"
        written = {**note(carol, uri, to=[PUBLIC, alice.uri]), **changes}
        begun = time.process_time()
        said = await world.post(alice.inbox, create(carol, written, f"{uri}/told"), by=carol)
        await world.drain()
        spent[name] = time.process_time() - begun
        assert said.status in {202, 400, 401}, name
        async with world.database.read() as tx:
            row = await tx.first(select(post).where(post.c.uri == uri))
            named = await tx.all(select(post_recipient)) if row is not None else []
            tagged = await tx.all(select(post_tag).where(post_tag.c.post_id == row.id)) if row is not None else []
        if row is None:
            continue
        assert len(row.content) <= 6 * limits.MAX_TEXTS, name  # a sign that is spelled out takes some letters
        assert len(row.summary) <= limits.MAX_SUMMARY, name
        assert len(row.tags) <= limits.MAX_TAGS, name
        assert len(row.attachments) <= limits.MAX_ATTACHMENTS, name
        assert len(row.translations) <= limits.MAX_LANGUAGES, name
        assert len(tagged) <= limits.MAX_TAGS, name
        assert len(named) <= 1 + number, name  # alice alone, of each
        assert len(row.in_reply_to or "") <= limits.MAX_ID, name
    # Nobody was asked for because of a list, and nobody unknown was made known.
    assert [asked for asked in world.internet.names.asked if asked.startswith("h")] == []
    assert max(spent.values()) < 60, spent  # far from what a bad regular expression takes


@pytest.mark.parametrize("served", ["deep", "twice", "long"])
async def test_answers_are_read_as_strictly(world: World, served: str) -> None:
    carol = world.person(CAROL)
    body = json.dumps(carol.document()).encode()
    world.serve(
        CAROL,
        {
            "deep": body[:-1] + b', "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "twice": body[:-1] + b', "inbox": "https://other.test/inbox"}',
            "long": body[:-1] + b', "x": "' + b"a" * (1 << 20) + b'"}',
        }[served],
    )
    with scope.trigger("inbox"), pytest.raises(PrivaPubError):
        await fetch_actor(world.server, CAROL)
    assert await world.actor(CAROL) is None
