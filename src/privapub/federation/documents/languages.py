"""Texts and the languages that they are said to be in (AS2 Core, section 4.7; BCP 47 and RFC 5646, section 2.1)."""

import re
from dataclasses import dataclass
from typing import Any

_TAG = re.compile(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})"  # language, and what extends it
    r"(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?"  # script, region
    r"(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3})){0,4}"  # variants
    r"(?:-[a-wy-z\d](?:-[a-z\d]{2,8}){1,4}){0,4}(?:-x(?:-[a-z\d]{1,8}){1,4})?",  # extensions, private use
    re.IGNORECASE | re.ASCII,
)
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its language if that is said, and the same in other languages as (language, text)."""

    said: str = ""
    language: str | None = None
    others: tuple[tuple[str, str], ...] = ()


def language(tag: Any) -> str | None:
    """A language tag, or None where it is none; `{"identifier": "fr"}` is Lemmy's and PeerTube's way."""
    if isinstance(tag, dict):
        tag = tag.get("identifier")
    if isinstance(tag, str) and len(tag) <= _LONGEST and _TAG.fullmatch(tag) and tag.lower() != "und":
        return tag
    return None


def choose(text: str, entries: dict[str, str]) -> Text:
    """What is shown: `text`, else the first entry of its map.

    The language is that of the only entry, or of the one that says the same as `text`; the rest are the others.
    """
    mine = next((tag for tag, said in entries.items() if not text or said == text or len(entries) == 1), None)
    shown = text or (entries[mine] if mine is not None else "")
    others = tuple((tag, said) for tag, said in entries.items() if tag != mine and language(tag) and said)
    return Text(shown, None if mine is None else language(mine), others)
