"""What the cases say of uploads: what a file becomes, what it tells then, and what is left of one that is refused."""

import asyncio
import io
import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from cases import files, verbs
from cases.builds import memory
from cases.clients import File
from cases.given import field
from cases.play import MUST, MUST_NOT, Play, Sentence
from cases.setup import follows
from cases.stage import allowed, exact
from cases.steps import LOCAL
from cases.verbs import Upload
from cases.words import Unknown, Words
from privapub.actors.read import Actor
from privapub.jobs.tables import job
from privapub.media import names
from privapub.media.read import Medium
from privapub.proxy.addresses import Use

BECOMES = Words("verdict on an upload")
WAY = {"op": "api", "method": "POST", "path": "/api/v2/media", "multipart": "file"}
RASTER = {"image/jpeg", "image/png", "image/webp", "image/avif", "image/gif"}
FORMATS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "AVIF": "image/avif", "GIF": "image/gif"}
COLOUR_DISTANCE = 12  # of each of its three numbers: what is pressed twice is not exact


@field("upload")
async def upload(play: Play, value: Any, due: list[Sentence]) -> None:
    """The file of a variant, by somebody here; what it became is posted, so that it goes to others."""
    del due
    if strange := {name: said for name, said in value.items() if name != "token" and WAY.get(name) != said}:
        raise Unknown("way to upload", strange)
    data = await _bytes(play)
    if data is None:
        return
    play.notes["name"] = play.take("filename", "")
    file = File(data, play.notes["name"] or "file", play.take("declared_type", "application/octet-stream"))
    await follows(play, "carol", "alice")
    play.forget_what_was_received()
    by = play.on.ours[value["token"]]
    play.notes["upload"], play.notes["folder"] = data, folder(play)
    with pytest.MonkeyPatch.context() as patch:
        _watch(play, patch)
        await _taken_in(play, by, file)
        found: Upload = play.notes["became"]
        assert found.reply is not None
        play.replies.append(replace(found.reply, what=f"upload {play.name}"))
        if found.status == 200:
            assert found.medium is not None
            note = await verbs.post(play.world, by, "a file", files=[found.medium.id])
            play.notes.setdefault("posts", []).append(note)
            await play.drain()


def folder(play: Play) -> Path:
    """Where the server keeps its files."""
    found = play.world.server.settings.storage_folder
    assert found is not None
    return found


async def _bytes(play: Play) -> bytes | None:
    """The file as it is given, or made as it is told."""
    given, recipe = play.take("file_b64"), play.take("recipe")
    data = exact(given) if given is not None else None if recipe is None else await files.made(recipe)
    note = play.take("note")
    return data if data is None or note is None else await files.changed(data, note)


def _watch(play: Play, patch: pytest.MonkeyPatch) -> None:
    """Connections of this process while it has to do with a file, and a folder of its own for what is temporary."""
    connect = asyncio.SelectorEventLoop.sock_connect
    play.notes["connected"] = []

    async def seen(self: Any, sock: Any, address: Any) -> None:
        play.notes["connected"].append(address)
        await connect(self, sock, address)

    patch.setattr(asyncio.SelectorEventLoop, "sock_connect", seen)
    temporary = folder(play).with_name("temporary")
    temporary.mkdir()
    play.notes["temporary"] = temporary
    patch.setattr(tempfile, "tempdir", str(temporary))
    named = re.findall(rb"(?:(?<=file://)|(?<=['\"]))/[\w./-]+", play.notes["upload"])
    play.notes["there"] = _there(path.decode() for path in named)


def _there(paths: Iterable[str]) -> dict[str, bool]:
    """Which of these files of the machine there are."""
    return {path: Path(path).exists() for path in paths}


def _lines(path: str) -> list[bytes]:
    file = Path(path)
    return [line for line in file.read_bytes().splitlines() if line] if file.is_file() else []


async def _taken_in(play: Play, by: Actor, file: File) -> None:
    """What it costs until it is refused or waits, what is served while it waits, and what it becomes."""
    before, began = memory("VmRSS", begin=True), time.process_time()
    found = await verbs.upload(play.world, by, file)
    play.notes["seconds"], play.notes["grown"] = time.process_time() - began, memory("VmHWM") - before
    async with play.world.database.read() as tx:
        play.notes["media jobs"] = len(await tx.all(select(job.c.id).where(job.c.kind == "media")))
    play.notes["served while it waited"] = [
        path.name for path in _kept(play) if (await served(play, f"/media/{path.name}"))[0] != 404
    ]
    play.notes["became"] = await verbs.processed(play.world, by, found)


def _kept(play: Play) -> list[Path]:
    return [path for path in folder(play).rglob("*") if path.is_file()] if folder(play).exists() else []


async def served(play: Play, url: str) -> tuple[int, dict[str, str], bytes]:
    """What a browser gets at an address of ours: status, headers, bytes."""
    base = play.world.server.base_url
    path = url.removeprefix(base)
    assert path.startswith("/"), f"{url} is not ours"
    status, data, headers = await play.world.fetch(path, {"Host": base.split("//")[1]})
    return status, headers, data


async def from_here(play: Play, use: Use, url: str) -> tuple[int, dict[str, str], bytes]:
    """What a browser gets of a file elsewhere, at the address where it is shown."""
    urls = await play.world.server.proxy.its_urls()
    assert urls is not None
    return await served(play, urls.of(use, url))


# What an upload became


def became(play: Play) -> Upload:
    found = play.notes.get("became")
    if found is None:
        raise Unknown("upload", "there was none")
    return found  # type: ignore[no-any-return]  # what `_taken_in` left


def media(play: Play) -> Iterator[Medium]:
    """All that became of files in this run and is ready."""
    for one in (became(play), *play.notes.get("others", [])):
        if one.status == 200:
            assert one.medium is not None
            yield one.medium


async def outputs(play: Play) -> list[tuple[str, dict[str, str], bytes]]:
    """Every address at which something of it is given out, ours and those that others were sent, and what is there."""
    base = f"{play.world.server.base_url}/media/"
    urls = [base + file["name"] for medium in media(play) for file in medium.files]
    for each in play.sent("Create", host="peer.test"):
        urls += re.findall(rf"{re.escape(base)}[^\"]+", json.dumps(each.json["object"].get("attachment", [])))
    assert not became(play).medium or became(play).status != 200 or len(urls) > len(set(urls)), "none was sent"
    found = []
    for url in dict.fromkeys(urls):
        status, headers, data = await served(play, url)
        assert status == 200, url
        found.append((url, headers, data))
    return found


@LOCAL.on(r"avatar and header upload")
async def worn(play: Play) -> None:
    """The same file as what a persona shows of itself; a film is none."""
    for use in ("avatar", "header"):
        taken = await verbs.wear(play.world, play.on.alice, play.notes["upload"], use)
        one = await verbs.processed(play.world, play.on.alice, taken)
        assert one.status == 200 or became(play).medium.kind != "image", one.why  # type: ignore[union-attr]  # it is ready
        play.notes.setdefault("others", []).append(one)


@LOCAL.on(r"media edited or replaced later")
async def edited(play: Play) -> None:
    """The post is edited, and another with the same file follows it."""
    note = play.notes["posts"][-1]
    await verbs.edit(play.world, play.on.alice, note.uri, "edited")
    taken = await verbs.upload(play.world, play.on.alice, File(play.notes["upload"]))
    again = await verbs.processed(play.world, play.on.alice, taken)
    assert again.medium is not None
    play.notes.setdefault("others", []).append(again)
    await verbs.post(play.world, play.on.alice, "again", files=[again.medium.id])
    await play.drain()


@LOCAL.on(r"thumbnail and blurhash source files")
async def sources(play: Play) -> None:
    """They are among what is kept, all of which is looked through."""
    kept = {path.name for path in _kept(play)}
    for medium in media(play):
        assert {file["name"] for file in medium.files} <= kept
        assert medium.kind != "image" or medium.blurhash
    named = {file["name"] for medium in media(play) for file in medium.files}
    assert kept <= named, kept - named


@LOCAL.on(r"original file name in the URL")
async def no_name(play: Play) -> None:
    for url, _, _ in await outputs(play):
        assert not play.notes["name"] or play.notes["name"] not in url


# What it tells


@MUST.on(
    r"the bytes at `url`, `preview_url` and the federated attachment url hold no (?:[\w ,]+) string"
    r" \(search the raw bytes for (.+)\)"
)
async def tells_nothing(play: Play, said: str) -> None:
    words = [each.encode() for each in said.split(", ")]
    assert _tells(play, play.notes["upload"], words), "the file told nothing"
    for url, _, data in await outputs(play):
        assert not (told := _tells(play, data, words)), f"{url}: {told}"


def _tells(play: Play, data: bytes, words: list[bytes]) -> list[str]:
    """What bytes tell of where, when, by whom and with what they were made: as they stand, and as exiftool reads it."""
    found = [word.decode() for word in words if word in data]
    file = folder(play).with_name("looked at")
    file.write_bytes(data)
    command = [files.program("exiftool"), "-j", "-G1", "-a", "-ee", str(file)]
    (tags,) = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)  # noqa: S603 - Debian's
    telling = r"gps|make$|model|date|comment|location|description|artist|software"
    for name, value in tags.items():
        group, _, tag = name.partition(":")
        if group in ("System", "ExifTool") or group.startswith("ICC") or str(value).startswith("0000"):
            continue
        if group.startswith("XMP") or re.search(telling, tag, re.IGNORECASE):
            found.append(f"{name} {value}")
    return found


@MUST.on(r"the ICC profile may stay")
async def may_stay(play: Play) -> None:
    """So nothing is to be checked."""


@MUST.on(r"no copy with metadata stays on disk once processing has ended")
async def no_copy(play: Play) -> None:
    assert list(play.notes["temporary"].iterdir()) == []
    for path in _kept(play):
        data = path.read_bytes()
        assert data != play.notes["upload"]
        assert not _tells(play, data, [b"ExampleCam", b"made at home", b"12.58"]), path
        assert names.content_type(path.name) is not None, f"{path} is an upload as it came"


@MUST_NOT.on(r"strip only the preview")
async def not_only(play: Play) -> None:
    for medium in media(play):
        original = medium.file("original")
        assert original is not None
        _, _, data = await served(play, f"/media/{original['name']}")
        assert not _tells(play, data, []), original


@MUST_NOT.on(r"serve the original before stripping has finished")
async def not_yet(play: Play) -> None:
    assert play.notes["media jobs"], "it did not wait"
    assert play.notes["served while it waited"] == []


# What it may be


@MUST.on(r"`ok` holds")
async def as_expected(play: Play) -> None:
    for _, meaning in BECOMES.read(play.given["ok"]):
        await meaning(play)


@BECOMES.on(r"converted or 422")
async def converted(play: Play) -> None:
    """To what every browser shows."""
    if became(play).status != 422:
        assert became(play).status == 200
        assert {_format(data) for _, _, data in await outputs(play)} <= set(FORMATS) - {"AVIF"}


@BECOMES.on(r"(\d{3}(?: or \d{3})?)", r"(\d{3}), name ignored")
async def status(play: Play, said: str) -> None:
    found = became(play)
    assert allowed(found.status, said.replace(" or ", "-or-")), f"{found.status}: {found.why}"
    await no_name(play)


@BECOMES.on(r"(\d{3}); the stored type agrees with the stored bytes")
async def agrees(play: Play, said: str) -> None:
    await status(play, said)
    await by_content(play)


@BECOMES.on(r"(\d{3}), RGB about \((\d+),(\d+),(\d+)\)")
async def colour(play: Play, said: str, *wanted: str) -> None:
    await status(play, said)
    for url, _, data in await outputs(play):
        with Image.open(io.BytesIO(data)) as picture:
            assert picture.mode in ("RGB", "P"), picture.mode
            found = picture.convert("RGB").getpixel((picture.width // 2, picture.height // 2))
        assert isinstance(found, tuple)
        far = [abs(one - int(other)) for one, other in zip(found, wanted, strict=True)]
        assert max(far) <= COLOUR_DISTANCE, f"{url}: {found}"


def _format(data: bytes) -> str:
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        return picture.format or ""


@MUST.on(r"stored type comes from the content", r"extension and Content-Type of the served file agree with it")
@MUST_NOT.on(r"trust name or declared type")
async def by_content(play: Play) -> None:
    for medium in media(play):
        for file in medium.files:
            _, headers, data = await served(play, f"/media/{file['name']}")
            kind = FORMATS[_format(data)]
            assert kind == file["media_type"] == headers["content-type"] == names.content_type(file["name"])


@MUST.on(r"every failure is a JSON error with 4xx and no leftover file")
async def nothing_left(play: Play) -> None:
    found = became(play)
    if found.status != 200:
        assert allowed(found.status, "4xx")
        assert found.reply is not None
        assert isinstance(found.reply.json["error"], str), found.reply.body
        assert _kept(play) == []
        assert list(play.notes["temporary"].iterdir()) == []


# What is too large


@MUST.on(r"(\d{3}) in under (\d+) s")
async def refused_soon(play: Play, said: str, seconds: str) -> None:
    """By the processor's time, which nobody else's work can lengthen."""
    assert allowed(became(play).status, said), f"{became(play).status}: {became(play).why}"
    assert play.notes["seconds"] < int(seconds), f"{play.notes['seconds']} s"


@MUST_NOT.on(r"decode before looking at the header")
async def header_first(play: Play) -> None:
    """It is refused by its header alone: no job was to be run for it."""
    if "became" in play.notes:
        assert play.notes["media jobs"] == 0


# Two formats at once


@MUST.on(r"either (\d{3}), or the result is a freshly encoded raster without the payload bytes")
async def raster(play: Play, said: str) -> None:
    if "became" not in play.notes:
        return
    if became(play).status != 200:
        assert allowed(became(play).status, said)
        assert _kept(play) == []
        return
    for url, headers, data in await outputs(play):
        assert headers["content-type"] == FORMATS[_format(data)], url
    await no_payload(play)


@MUST_NOT.on(r"copy unknown trailing bytes")
async def no_payload(play: Play) -> None:
    if "became" not in play.notes:
        return
    payload = files.words_in(play.notes["upload"])
    for path in _kept(play):
        left = [each for each in payload if each in path.read_bytes()]
        assert left == [], path


@MUST.on(r"no request to ([\d.]+)")
async def no_request_to(play: Play, host: str) -> None:
    """At the ports that the web has: the peers of a case have others."""
    assert not [each for each in play.notes["connected"] if each[0] == host and each[1] in (80, 443)]


@MUST.on(r"no file outside the media directory")
async def no_other_file(play: Play) -> None:
    assert _there(play.notes.get("there", {})) == play.notes.get("there", {})
    if "temporary" in play.notes:
        assert list(play.notes["temporary"].iterdir()) == []
        assert {path.name for path in folder(play).parent.iterdir()} <= {
            folder(play).name,
            "cache",
            "temporary",
            "looked at",
        }


@MUST.on(r"no local file content in the output")
async def no_content(play: Play) -> None:
    for path in play.notes.get("there", {}):
        for kept in _kept(play):
            assert not [line for line in _lines(path) if line in kept.read_bytes()], kept


@MUST.on(r"([\w-]+) served with (\S+) and nosniff at most")
async def at_most(play: Play, name: str, _kind: str) -> None:
    """Refused would be less; what is served is what it was made into."""
    if play.name == name and became(play).status == 200:
        for _, headers, _ in await outputs(play):
            assert headers["content-type"] in RASTER
            assert headers["x-content-type-options"] == "nosniff"


@MUST_NOT.on(r"hand bytes to ImageMagick or ffmpeg with format guessing by content")
async def no_guess(play: Play) -> None:
    """What is no picture by its first bytes was refused before any program saw it, and what is one no film's did."""
    if "became" in play.notes and play.notes["media jobs"]:
        with Image.open(io.BytesIO(play.notes["upload"])) as picture:
            assert picture.format in FORMATS
        assert became(play).status == 422 or became(play).medium.kind == "image"  # type: ignore[union-attr]  # it is ready
