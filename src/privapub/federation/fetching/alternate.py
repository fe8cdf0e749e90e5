"""From a page for people to its document: the first `<link rel="alternate">` with an ActivityStreams type (pure)."""

from html import unescape
from urllib.parse import urljoin

from privapub.federation.fetching.origin import bare, origin
from privapub.markup.page_tags import page_tags
from privapub.outbound.answers import ACTIVITY_TYPES, is_one_of

_LONGEST = 4096  # of an attribute's value


def alternate(page: bytes) -> str | None:
    """The `href` of the first such link as it is written there, None where there is none."""
    for name, attributes in page_tags(page):
        if name == "link" and (href := _leads_to(attributes)) is not None:
            return href
    return None


def resolved(href: str, page_url: str) -> str | None:
    """Where a link on a page leads, without fragment; None where that belongs to no host."""
    try:
        url = bare(urljoin(page_url, href))
    except ValueError:
        return None
    return url if origin(url) else None


def _leads_to(attributes: dict[str, str]) -> str | None:
    href = attributes.get("href", "")
    if not 0 < len(href) <= _LONGEST or "alternate" not in attributes.get("rel", "").lower().split():
        return None
    return (
        unescape(href).strip() if is_one_of(unescape(attributes.get("type", "")[:_LONGEST]), ACTIVITY_TYPES) else None
    )
