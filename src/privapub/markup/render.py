"""Typed text as HTML: plain text with links, mentions, hashtags and code as Mastodon writes them, or Markdown.

No HTML exists before links are found, so nothing is ever linked inside HTML. What comes out passes `clean` unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from privapub.markup.characters import contained
from privapub.markup.found import TOKEN, Found, Mention, text_html, written
from privapub.markup.hashtags import is_hashtag, tag_address
from privapub.markup.markdown import markdown_html

__all__ = ["Format", "Mention", "Rendered", "find_mentions", "is_hashtag", "render", "tag_address"]

Format = Literal["plain", "markdown"]
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)(?:\n?^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(rf"(?P<code>`[^`\n]+`)|{TOKEN.pattern}", TOKEN.flags)


@dataclass(frozen=True)
class Rendered:
    """Typed text as HTML, and whom and what it names, each once, in order.

    `mentions` are the keys of those that were handed in and linked; `unknown` the addresses that were not handed in, as
    typed, without their sign (`user@host`, `user@host:port`, or `user` of this server); `hashtags` have no sign.
    """

    html: str
    mentions: tuple[str, ...]
    hashtags: tuple[str, ...]
    unknown: tuple[str, ...] = ()


def find_mentions(text: str, text_format: Format = "plain") -> tuple[str, ...]:
    """Whom the typed text mentions: `user@host` or `user` (somebody here) as typed, each once, in order."""
    return render(text, {}, "", text_format).unknown


def render(text: str, mentions: Mapping[str, Mention], tag_url: str, text_format: Format = "plain") -> Rendered:
    """The HTML of typed text.

    `mentions`: who is behind what `find_mentions` found (letter case aside); one that is missing stays text, and is
    told in `unknown`. `tag_url`: what a hashtag's name is put after, such as `https://example.org/tags`.
    Markdown that is nested deeper than a person writes is taken for plain text.
    """
    text = contained(text).strip("\n")
    found = Found(mentions, tag_url)
    html = markdown_html(text, found) if text_format == "markdown" else None
    if html is None:
        found = Found(mentions, tag_url)
        html = _plain_html(text, found)
    return Rendered(html, tuple(found.mentions), tuple(found.hashtags.values()), tuple(found.unknown.values()))


def _plain_html(text: str, found: Found) -> str:
    blocks: list[str] = []
    for is_code, part in _parts(text):
        if is_code:
            blocks.append(f"<pre><code>{text_html(part)}</code></pre>")
            continue
        for paragraph in re.split(r"\n[ \t]*\n\s*", part):
            if stripped := paragraph.strip():
                lines = (_line(line.rstrip(), found) for line in stripped.split("\n"))
                blocks.append(f"<p>{'<br>'.join(lines)}</p>")
    return "".join(blocks)


def _parts(text: str) -> list[tuple[bool, str]]:
    """The text cut at its fences: (whether it is code, the part)."""
    parts: list[tuple[bool, str]] = []
    at = 0
    for fence in _FENCE.finditer(text):
        parts.append((False, text[at : fence.start()]))
        parts.append((True, fence[1]))
        at = fence.end()
    parts.append((False, text[at:]))
    return [(is_code, part) for is_code, part in parts if part]


def _line(line: str, found: Found) -> str:
    pieces: list[str] = []
    at = 0
    while token := _TOKEN.search(line, at):
        pieces.append(text_html(line[at : token.start()]))
        if token["code"]:
            at = token.end()
            pieces.append(f"<code>{text_html(token[0][1:-1])}</code>")
        else:
            length, html = written(token, found)
            at = token.start() + length
            pieces.append(html)
    pieces.append(text_html(line[at:]))
    return "".join(pieces)
