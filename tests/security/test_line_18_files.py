"""Line 18, files: no path from outside reaches the file system.

Elsewhere: backups that are restored, `rooms/backups/test_archive.py`. Archives of personas come later.
"""

import asyncio
import re
from pathlib import Path

import pytest
from sqlalchemy import select

import privapub
from fakes.activities import create, follow_of, note, of
from fakes.world import PUBLIC, World
from makers import make_persona
from privapub.actors.tables import actor
from privapub.errors import PrivaPubError

ESCAPES = (
    "../../../../../../etc/passwd", "..%2f..%2f..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd", "....//....//etc/passwd", "..\\..\\etc\\passwd", "..%5c..%5cetc%5cpasswd",
    "/etc/passwd", "//etc/passwd", "%00/etc/passwd", "privapub.css%00.png", "..;/etc/passwd", "file:///etc/passwd",
    "../assets.py", "../__init__.py", "%2e%2e%2fassets.py", "..", ".", "", "C:%5cWindows%5cwin.ini",
    "~root/.ssh/id_rsa",
)  # fmt: skip
DOORS = (
    "/static/", "/", "/posts/", "/@", "/tags/", "/actors/", "/activities/", "/stamps/", "/nodeinfo/", "/.well-known/",
    "/.well-known/webfinger?resource=",
)  # fmt: skip


def files_in(place: Path) -> set[Path]:
    """The files there and above that are not the database's own, and one that must not be."""
    found = {path for path in place.rglob("*") if "privapub.sqlite3" not in path.name}
    return found | {path for path in [Path("/tmp/owned")] if path.exists()}  # noqa: S108 - that it is not there


async def raw(world: World, target: str) -> bytes:
    """What comes back for these very letters on the request line."""
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
    line = target.encode("latin-1", "replace").replace(b" ", b"%20")
    writer.write(b"GET " + line + b" HTTP/1.1\r\nHost: sut.test\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    finally:
        writer.close()


async def test_no_address_leads_out_of_what_is_served(world: World) -> None:
    alice = await world.persona()
    style = await raw(world, "/static/privapub.css")
    assert style.startswith(b"HTTP/1.1 200")
    secrets = [b"root:", b"from privapub", b"def asset", b"[extensions]"]
    for door in (*DOORS, f"{alice.uri.removeprefix('https://sut.test')}/"):
        for escape in ESCAPES:
            answered = await raw(world, door + escape)
            assert not answered.startswith(b"HTTP/1.1 5"), (door, escape)
            assert [word for word in secrets if word in answered] == [], (door, escape)
            found = answered.startswith(b"HTTP/1.1 200")
            assert not found or (door + escape) in {"/", "/.", "/.."}, (door, escape, answered[:300])


async def test_nothing_that_strangers_say_becomes_a_file(world: World, tmp_path: Path) -> None:
    """Names, media types and addresses of others, all of them paths: no file is made beside the database."""
    evil = "../../../../tmp/owned"
    before = files_in(tmp_path)
    alice = await world.persona()
    carol = world.person(
        "https://peer.test/u/carol",
        changes={
            "preferredUsername": evil,
            "name": evil,
            "icon": {"type": "Image", "url": f"https://peer.test/{evil}"},
        },
    )
    pictures = [{"type": "Document", "mediaType": evil, "url": f"https://peer.test/{evil}", "name": evil}]
    written = note(carol, f"https://peer.test/n/{evil}", to=[PUBLIC, alice.uri], attachment=pictures)
    for activity in (
        follow_of(carol, alice, f"https://peer.test/{evil}"),
        create(carol, written, f"https://peer.test/a/{evil}"),
        of("Flag", carol, [alice.uri], f"https://peer.test/{evil}/flag") | {"content": evil},
    ):
        assert (await world.post(alice.inbox, activity, by=carol)).status == 202
    await world.drain()
    assert files_in(tmp_path) == before
    async with world.database.read() as tx:
        handles = [row.handle for row in await tx.all(select(actor.c.handle).where(~actor.c.local))]
    assert [handle for handle in handles if "/" in handle] == []


@pytest.mark.parametrize("handle", ["../x", "a/b", ".", "..", "a\\b", "a\x00b", "con:", "~root", "%2e%2e"])
async def test_no_persona_is_called_like_a_path(world: World, handle: str) -> None:
    with pytest.raises(PrivaPubError):
        async with world.database.write() as tx:
            await make_persona(tx, handle)


def test_what_answers_strangers_opens_no_file() -> None:
    """Rooms that read what strangers send have no way to a file: the stylesheet is read once, before anybody asks."""
    source = Path(privapub.__file__).parent
    ways = re.compile(r"(?<![\w.])open\(|\.(?:read|write)_(?:bytes|text)\(|FileResponse|StaticFiles|shutil|tempfile")
    rooms = ("federation", "web", "outbound", "posts", "actors", "follows", "markup", "timelines", "notifications")
    found = [
        f"{path.relative_to(source)}: {way}"
        for room in rooms
        for path in (source / room).rglob("*.py")
        for way in ways.findall(path.read_text())
    ]
    # Both read what is shipped with the program, under names that stand in it.
    assert sorted(found) == ["federation/signatures/ld_quads.py: .read_text(", "web/assets.py: .read_bytes("]
