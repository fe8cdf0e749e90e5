"""Pictures, films and custom emojis, both ways; each step is a row of the table.

What a page shows of the files of others, through the proxy, belongs into rows of its own behind those of `theirs`: they
find the posts in `walk.notes`, and the planted word must be in nothing that the page leads to.
"""

import base64
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

from doings import REACTS
from parties import wait
from PIL import Image, PngImagePlugin
from walk import Walk, check, step

HEARD, FOLLOWED = "follow: open takes us", "follow: we take open at once"
PLANTED = "Hollyhock Lane 7"  # what no file of ours may tell
LATITUDE, LONGITUDE = (52.0, 31.0, 12.0), (13.0, 24.0, 36.0)
SIZE = (320, 200)
ALT = "A ramp from black to white,\nwith “quotes” & <signs>"
READ = ("url", "media_type", "alt", "width", "height", "preview")
# What a peer's library reads of an attachment.
READ_BY = {"fedify": READ, "apkit": (*READ, "blurhash", "focal_point")}


def _file(walk: Walk, name: str) -> Path:
    return walk.home.data.parent / f"{walk.peer.name}-{name}"


def _picture(walk: Walk) -> Path:
    """A picture that tells where it was made, in numbers and in words."""
    exif = Image.Exif()
    exif[0x010E] = PLANTED
    exif.get_ifd(0x8825).update({1: "N", 2: LATITUDE, 3: "E", 4: LONGITUDE, 0x1C: PLANTED.encode()})
    Image.linear_gradient("L").resize(SIZE).convert("RGB").save(file := _file(walk, "picture.jpg"), exif=exif)
    check(file.read_bytes().count(PLANTED.encode()) == 2, "the words were not planted")
    check(Image.open(file).getexif().get_ifd(0x8825)[2] == LATITUDE, "the place was not planted")
    return file


def _drawing(walk: Walk) -> Path:
    """A small drawing with a text beside its pixels, fit for an emoji."""
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", PLANTED)
    Image.radial_gradient("L").resize((48, 48)).convert("RGBA").save(file := _file(walk, "emoji.png"), pnginfo=told)
    check(PLANTED.encode() in file.read_bytes(), "the word was not planted")
    return file


def _film(walk: Walk) -> Path:
    """Half a second of film and sound that tells where it was made."""
    size = "x".join(map(str, SIZE))
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:d=0.5:r=10", "-f", "lavfi", "-i",
         "sine=d=0.5", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-movflags", "use_metadata_tags",
         "-metadata", f"comment={PLANTED}", "-metadata", "location=+52.5200+013.4100/",
         file := _file(walk, "film.mp4")],
        check=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    check(PLANTED.encode() in file.read_bytes() and b"+52.5200" in file.read_bytes(), "the word was not planted")
    return file


# Ours.


def _decoded(walk: Walk, name: str, *more: str) -> dict[str, Any]:
    """What the peer's library makes of a post of ours, once it has taken it in."""
    post = walk.write(name, "public", more=more)
    return dict(walk.peer.tell("decoded", id=walk.arrived(post["uri"])["id"]))


def _attached(walk: Walk, name: str, file: Path) -> dict[str, Any]:
    """The one file of a post of ours, as we hold it, and as the peer's library reads it without a difference."""
    seen = _decoded(walk, name, "--media", str(file), "--alt", ALT)["attachments"]
    held = walk.held(walk.posts[name]["uri"])["attachments"]
    check(len(seen) == len(held) == 1, f"they see {len(seen)} files, we hold {len(held)}")
    for what in READ_BY[walk.peer.name]:
        check(seen[0][what] == held[0][what], f"they see the {what} {seen[0][what]!r}, we hold {held[0][what]!r}")
    check(held[0]["alt"] == ALT, f"it is described as {held[0]['alt']!r}")
    check((held[0]["width"], held[0]["height"]) == SIZE, f"it is {held[0]['width']} by {held[0]['height']}")
    check(held[0]["blurhash"], "it has no blurhash")
    return dict(held[0])


def _fetched(walk: Walk, url: str, media_type: str) -> bytes:
    """A file of ours as the peer gets it: of this type, and telling nothing of what was planted."""
    got = walk.peer.tell("download", url=url)
    check(got["status"] == 200, f"{url} answers {got['status']}")
    check(got["media_type"] == media_type, f"{url} is served as {got['media_type']} and not as {media_type}")
    data = base64.b64decode(got["bytes"])
    check(PLANTED.encode() not in data, f"{url} tells what was planted")
    if media_type.startswith("image/"):
        with Image.open(BytesIO(data)) as picture:
            check(picture.get_format_mimetype() == media_type, f"{url} is {picture.get_format_mimetype()}")
            check(not picture.getexif(), f"{url} tells {dict(picture.getexif())}")
    return data


@step("picture: ours arrives and is fetched", FOLLOWED)
def _(walk: Walk) -> None:
    held = _attached(walk, "our picture", _picture(walk))
    with Image.open(BytesIO(_fetched(walk, held["url"], held["media_type"]))) as picture:
        check(picture.size == SIZE, f"it is {picture.size}")


@step("film: ours arrives and is fetched", FOLLOWED, program="ffmpeg")
def _(walk: Walk) -> None:
    held = _attached(walk, "our film", _film(walk))
    data = _fetched(walk, held["url"], "video/mp4")
    check(data[4:8] == b"ftyp" and b"+52.5200" not in data, "it is no MP4, or tells where it was made")
    got = walk.peer.tell("download", url=held["preview"])
    _fetched(walk, held["preview"], got["media_type"])
    check(got["media_type"].startswith("image/"), f"its picture is served as {got['media_type']}")


@step("emoji: ours arrives and is fetched", FOLLOWED)
def _(walk: Walk) -> None:
    name = f"{walk.peer.name}_ball"
    held = walk.home.run("emoji", "add", name, str(_drawing(walk)))
    seen = _decoded(walk, f"our :{name}:")["emojis"]
    check([it["name"] for it in seen] == [f":{name}:"], f"they see {seen}")
    check(seen[0]["media_type"] == held["media_type"], f"they see it as {seen[0]['media_type']}")
    _fetched(walk, seen[0]["url"], held["media_type"])


# Theirs.


def _theirs(walk: Walk, name: str, file: Path, kind: str, media_type: str) -> None:
    """They post a file, and we hold of it what they said."""
    url = walk.peer.tell("keep", path=str(file), media_type=media_type)["url"]
    said = {
        "url": url, "media_type": media_type, "alt": ALT, "width": SIZE[0], "height": SIZE[1],
        "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj", "focal_point": [0.5, -0.25],
    }  # fmt: skip
    note = walk.note(name, attachments=[{"type": kind, **said}])
    held = walk.held(note)["attachments"]
    check(len(held) == 1, f"we hold {len(held)} files")
    for what in set(READ_BY[walk.peer.name]) & set(said):
        check(held[0][what] == said[what], f"we hold the {what} {held[0][what]!r}, they said {said[what]!r}")
    check(held[0]["type"] == kind, f"we hold it as {held[0]['type']}")


@step("picture: theirs is kept", HEARD)
def _(walk: Walk) -> None:
    _theirs(walk, "their picture", _picture(walk), "Image", "image/jpeg")


@step("film: theirs is kept", HEARD, program="ffmpeg")
def _(walk: Walk) -> None:
    _theirs(walk, "their film", _film(walk), "Video", "video/mp4")


def _ball(walk: Walk) -> dict[str, str]:
    url = walk.peer.tell("keep", path=str(_drawing(walk)), media_type="image/png")["url"]
    return {"name": ":ball:", "url": url, "media_type": "image/png"}


@step("emoji: theirs is kept", HEARD)
def _(walk: Walk) -> None:
    ball = _ball(walk)
    tags = [tag for tag in walk.held(walk.note("their :ball:", emojis=[ball]))["tags"] if tag["type"] == "Emoji"]
    held = [{"name": tag["name"], "url": tag["href"], "media_type": tag["media_type"]} for tag in tags]
    check(held == [ball], f"we hold {tags}")


@step("emoji: theirs reacts, and ours with it", "post: theirs to everyone is shown")
def _(walk: Walk) -> None:
    note, ball = walk.notes["theirs public"], _ball(walk)
    walk.peer.tell("act", type=REACTS[walk.peer.name], object=note, content=":ball:", emojis=[ball], to=[walk.me["id"]])
    # It is known here once theirs has come.
    wait("our reaction", lambda: walk.home.run("post", "react", note, ":ball:", "--persona", walk.ours))
    like = wait("our :ball:", lambda: walk.peer.received("Like", lambda it: it.get("content") == ":ball:"))[0]
    seen = walk.peer.tell("decoded", id=like["id"])["emojis"]
    check([(it["name"], it["url"]) for it in seen] == [(":ball:", ball["url"])], f"they see {seen}")
