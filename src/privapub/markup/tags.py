"""HTML that the cleaner wrote, as a list of tags and texts: it is balanced and spelt one way, so this is no parser."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9-]*)((?: [a-z-]+="[^"]*")*)>|([^<]+)')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
VOID = {"br", "hr", "wbr", "img"}


class Tag(NamedTuple):
    """A tag (`name`, whether it ends an element, its attributes as they are written) or, without a name, a text.

    Attributes and texts are still escaped.
    """

    name: str
    ends: bool
    attributes: str
    text: str

    def attribute(self, name: str) -> str:
        """The value of an attribute, still escaped; empty where there is none."""
        if f'{name}="' not in self.attributes:
            return ""
        return next((value for key, value in _ATTRIBUTE.findall(self.attributes) if key == name), "")

    def classes(self) -> list[str]:
        """The words of the attribute `class`."""
        return self.attribute("class").split()

    def written(self) -> str:
        """The tag or text as HTML."""
        return f"<{'/' if self.ends else ''}{self.name}{self.attributes}>" if self.name else self.text


def tags_of(html: str) -> list[Tag]:
    """The tags and texts of HTML from the cleaner, in order."""
    return [Tag(found[2] or "", bool(found[1]), found[3] or "", found[4] or "") for found in _TOKEN.finditer(html)]


def ends_of(tags: Sequence[Tag], most_depth: int) -> dict[int, int] | None:
    """For the index of each tag that begins an element the index of the tag that ends it.

    None where elements stand in each other more than `most_depth` deep, or are not balanced.
    """
    ends: dict[int, int] = {}
    opened: list[int] = []
    for index, tag in enumerate(tags):
        if not tag.name or tag.name in VOID:
            continue
        if not tag.ends:
            opened.append(index)
            if len(opened) > most_depth:
                return None
        elif opened and tags[opened[-1]].name == tag.name:
            ends[opened.pop()] = index
        else:
            return None
    return None if opened else ends
