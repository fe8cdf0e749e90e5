"""HTML as lines of text, for whatever cannot show HTML: titles, descriptions, content warnings."""

import re
from collections.abc import Iterator
from html import unescape

from privapub.markup.characters import contained

_BREAKING = {
    "address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "figcaption",
    "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
    "summary", "table", "tr", "ul",
}  # fmt: skip
# Brackets around the reading of a sign are written here for every reading, whether somebody wrote them or not.
_SILENCED = {"script", "style", "template", "iframe", "noscript", "rp"}
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
# What is no text inside: HTML ends it only with its own end tag (HTML, section 13.2.5.4 and following).
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
_MARK = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|!--|[!?/])")
_QUOTE_OR_END = re.compile(r">|=\s*([\"'])")


def text_of(html: str) -> str:
    """The text of HTML, block by block on lines of its own; not escaped, and contained like any other text."""
    said: list[str] = []
    silenced = 0
    for name, ends, text in _tokens(html):
        if not name:
            said.append("" if silenced else _SPACES.sub(" ", unescape(text)))
        elif name in _SILENCED:
            silenced = max(0, silenced - 1 if ends else silenced + 1)
        elif name in _BREAKING:
            said.append("" if ends and name == "br" else "\n")
        elif name in {"td", "th"}:
            said.append("" if ends else " ")
        elif name == "rt":
            said.append(")" if ends else "(")
    folded = (_SPACES.sub(" ", line).strip() for line in "".join(said).split("\n"))
    return contained("\n".join(line for line in folded if line))


def _tokens(html: str) -> Iterator[tuple[str, bool, str]]:
    """The tags (name, whether it ends an element) and the texts of HTML, in order.

    Each character is looked at a few times at most: what is begun and never ended makes all that is left a text,
    instead of being begun again at the next sign.
    """
    at = 0
    while (mark := _MARK.search(html, at)) is not None:
        end = _end(html, mark)
        if end is None:
            break
        yield "", False, html[at : mark.start()]
        at = end
        if mark[2] is None:
            continue
        name = mark[2].lower()
        yield name, bool(mark[1]), ""
        if name in _RAW_ENDS and not mark[1]:
            raw = _RAW_ENDS[name].search(html, at)
            if raw is None:
                return
            at = raw.start()
    yield "", False, html[at:]


def _end(html: str, mark: re.Match[str]) -> int | None:
    """Where a tag or a comment ends; None for one that does not."""
    if mark[2] is None:
        sign = "-->" if mark[0] == "<!--" else ">"
        end = html.find(sign, mark.start() + 2)
        return None if end < 0 else end + len(sign)
    at = mark.end()
    while (found := _QUOTE_OR_END.search(html, at)) is not None:
        if found[1] is None:
            return found.end()
        at = html.find(found[1], found.end()) + 1
        if not at:
            return None
    return None


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of a text on one line, cut at a word where there is one near."""
    line = _SPACES.sub(" ", text).strip()
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, _, _ = cut.rpartition(" ")
    return contained((head if len(head) > limit // 2 else cut).rstrip() + "…")
