"""Secret words: each thing that is planted in a file has one of its own, by which it is found again."""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Planted:
    """A file, what it is called in a report, and the word of each kind that it holds."""

    name: str
    form: str  # the form of file, as "progressive JPEG"
    ending: str
    data: bytes
    words: dict[str, str]


@dataclass
class Words:
    """The words of one file."""

    name: str
    made: dict[str, str] = field(default_factory=dict)

    def of(self, kind: str) -> str:
        """The word of a kind: letters that stand in no file by chance, and the same ones in each run."""
        digest = hashlib.sha256(f"{self.name} {kind}".encode()).digest()
        return self.made.setdefault(kind, "Pw" + base64.b32encode(digest).decode()[:14].lower())

    def raw(self, kind: str) -> bytes:
        """The same as bytes."""
        return self.of(kind).encode()


def within(word: str, data: bytes, told: dict[str, Any]) -> bool:
    """Whether a word stands in a file's bytes, in any of the ways in which text is written, or in what exiftool told of
    it (with -b), pictures within it among that.
    """
    ways = [word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"), word.encode().hex().encode()]
    if any(way in data for way in ways):
        return True
    for value in map(str, told.values()):
        if word in value:
            return True
        if value.startswith("base64:") and any(way in base64.b64decode(value[7:]) for way in ways):
            return True
    return False
