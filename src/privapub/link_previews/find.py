"""Which address in a post is shown with a preview (pure)."""

import re
from collections.abc import Collection, Iterable, Mapping
from html import unescape
from typing import Any

from privapub.outbound import target

LONGEST = 2000
_LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)
_ATTRIBUTE = re.compile(r'\b(href|class)="([^"]*)"')
_QUOTE_LINE = re.compile(r'<p class="quote-inline">.*?</p>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_SIGNS = ("#", "@", "\uff03")
_NO_LINKS = frozenset({"mention", "hashtag", "u-url"})


def first_link(html: str, tags: Iterable[Mapping[str, Any]], others: Collection[str]) -> str | None:
    """The first link of a post's cleaned HTML, without its fragment; None where it has none that is to be shown.

    Passed over are mentions, hashtags, what `others` names (the post that it quotes, its own attachments), and what is
    no http(s) address of up to 2,000 characters.
    """
    named = {tag.get("href") for tag in tags if tag.get("type") in {"Mention", "Hashtag"}} | set(others)
    for link in _LINK.finditer(_QUOTE_LINE.sub("", html)):
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(link[1])}
        href = attributes.get("href", "")
        said = unescape(_TAG.sub("", link[2])).lstrip()
        if href in named or _NO_LINKS & set(attributes.get("class", "").split()) or said.startswith(_SIGNS):
            continue
        try:
            found = target.read(href)
        except ValueError:
            continue
        address = str(found.wire)
        if len(address) <= LONGEST and address.isascii():
            return address
    return None
