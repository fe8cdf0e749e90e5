"""Pictures for the short names of emojis (`:blobcat:`) in cleaned HTML, for pages of ours; apps do it themselves."""

import re
from collections.abc import Mapping
from html import escape

from privapub.markup.tags import tags_of

_SHORT_NAME = re.compile(r":([A-Za-z0-9_]+):")
_VERBATIM = {"code", "pre", "kbd", "samp"}


def with_emojis(html: str, pictures: Mapping[str, str]) -> str:
    """Cleaned HTML with pictures for the names (without colons, case counts) whose address `pictures` holds.

    `pictures` are those of the text's author: the same name is another emoji at another server. Names in code and in
    attributes stay; a name without a picture stays text.
    """
    pieces: list[str] = []
    verbatim = 0
    for tag in tags_of(html):
        if tag.name in _VERBATIM:
            verbatim += -1 if tag.ends else 1
        pieces.append(tag.written() if tag.name or verbatim else _pictured(tag.text, pictures))
    return "".join(pieces)


def _pictured(text: str, pictures: Mapping[str, str]) -> str:
    def picture(name: re.Match[str]) -> str:
        address = pictures.get(name[1])
        if not address:
            return name[0]
        return f'<img class="emoji" src="{escape(address)}" alt="{name[0]}" title="{name[0]}" loading="lazy">'

    return _SHORT_NAME.sub(picture, text)
