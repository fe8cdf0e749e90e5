"""What the server says of itself: texts that the operator writes into a folder, read whenever they are asked for."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from privapub.markup.clean import clean
from privapub.markup.render import render

ABOUT, PRIVACY, TERMS = "about.md", "privacy.md", "terms.md"
_RULES = "rules.txt"
LARGEST = 1 << 20  # bytes of a text
MOST_RULES = 100


@dataclass(frozen=True)
class Rule:
    """A rule of the house, and a sentence that explains it, or ""."""

    text: str
    hint: str


@dataclass(frozen=True)
class Told:
    """A text as HTML that has been cleaned, and when it was changed last."""

    html: str
    changed_at: float


async def rules(folder: Path) -> list[Rule]:
    """The rules, in their order: a line each, its explanation behind a bar."""
    found = await asyncio.to_thread(_read, folder / _RULES)
    lines = [] if found is None else [line.strip() for line in found[0].splitlines() if line.strip()]
    return [Rule(text.strip(), hint.strip()) for text, _, hint in (line.partition("|") for line in lines[:MOST_RULES])]


async def told(folder: Path, name: str) -> Told | None:
    """One of the texts, which are Markdown; None where there is none."""
    found = await asyncio.to_thread(_read, folder / name)
    if found is None or not found[0].strip():
        return None
    return Told(clean(render(found[0], {}, "", "markdown").html), found[1])


def _read(path: Path) -> tuple[str, float] | None:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace"), path.stat().st_mtime
    except OSError:
        return None
