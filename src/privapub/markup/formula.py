"""MathML as text, for the many readers that know no MathML."""

import re
from collections.abc import Sequence
from html import unescape

from privapub.markup.tags import VOID, Tag

# Elements of MathML Core 1 and of older MathML 3 that hold text or arrange it. Nothing that HTML may stand in is kept
# when it is written as text.
ELEMENTS = {
    "annotation", "math", "menclose", "merror", "mfenced", "mfrac", "mi", "mlabeledtr", "mmultiscripts", "mn", "mo",
    "mover", "mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub",
    "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none", "semantics",
}  # fmt: skip
_UNSEEN = re.compile("[\u2061-\u2064]")
_SPACES = re.compile(r"\s+")
_SIMPLE = re.compile(r"[\w.,]*|\(.*\)")
_TEX = {"application/x-tex", "application/x-latex", "TeX", "LaTeX"}
# How children stand together, by the element and their number.
_ARRANGED = {
    ("mfrac", 2): "{0}/{1}",
    ("mover", 2): "{0}^{1}",
    ("mroot", 2): "{0}^(1/{1})",
    ("msub", 2): "{0}_{1}",
    ("msubsup", 3): "{0}_{1}^{2}",
    ("msup", 2): "{0}^{1}",
    ("munder", 2): "{0}_{1}",
    ("munderover", 3): "{0}_{1}^{2}",
}
_LISTED = {"mfenced": (", ", "({})"), "mlabeledtr": (", ", "{}"), "mtable": ("; ", "[{}]"), "mtr": (", ", "{}")}
_SILENT = {"annotation", "mphantom", "mprescripts", "none"}


def formula_text(tags: Sequence[Tag]) -> str:
    """The text of one `math` element, not escaped: its `alttext`, else its TeX, else its signs in one line.

    TeX is put between dollar signs, as Mastodon does; two of them where the formula stands on a line of its own.
    """
    math = tags[0]
    if alternative := _folded(math.attribute("alttext")):
        return alternative
    if tex := _annotation(tags, _TEX):
        sign = "$$" if math.attribute("display") == "block" else "$"
        return f"{sign}{tex}{sign}"
    return _annotation(tags, {"text/plain"}) or _line(tags)


def _folded(text: str) -> str:
    return _SPACES.sub(" ", _UNSEEN.sub("", unescape(text))).strip()


def _annotation(tags: Sequence[Tag], encodings: set[str]) -> str:
    for index, tag in enumerate(tags):
        if tag.name == "annotation" and not tag.ends and tag.attribute("encoding") in encodings:
            following = tags[index + 1]
            return "" if following.name else _folded(following.text)
    return ""


def _line(tags: Sequence[Tag]) -> str:
    opened: list[list[str]] = [[]]
    for tag in tags:
        if not tag.name:
            if text := _folded(tag.text):
                opened[-1].append(text)
        elif tag.name in VOID:
            opened[-1].append(" ")
        elif not tag.ends:
            opened.append([])
        else:
            parts = opened.pop()
            opened[-1].append(_put_together(tag.name, parts))
    return _SPACES.sub(" ", "".join(opened[0])).strip()


def _put_together(name: str, parts: list[str]) -> str:
    """The text of an element from the texts of its children."""
    if pattern := _ARRANGED.get((name, len(parts))):
        return pattern.format(*(_grouped(part) for part in parts))
    if name in _LISTED:
        between, around = _LISTED[name]
        return around.format(between.join(parts))
    if name == "msqrt":
        return f"√{_grouped(''.join(parts))}"
    if name == "mspace":
        return " "
    return "" if name in _SILENT else "".join(parts)


def _grouped(text: str) -> str:
    """The text in brackets, unless it is so simple that nothing else can be meant."""
    return text if len(text) <= 1 or _SIMPLE.fullmatch(text) else f"({text})"
