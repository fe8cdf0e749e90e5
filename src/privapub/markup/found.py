"""Links, mentions and hashtags in typed text: where each ends, and its HTML."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from privapub.markup.clean import LINK_REL, clean
from privapub.markup.hashtags import ends_word, hashtag_at, tag_address, tag_key

# Punctuation, brackets and quotes of scripts that put no space around them, and marks that nobody sees: no address
# goes on after them.
_STOP = (
    "\u00ab\u00bb\u200b\u200e\u200f\u2018\u201a-\u201f\u2026\u2039\u203a\u2028-\u202f\u2060-\u206f\u3000-\u3003\u3008-\u3011"
    "\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
# Letters of scripts that put no space between words: what follows a host or a name in them is the next word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IN_HOST = rf"[^\s\x00-\x2c/:-@\[-\x5e`{{-\xa0{_STOP}]"
_HOST = rf"(?![.-]){_IN_HOST}(?:{_IN_HOST}*(?![.-]){_IN_HOST})?"
TOKEN = re.compile(
    r"(?P<url>(?<![A-Za-z0-9@/_.+-])https?://(?![\w.~%!$&*+=:-]{0,200}@)"
    rf"(?P<site>\[[0-9a-f:.]+\]|{_HOST})(?P<rest>(?::[0-9]{{1,5}}(?![\w.-]))?(?:[/?#][^\s<>\"`\\{_STOP}]*)?))"
    rf"|(?P<mention>(?:(?<![\w@/.+=-])|(?<=[{_UNSPACED}]))@(?P<name>[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)"
    rf"(?:@(?P<host>{_HOST})(?P<port>:[0-9]{{2,5}}(?!\w))?)?)(?![.-]{{0,3}}[A-Za-z0-9_@])(?!(?![{_UNSPACED}])\w)"
    r"|(?P<hashtag>(?<![\w/&#\uff03])[#\uff03](?=[^\s#]))",
    re.IGNORECASE,
)
_MIXED = re.compile(rf"[a-z0-9-]+(?=[{_UNSPACED}])", re.IGNORECASE)
# ASCII punctuation, and marks and closing quotes of other scripts.
_TRAILING = ".,;:!?'\"*_~|\u2019"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_SHOWN = 30


@dataclass(frozen=True)
class Mention:
    """Somebody who can be mentioned: id on the wire, page for people, and `user@host`."""

    uri: str
    url: str
    address: str


class Found:
    """What has been found in a text so far: whom it mentions, whom nobody knows, its hashtags; each once, in order."""

    def __init__(self, mentions: Mapping[str, Mention], tag_url: str) -> None:
        self.known = {key.casefold(): (key, mention) for key, mention in mentions.items()}
        self.tag_url = tag_url
        self.mentions: dict[str, None] = {}
        self.unknown: dict[str, str] = {}
        self.hashtags: dict[str, str] = {}


def written(token: re.Match[str], found: Found | None) -> tuple[int, str]:
    """How many characters of what `TOKEN` matched were taken, and their HTML.

    Without `found` only the number counts. It is not zero, and what is no link after all is its text.
    """
    if token["url"]:
        url = _url(token)
        html = _link(url) if found else ""
        return len(url), html if html and clean(html) == html else text_html(url)
    if token["mention"]:
        address = _address(token)
        return len(address) + 1, _mention(address, found) if found else ""
    sign = token.start("hashtag")
    name = "" if ends_word(token.string, sign) else hashtag_at(token.string, sign + 1)
    return len(name) + 1, _hashtag(name, found) if name and found else text_html(token[0])


def text_html(text: str) -> str:
    """Text as HTML, spelt as the cleaner spells it."""
    return escape(text, quote=False).replace("\N{NO-BREAK SPACE}", "&nbsp;")


def _without_next_word(host: str) -> str:
    """The host without a word that follows it in a script that needs no space: no top domain mixes two scripts."""
    before, dot, last = host.rpartition(".")
    mixed = _MIXED.match(last)
    return before + dot + mixed[0] if mixed else host


def _url(token: re.Match[str]) -> str:
    """The URL without the sentence around it: what closes stays if it was opened inside."""
    site = _without_next_word(token["site"])
    start = token[0][: token.start("site") - token.start()] + site
    if len(site) < len(token["site"]):
        return start
    opened: list[str] = []
    rest = token["rest"]
    for index, character in enumerate(rest):
        if character in _PAIRS.values():
            opened.append(character)
        elif character in _PAIRS and (not opened or opened.pop() != _PAIRS[character]):
            rest = rest[:index]
            break
    return start + rest.rstrip(_TRAILING + "".join(_PAIRS.values()))


def _address(token: re.Match[str]) -> str:
    if not token["host"]:
        return token["name"]
    host = _without_next_word(token["host"])
    port = token["port"] if len(host) == len(token["host"]) else ""
    return f"{token['name']}@{host}{port or ''}"


def _link(url: str) -> str:
    scheme, _, rest = url.partition("://")
    host = re.match(r"[^/?#]*", rest)
    shown_length = max(_SHOWN, host.end() if host else 0)
    hidden, shown, more = f"{scheme}://", rest[:shown_length], rest[shown_length:]
    css = "ellipsis" if more else ""
    return (
        f'<a href="{_attribute(url)}" rel="{LINK_REL}"><span class="invisible">{text_html(hidden)}</span>'
        f'<span class="{css}">{text_html(shown)}</span><span class="invisible">{text_html(more)}</span></a>'
    )


def _mention(address: str, found: Found) -> str:
    entry = found.known.get(address.casefold())
    if entry is None:
        found.unknown.setdefault(address.casefold(), address)
        return text_html(f"@{address}")
    key, mention = entry
    name = mention.address.partition("@")[0]
    html = (
        f'<span class="h-card"><a href="{_attribute(mention.url or mention.uri)}" class="u-url mention"'
        f' rel="{LINK_REL}">@<span>{text_html(name)}</span></a></span>'
    )
    if clean(html) != html:
        return text_html(f"@{address}")
    found.mentions[key] = None
    return html


def _hashtag(name: str, found: Found) -> str:
    found.hashtags.setdefault(tag_key(name), name)
    href = tag_address(found.tag_url, name)
    return f'<a href="{_attribute(href)}" class="mention hashtag" rel="{LINK_REL}">#<span>{text_html(name)}</span></a>'


def _attribute(text: str) -> str:
    return text_html(text).replace('"', "&quot;")
