"""From a page for people to its document: the first `<link rel="alternate">` with an ActivityStreams type (pure).

A page is read once, from its beginning to its end and never back, so that the time it takes grows with its length and
with nothing else. What stands in comments, scripts and the like is no tag; what is not closed ends the reading.
"""

from html import unescape
from urllib.parse import urljoin

from privapub.federation.fetching.origin import bare, origin
from privapub.outbound.answers import ACTIVITY_TYPES, is_one_of

_SPACE = " \t\n\r\f"
_IN_NAME = frozenset(" \t\n\r\f/>=")
# HTML, section 13.2.5: elements whose content is text until their end tag.
_TEXT_INSIDE = frozenset({"script", "style", "title", "textarea", "noscript", "template", "iframe", "xmp", "noframes"})
_LONGEST = 4096  # of an attribute's value


def alternate(page: bytes) -> str | None:
    """The `href` of the first such link as it is written there, None where there is none.

    Read as UTF-8: whatever else the page is in, tags and addresses are in ASCII.
    """
    text = page.decode("utf-8", "replace")
    lower = text.lower() if text.isascii() else "".join(_lower(letter) for letter in text)
    at = text.find("<")
    while at >= 0:
        if text.startswith("<!--", at):
            at = _after(text, "-->", at + 4)
        elif lower[at + 1 : at + 2].isalpha():
            name, attributes, at = _tag(text, at + 1)
            if at >= 0 and name == "link" and (href := _leads_to(attributes)) is not None:
                return href
            if at >= 0 and name in _TEXT_INSIDE:
                at = _after(lower, f"</{name}", at)
        else:
            at += 1
        at = text.find("<", at) if at >= 0 else -1
    return None


def resolved(href: str, page_url: str) -> str | None:
    """Where a link on a page leads, without fragment; None where that belongs to no host."""
    try:
        url = bare(urljoin(page_url, href))
    except ValueError:
        return None
    return url if origin(url) else None


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


def _leads_to(attributes: dict[str, str]) -> str | None:
    href = attributes.get("href", "")
    if not 0 < len(href) <= _LONGEST or "alternate" not in attributes.get("rel", "").lower().split():
        return None
    return (
        unescape(href).strip() if is_one_of(unescape(attributes.get("type", "")[:_LONGEST]), ACTIVITY_TYPES) else None
    )
