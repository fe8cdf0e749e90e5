"""What of outside HTML is let in: an allow-list, as Mastodon and GoToSocial keep theirs, and what it cannot say."""

import html as html_module
import re

import nh3

from privapub.markup.characters import contained
from privapub.markup.formula import ELEMENTS as FORMULAS
from privapub.markup.reshape import RENAMED, reshaped

_INLINE = {
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q",
    "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
}  # fmt: skip
# Blocks are kept although nothing here styles them: taken away, their contents would run into one line.
_BLOCKS = {
    "address", "article", "aside", "blockquote", "caption", "dd", "details", "div", "dl", "dt", "figcaption", "figure",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "summary",
    "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
# Elements whose content is no text for people.
_SILENCED = {"script", "style", "template", "iframe", "object", "noscript", "title", "textarea", "select", "svg"}
_LINK_CLASSES = {"mention", "hashtag", "u-url"}
_CLASSES = _LINK_CLASSES | {"h-card", "p-nickname", "invisible", "ellipsis", "quote-inline"}
_DIRECTED = {"bdo", "blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "span", "ul"}
_SCHEMES = {"http", "https", "mailto", "xmpp", "magnet", "gemini", "gopher", "dat", "ipfs", "ipns", "ssb"}
LINK_REL = "nofollow noopener noreferrer"
_ROUNDS = 4
_SLACK = 2000
# What HTML parsers do with tags that are not closed grows with the square of their number, or worse: formatting
# elements that differ in an attribute are opened anew in every paragraph after them. None of their attributes is kept.
MOST_TAGS = 5000
MOST_GROWTH = 4
_TAG = re.compile(r"<[a-zA-Z/]")
_ANY_TAG = re.compile(r"<[^<>]*>")
_FORMATTING = re.compile(r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/])[^>]*>", re.IGNORECASE)

_cleaner = nh3.Cleaner(
    # Pictures, formulas and old names of elements are let in here and do not come out of `reshaped`.
    tags=_INLINE | _BLOCKS | FORMULAS | set(RENAMED) | {"img"},
    clean_content_tags=_SILENCED,
    attributes={
        "a": {"href", "title", "translate"},
        "abbr": {"title"},
        "annotation": {"encoding"},
        "img": {"alt"},
        "li": {"value"},
        "math": {"alttext", "display"},
        "ol": {"start", "reversed"},
        "time": {"datetime"},
    },
    tag_attribute_values={
        tag: {"dir": {"ltr", "rtl", "auto"}} | ({"translate": {"no"}} if tag == "span" else {}) for tag in _DIRECTED
    },
    allowed_classes={"a": _LINK_CLASSES, "span": _CLASSES, "p": {"quote-inline"}},
    url_schemes=_SCHEMES,
    # A relative address in a document from elsewhere would point into this server.
    url_relative="deny",
    link_rel=LINK_REL,
    strip_comments=True,
)
_SPACES = re.compile(r"\s+")
_PREFORMATTED = re.compile("<pre>\n+")


def clean(html: str) -> str:
    """HTML that may stand in our pages and answers, from HTML that anyone may have written.

    What it lets through it leaves alone: `clean(clean(x)) == clean(x)`. An element that is not allowed goes, its text
    stays (but not that of scripts and the like).
    """
    before = _tamed(contained(html))
    most: int | None = MOST_GROWTH * len(html) + _SLACK
    for _ in range(_ROUNDS):
        # Once more until nothing changes: characters that were written as references appear only in the outcome.
        after = _once(before, most)
        if after == before:
            return after
        if after is None:
            most, after = None, contained(_without_tags(contained(html)))
        before = after
    return html_module.escape(before, quote=False)


def _once(html: str, most: int | None) -> str | None:
    """One round of cleaning; None where the outcome is longer than `most` or tangled, unless it is only lines."""
    cleaned = contained(_cleaner.clean(html))
    if most is not None and (len(cleaned) > most or _is_tangled(cleaned)):
        return None
    after = reshaped(cleaned)
    # A parser drops the line end after this tag, and so would each cleaning.
    return after and _PREFORMATTED.sub("<pre>", after)


def _tamed(html: str) -> str:
    """The HTML in a form that no parser takes long for; one of very many tags becomes its text."""
    if _is_tangled(html):
        return _without_tags(html)
    # Nothing after the last > is a tag; without it each search below ends where the tag ends.
    tags, end, rest = html.rpartition(">")
    return _FORMATTING.sub(r"<\1>", tags + end) + rest


def _is_tangled(html: str) -> bool:
    return sum(1 for _ in _TAG.finditer(html)) > MOST_TAGS


def _without_tags(html: str) -> str:
    """The text of HTML that is not worth parsing: each tag a line break."""
    lines = (line.strip() for line in _ANY_TAG.sub("\n", html).split("\n"))
    return "<br>".join(html_module.escape(html_module.unescape(line), quote=False) for line in lines if line)


def plain(text: str) -> str:
    """One line of text from a field that is said to be plain (a name, a title): contained, and white space folded.

    Not escaped: whoever puts it into HTML does that.
    """
    return _SPACES.sub(" ", contained(text)).strip()
