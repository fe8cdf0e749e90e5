"""What an allow-list cannot say of HTML: formulas become text, links show themselves, cells stand apart."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape

from privapub.markup.formula import formula_text
from privapub.markup.tags import Tag, ends_of, tags_of

# Deeper than anyone quotes, and less than what browsers and apps can take.
MOST_DEPTH = 100
# What is let in only to be called by another name: gone, its contents would run into one line or lose their meaning.
RENAMED = {
    "acronym": "abbr", "center": "div", "dialog": "div", "dir": "ul", "fieldset": "div", "form": "div", "hgroup": "div",
    "legend": "div", "listing": "pre", "menu": "ul", "nav": "div", "search": "div", "strike": "s", "tt": "code",
}  # fmt: skip
_WORK = re.compile(rf"<(?:a|math|img|td|th|tr|{'|'.join(RENAMED)})\b|invisible|quote-inline")
_CELLS = {"td", "th"}
_ROWS = {"tr", "thead", "tbody", "tfoot"}
_SITE = re.compile(r"(https?://)[^/?#]*", re.IGNORECASE)
_HIDDEN_START = re.compile(r"(?:https?://(?:www\.)?)?", re.IGNORECASE)
# White space, and what looks like it: joiners, marks of direction, fillers of Hangul, an empty pattern of Braille.
_BLANK = re.compile(
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*"
)
_PICTOGRAM = re.compile(r":[\w+-]+:|[^\w\s<>]{1,16}")
# What stands before the link in a line that is only for readers who cannot show quotes.
_QUOTE_SIGN = re.compile(r"(?:RE|QT|QP|RN|RT)?:?\[?\]?", re.IGNORECASE)


def reshaped(html: str) -> str | None:
    """HTML from the cleaner in the shape in which everyone can read it; None where it is nested too deep.

    - A formula becomes its text, a picture that stands for a character its character.
    - A link shows its address where it showed nothing; parts of a link are hidden only if what is left and what is
      hidden are together its very address, and the host is seen (so that it is copied whole and deceives nobody).
    - Whole elements are hidden by no class, but the line with the address of a quoted post.
    - Between cells stands a space and between rows a line end, for readers that know no tables.
    """
    if html.count("<") <= MOST_DEPTH and not _WORK.search(html):
        return html
    tags = tags_of(html)
    ends = ends_of(tags, MOST_DEPTH)
    return None if ends is None else "".join(_Reshaping(tags, ends).pieces())


class _Reshaping:
    """One walk over the tags: what has been seen of the link in which it stands."""

    def __init__(self, tags: Sequence[Tag], ends: Mapping[int, int]) -> None:
        self.tags = tags
        self.ends = ends
        self.may_hide_until = 0
        self.shows_pictures_until = 0
        self.addresses: dict[int, str] = {}

    def pieces(self) -> Iterator[str]:
        """The HTML, piece by piece."""
        past = 0
        for at, tag in enumerate(self.tags):
            if at < past:
                continue
            if tag.name == "math" and not tag.ends:
                past = self.ends[at] + 1
                yield _text(formula_text(self.tags[at:past]))
            elif tag.name == "img":
                alternative = unescape(tag.attribute("alt"))
                if at < self.shows_pictures_until or _PICTOGRAM.fullmatch(alternative):
                    yield _text(alternative)
            else:
                yield self.piece(at, tag)

    def piece(self, at: int, tag: Tag) -> str:
        """The HTML of a tag or text that stays, with what must stand before it."""
        before = _gap(self.tags[at - 1], tag) if at else ""
        if tag.ends or tag.name not in {"a", "span", "p"}:
            shown = _text(self.addresses[at]) if at in self.addresses else ""
            return before + shown + _judged(tag, (), may_hide=True).written()
        inner = self.tags[at + 1 : self.ends[at]]
        if tag.name == "a" and (address := unescape(tag.attribute("href"))):
            self.enter(at, inner, address)
        return _judged(tag, inner, may_hide=at < self.may_hide_until).written()

    def enter(self, at: int, inner: Sequence[Tag], address: str) -> None:
        """Judge a link by what stands in it."""
        if _shows_address(inner, address):
            self.may_hide_until = self.ends[at]
        elif _is_blank(inner):
            self.shows_pictures_until = self.ends[at]
            if not any(_says_something(unescape(part.attribute("alt"))) for part in inner):
                self.addresses[self.ends[at]] = address


def _judged(tag: Tag, inner: Sequence[Tag], *, may_hide: bool) -> Tag:
    """The tag under the name and with the classes that it may have."""
    if tag.name in RENAMED:
        return Tag(RENAMED[tag.name], tag.ends, "", "")
    if not tag.attributes:
        return tag
    classes = tag.classes()
    if "invisible" in classes and not may_hide:
        return _without_class(tag, "invisible")
    if "quote-inline" in classes and not _is_quote_line(inner):
        return _without_class(tag, "quote-inline")
    return tag


def _without_class(tag: Tag, unwanted: str) -> Tag:
    rest = " ".join(word for word in tag.classes() if word != unwanted)
    attributes = tag.attributes.replace(f' class="{tag.attribute("class")}"', f' class="{rest}"' if rest else "")
    return tag._replace(attributes=attributes)


def _shows_address(inner: Sequence[Tag], address: str) -> bool:
    """Whether the text of a link is its address, of which only a known start and what is past the host are hidden."""
    parts = ["", "", ""]
    place = 0
    hidden: list[bool] = []
    is_cut = False
    for tag in inner:
        if tag.name == "span":
            is_cut = is_cut or "ellipsis" in tag.classes()
            if tag.ends:
                hidden.pop()
            else:
                hidden.append("invisible" in tag.classes())
        elif tag.name:
            return False
        elif any(hidden):
            place = 2 if parts[1] else 0
            parts[place] += unescape(tag.text)
        elif parts[2]:
            return False
        else:
            parts[1] += unescape(tag.text)
    site = _SITE.match(address)
    return bool(
        site
        and "".join(parts) == address
        and _HIDDEN_START.fullmatch(parts[0])
        and len(parts[0]) + len(parts[1]) >= site.end()
        and (is_cut or not parts[2])
    )


def _says_something(text: str) -> bool:
    return not _BLANK.fullmatch(text)


def _is_blank(inner: Sequence[Tag]) -> bool:
    """Whether there is nothing to see in a link."""
    return not any(tag.name == "math" or _says_something(unescape(tag.text)) for tag in inner)


def _is_quote_line(inner: Sequence[Tag]) -> bool:
    """Whether this holds nothing but one link that shows its address, and the sign of a quote."""
    outside: list[str] = []
    links = 0
    begins = 0
    for index, tag in enumerate(inner):
        if tag.name == "a" and not tag.ends:
            links, begins = links + 1, index + 1
        elif tag.name == "a":
            text = "".join(unescape(part.text) for part in inner[begins:index])
            if text != unescape(inner[begins - 1].attribute("href")):
                return False
            begins = 0
        elif not begins:
            outside.append(unescape(tag.text))
    return links == 1 and bool(_QUOTE_SIGN.fullmatch("".join("".join(outside).split())))


def _gap(before: Tag, tag: Tag) -> str:
    if not before.ends or tag.ends:
        return ""
    if tag.name in _CELLS and before.name in _CELLS:
        return " "
    return "\n" if tag.name in _ROWS and before.name in _ROWS else ""


def _text(text: str) -> str:
    return escape(text, quote=False).replace("\N{NO-BREAK SPACE}", "&nbsp;")
