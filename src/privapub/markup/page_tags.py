"""The tags of a page from elsewhere, as far as it is well-formed (pure).

A page is read once, from its beginning to its end and never back, so that the time it takes grows with its length and
with nothing else. What stands in comments, scripts and the like is no tag; what is not closed ends the reading.
"""

from collections.abc import Iterator

_SPACE = " \t\n\r\f"
_IN_NAME = frozenset(" \t\n\r\f/>=")
# HTML, section 13.2.5: elements whose content is text until their end tag.
_TEXT_INSIDE = frozenset({"script", "style", "title", "textarea", "noscript", "template", "iframe", "xmp", "noframes"})


def page_tags(page: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Each tag that begins an element: its name, and its attributes (the first of each name), their values escaped.

    Read as UTF-8: whatever else the page is in, tags and addresses are in ASCII. Names are in lower case.
    """
    text = page.decode("utf-8", "replace")
    lower = text.lower() if text.isascii() else "".join(_lower(letter) for letter in text)
    at = text.find("<")
    while at >= 0:
        if text.startswith("<!--", at):
            at = _after(text, "-->", at + 4)
        elif lower[at + 1 : at + 2].isalpha():
            name, attributes, at = _tag(text, at + 1)
            if at >= 0:
                yield name, attributes
            if at >= 0 and name in _TEXT_INSIDE:
                at = _after(lower, f"</{name}", at)
        else:
            at += 1
        at = text.find("<", at) if at >= 0 else -1


def _lower(letter: str) -> str:
    return letter.lower() if letter.isascii() else letter  # others may grow by it, and places would shift


def _after(text: str, end: str, start: int) -> int:
    found = text.find(end, start)
    return found + len(end) if found >= 0 else -1


def _tag(text: str, at: int) -> tuple[str, dict[str, str], int]:
    """The name of a tag, its attributes (the first of each name), and the place behind it: -1 where it has no end."""
    name, at = _until(text, at, _IN_NAME)
    attributes: dict[str, str] = {}
    while at < len(text):
        if text[at] == ">":
            return name.lower(), attributes, at + 1
        if text[at] in _SPACE or text[at] == "/":
            at += 1
            continue
        key, at = _until(text, at + 1, _IN_NAME, text[at])
        at = _past_space(text, at)
        value = ""
        if at < len(text) and text[at] == "=":
            value, at = _value(text, _past_space(text, at + 1))
        attributes.setdefault(key.lower(), value)
        if at < 0:
            break
    return name.lower(), attributes, -1


def _value(text: str, at: int) -> tuple[str, int]:
    if at >= len(text):
        return "", -1
    if text[at] in "\"'":
        end = text.find(text[at], at + 1)
        return (text[at + 1 : end], end + 1) if end >= 0 else ("", -1)
    return _until(text, at, frozenset(_SPACE + ">"))


def _until(text: str, at: int, stops: frozenset[str], before: str = "") -> tuple[str, int]:
    begin = at
    while at < len(text) and text[at] not in stops:
        at += 1
    return before + text[begin:at], at


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
