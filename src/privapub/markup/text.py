"""HTML as lines of text, for whatever cannot show HTML: titles, descriptions, content warnings."""

import re
from html.parser import HTMLParser

from privapub.markup.characters import contained

_BREAKING = {
    "address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt", "figcaption",
    "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section",
    "summary", "table", "tr", "ul",
}  # fmt: skip
# Brackets around the reading of a sign are written here for every reading, whether somebody wrote them or not.
_SILENCED = {"script", "style", "template", "iframe", "noscript", "rp"}
_SPACES = re.compile(r"[ \t\r\n\f\v]+")


class _Lines(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = [""]
        self.silenced = 0

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        if tag in _SILENCED:
            self.silenced += 1
        elif tag in _BREAKING:
            self.lines.append("")
        elif tag in {"td", "th"}:
            self.lines[-1] += " "
        elif tag == "rt":
            self.lines[-1] += "("

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENCED:
            self.silenced = max(0, self.silenced - 1)
        elif tag in _BREAKING and tag != "br":
            self.lines.append("")
        elif tag == "rt":
            self.lines[-1] += ")"

    def handle_data(self, data: str) -> None:
        if not self.silenced:
            self.lines[-1] += data


def text_of(html: str) -> str:
    """The text of HTML, block by block on lines of its own; not escaped, and contained like any other text."""
    reader = _Lines()
    reader.feed(html)
    reader.close()
    folded = (_SPACES.sub(" ", line).strip() for line in reader.lines)
    return contained("\n".join(line for line in folded if line))


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters of a text on one line, cut at a word where there is one near."""
    line = _SPACES.sub(" ", text).strip()
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    head, _, _ = cut.rpartition(" ")
    return contained((head if len(head) > limit // 2 else cut).rstrip() + "…")
