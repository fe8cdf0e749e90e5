"""Documents that are too large to be written down: told in words, and built here."""

import json
import re
import time
from pathlib import Path
from typing import Any

from cases.play import Play, Reply
from cases.setup import follows
from cases.words import Words
from fakes.world import PUBLIC

BUILD = Words("build")


async def build(play: Play, text: str) -> None:
    """Build it and bring it to alice's inbox, from carol whom she follows; what it costs is noted."""
    await follows(play, "alice", "carol")
    play.forget_what_was_received()
    play.before = await play.on.state()
    for _, meaning in BUILD.read(text):
        await meaning(play)


async def bring(play: Play, built: dict[str, Any] | bytes) -> None:
    carol = play.on.named("carol")
    document = (
        {"@context": "https://www.w3.org/ns/activitystreams", "actor": carol.uri, **built}
        if isinstance(built, dict)
        else built
    )
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    before = memory("VmRSS", begin=True)
    began = time.process_time()
    answer = await play.world.post(play.on.alice.inbox, body, by=carol)
    play.notes["seconds"] = time.process_time() - began
    await play.drain()
    play.notes["grown"] = memory("VmHWM") - before
    play.replies.append(Reply(0, answer.status, answer.body, answer.headers))


def memory(line: str, *, begin: bool = False) -> int:
    """Bytes that the process holds, or has held at most since a `begin`, by Linux; 0 elsewhere."""
    folder = Path("/proc/self")
    try:
        if begin:
            (folder / "clear_refs").write_text("5")
        found = re.search(rf"{line}:\s+(\d+) kB", (folder / "status").read_text())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def a_note(play: Play, **changes: Any) -> dict[str, Any]:
    uri = play.on.named("carol").uri
    written = {"type": "Note", "id": "https://peer.test/n/big", "attributedTo": uri, "content": "<p>hi</p>"}
    return {"type": "Create", "id": "https://peer.test/a/big", "object": {**written, "to": [PUBLIC], **changes}}


async def update(play: Play, **changes: Any) -> None:
    document = {**play.on.named("carol").document(), **changes}
    await bring(play, {"type": "Update", "id": "https://peer.test/up/1", "object": document})


@BUILD.on(r"Update of carol with (\w+) = '(.)' \* ([\d_]+)")
async def long_text(play: Play, field: str, letter: str, count: str) -> None:
    await update(play, **{field: letter * int(count)})


@BUILD.on(r"Update of carol with ([\d_]+) PropertyValue attachments")
async def many_fields(play: Play, count: str) -> None:
    rows = [{"type": "PropertyValue", "name": f"n{n}", "value": "v"} for n in range(int(count))]
    await update(play, attachment=rows)


@BUILD.on(r"Create of a Question with ([\d_]+) (oneOf|anyOf) options")
async def many_options(play: Play, count: str, which: str) -> None:
    options = [{"type": "Note", "name": f"{n}"} for n in range(int(count))]
    await bring(play, a_note(play, type="Question", **{which: options}))


@BUILD.on(r"Create of a Note with ([\d_]+) (Mention|Hashtag) tags")
async def many_tags(play: Play, count: str, kind: str) -> None:
    tags = [{"type": kind, "href": f"https://other.test/u/{n}", "name": f"@{n}"} for n in range(int(count))]
    await bring(play, a_note(play, tag=tags))


@BUILD.on(r"Note with one Image whose name has ([\d_]+) characters")
async def long_alt(play: Play, count: str) -> None:
    image = {"type": "Image", "url": "https://peer.test/m/1.png", "name": "x" * int(count)}
    await bring(play, a_note(play, attachment=image))


@BUILD.on(r"object nested ([\d_]+) levels.*")
async def deep(play: Play, count: str) -> None:
    await bring(play, b'{"type":"Note","replies":' * int(count) + b"1" + b"}" * int(count))


@BUILD.on(r"Question with votersCount = (\S+) and endTime = '(.*)'")
async def odd_numbers(play: Play, voters: str, end: str) -> None:
    carol = play.on.named("carol").uri
    document = {**a_note(play, type="Question", endTime=end, votersCount="VOTERS"), "actor": carol}
    await bring(play, json.dumps(document).replace('"VOTERS"', voters).encode())


@BUILD.on(r"valid Create padded to ([\d_]+) MB")
async def padded(play: Play, megabytes: str) -> None:
    await bring(play, a_note(play, content="x" * (int(megabytes) * 1_000_000)))
