"""Typed text as HTML: paragraphs, line breaks, code, links, mentions and hashtags, as Mastodon writes them.

The text is cut into tokens before any HTML exists, so nothing is ever linked inside HTML. What comes out passes
`clean` unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from privapub.markup.characters import contained
from privapub.markup.clean import LINK_REL, clean

_FENCE = re.compile(r"^```[^\n`]*\n(.*?)(?:\n?^```[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TOKEN = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|(?P<url>(?<![\w@/])https?://[^\s<>\"`\u3000]+)"
    r"|(?P<mention>(?<![\w@/.+-])@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
    r"(?:@[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9.\u00a1-\uffff-]*[A-Za-z0-9\u00a1-\uffff])?(?::[0-9]{1,5})?)?)(?![\w@])"
    r"|(?P<hashtag>(?<![\w/&#])[#\uff03]\w+)",
    re.IGNORECASE,
)
_HOST = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^\s/?#@\[\]:]+)(:[0-9]{1,5})?(?=[/?#]|$)", re.IGNORECASE)
# ASCII punctuation, and the ellipsis, full stops, commas, marks and closing quotes of other scripts.
_TRAILING = ".,;:!?'\"*_~\u2026\u3002\u3001\uff0c\uff01\uff1f\u00bb\u201d\u2019\u203a\u300d"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_SHOWN = 30
_LONGEST_TAG = 100


@dataclass(frozen=True)
class Mention:
    """Somebody who can be mentioned: id on the wire, page for people, and `user@host`."""

    uri: str
    url: str
    address: str


@dataclass(frozen=True)
class Rendered:
    """The HTML, the keys of `mentions` that were linked, and the hashtags without their sign, each once, in order."""

    html: str
    mentions: tuple[str, ...]
    hashtags: tuple[str, ...]


class _Found:
    def __init__(self, mentions: Mapping[str, Mention], tag_url: str) -> None:
        self.known = {key.casefold(): (key, mention) for key, mention in mentions.items()}
        self.tag_url = tag_url
        self.mentions: dict[str, None] = {}
        self.hashtags: dict[str, str] = {}


def find_mentions(text: str) -> tuple[str, ...]:
    """Who the typed text mentions: `user@host` or `user` (somebody here) as typed, each once, in order."""
    found: dict[str, str] = {}
    for is_code, part in _parts(contained(text)):
        if not is_code:
            for token in _TOKEN.finditer(part):
                if token["mention"]:
                    address = token["mention"][1:]
                    found.setdefault(address.casefold(), address)
    return tuple(found.values())


def render(text: str, mentions: Mapping[str, Mention], tag_url: str) -> Rendered:
    """The HTML of typed text.

    `mentions`: who is behind what `find_mentions` found (letter case aside); one that is missing stays text.
    `tag_url`: what a hashtag's name is put after, such as `https://example.org/tags`.
    """
    found = _Found(mentions, tag_url)
    blocks: list[str] = []
    for is_code, part in _parts(contained(text).strip("\n")):
        if is_code:
            blocks.append(f"<pre><code>{_text(part)}</code></pre>")
            continue
        for paragraph in re.split(r"\n[ \t]*\n\s*", part):
            if stripped := paragraph.strip():
                lines = (_line(line.rstrip(), found) for line in stripped.split("\n"))
                blocks.append(f"<p>{'<br>'.join(lines)}</p>")
    return Rendered("".join(blocks), tuple(found.mentions), tuple(found.hashtags.values()))


def is_hashtag(name: str) -> bool:
    """Whether this, without its sign, is a hashtag: one word with a letter in it, and not endless."""
    return len(name) <= _LONGEST_TAG and bool(re.fullmatch(r"\w+", name) and re.search(r"[^\W\d_]", name))


def tag_address(tag_url: str, name: str) -> str:
    """Where a hashtag's posts are: letter case makes no other tag."""
    return f"{tag_url.rstrip('/')}/{quote(name.casefold(), safe='')}"


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


def _line(line: str, found: _Found) -> str:
    pieces: list[str] = []
    at = 0
    while token := _TOKEN.search(line, at):
        pieces.append(_text(line[at : token.start()]))
        length, html = _token(token, found)
        pieces.append(html)
        at = token.start() + length
    pieces.append(_text(line[at:]))
    return "".join(pieces)


def _token(token: re.Match[str], found: _Found) -> tuple[int, str]:
    """How many characters of the token were taken, and their HTML."""
    typed = token[0]
    if token["code"]:
        return len(typed), f"<code>{_text(typed[1:-1])}</code>"
    if token["url"]:
        url = _trimmed(typed)
        return len(url), _kept(_link(url), url) if _HOST.match(url) else _text(url)
    if token["mention"]:
        return len(typed), _mention(typed, found)
    return len(typed), _hashtag(typed, found)


def _trimmed(url: str) -> str:
    """The URL without the punctuation of the sentence around it: what closes stays if it was opened inside."""
    while url:
        last = url[-1]
        closes_nothing = last in _PAIRS and url.count(last) > url.count(_PAIRS[last])
        if last not in _TRAILING and not closes_nothing:
            return url
        url = url[:-1]
    return url


def _link(url: str) -> str:
    scheme, _, rest = url.partition("://")
    hidden, shown, more = f"{scheme}://", rest[:_SHOWN], rest[_SHOWN:]
    css = "ellipsis" if more else ""
    return (
        f'<a href="{_attribute(url)}" rel="{LINK_REL}"><span class="invisible">{_text(hidden)}</span>'
        f'<span class="{css}">{_text(shown)}</span><span class="invisible">{_text(more)}</span></a>'
    )


def _kept(html: str, typed: str) -> str:
    """The HTML if readers will keep it as it is (they refuse addresses with an impossible host), else the text."""
    return html if clean(html) == html else _text(typed)


def _mention(typed: str, found: _Found) -> str:
    entry = found.known.get(typed[1:].casefold())
    if entry is None:
        return _text(typed)
    key, mention = entry
    name = mention.address.partition("@")[0]
    html = (
        f'<span class="h-card"><a href="{_attribute(mention.url or mention.uri)}" class="u-url mention"'
        f' rel="{LINK_REL}">@<span>{_text(name)}</span></a></span>'
    )
    if clean(html) != html:
        return _text(typed)
    found.mentions[key] = None
    return html


def _hashtag(typed: str, found: _Found) -> str:
    name = typed[1:]
    if not is_hashtag(name):
        return _text(typed)
    found.hashtags.setdefault(name.casefold(), name)
    href = tag_address(found.tag_url, name)
    return f'<a href="{_attribute(href)}" class="mention hashtag" rel="{LINK_REL}">#<span>{_text(name)}</span></a>'


def _text(text: str) -> str:
    return escape(text, quote=False).replace("\N{NO-BREAK SPACE}", "&nbsp;")


def _attribute(text: str) -> str:
    return escape(text, quote=False).replace('"', "&quot;").replace("\N{NO-BREAK SPACE}", "&nbsp;")
