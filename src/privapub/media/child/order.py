"""What the child is told, and what it answers: two files of JSON in its folder."""

import json
import sys
from pathlib import Path
from typing import Literal

import msgspec

ORDER, RESULT = "order.json", "result.json"
FILM = "film"  # the kind of an order for film or sound: which of the two it is, the child finds

Purpose = Literal["post", "avatar", "header", "emoji", "remote", "card", "poster"]


class Faulty(Exception):
    """The file is at fault: the sentence says how, for whoever gave it."""


class Order(msgspec.Struct, frozen=True):
    """What to make of which file, and within which bounds."""

    kind: Literal["image", "film"]
    format: str  # of pictures: a name of `media/sniff.py`; else the demuxer of `media/sniff_film.py`
    source: str  # the path of the file
    purpose: Purpose
    pixels: int  # of one picture or frame
    side: int
    frames: int
    duration: int  # seconds
    longest: int  # the longest side of what is kept as the original
    ffmpeg: str = ""  # the programs' paths; "" where there are none
    ffprobe: str = ""


class Written(msgspec.Struct, frozen=True):
    """A file that was made: its name within the folder, and what it is."""

    role: Literal["original", "large", "small", "poster"]
    name: str
    media_type: str
    width: int | None = None
    height: int | None = None


class Result(msgspec.Struct, frozen=True):
    """What came of an order: files and what is said of them, or a sentence about what is wrong with the file."""

    kind: Literal["image", "video", "audio"] = "image"
    files: tuple[Written, ...] = ()
    width: int | None = None
    height: int | None = None
    duration: float | None = None
    blurhash: str = ""
    colour: str = ""
    animated: bool = False
    removed: tuple[str, ...] = ()
    fault: str = ""
    peak: int = 0  # the largest resident size of the child, in KiB
    cpu: float = 0.0  # seconds of CPU time, with those of the programs it started


def say(share: float, what: str) -> None:
    """Tell the parent how far the work has come (0 to 1), and what is done now: one line of standard output."""
    sys.stdout.write(json.dumps([round(share, 3), what]) + "\n")
    sys.stdout.flush()


def read(folder: Path) -> Order:
    """The order that lies in this folder."""
    return msgspec.json.decode((folder / ORDER).read_bytes(), type=Order)


def write(folder: Path, result: Result) -> None:
    """Lay the result there, whole or not at all."""
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_bytes(msgspec.json.encode(result))
    unfinished.rename(folder / RESULT)
