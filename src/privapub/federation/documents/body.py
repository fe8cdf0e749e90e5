"""What a reader sees of a post that is no Note: one piece of HTML that holds all that they would miss.

Raw HTML as others wrote it, with what was plain text escaped; whoever stores it cleans it. The lines of an event begin
with a sign instead of a word, since nobody knows in which language it is read.
"""

import re
from html import escape, unescape

from privapub.federation.documents.read_attachments import Pointer
from privapub.federation.documents.read_place import Event, Place
from privapub.markup.characters import contained

_PLAIN_TYPES = frozenset({"text/plain", "text/markdown", "text/x.misskeymarkdown", "text/bbcode"})


def as_html(text: str, media_type: str) -> str:
    """The content as HTML: plain text and the likes of Markdown as paragraphs of what was typed."""
    if media_type not in _PLAIN_TYPES:
        return text
    paragraphs = re.split(r"\n\s*\n", contained(text).strip())
    return "".join(f"<p>{escape(part, quote=False).replace(chr(10), '<br>')}</p>" for part in paragraphs if part)


def titled(title: str, html: str) -> str:
    """The HTML under its title, if it has one."""
    return f"<h2>{escape(title, quote=False)}</h2>{html}" if title else html


def when_and_where(event: Event | None, places: tuple[Place, ...]) -> str:
    """A paragraph with the times and places, "" where there are none."""
    lines = [] if event is None else _when(event)
    lines += [f"📍 {line}" for place in places if (line := _where(place))]
    if event is not None and event.sign_up:
        lines.append(f"🎟 {_anchor(event.sign_up, '')}")
    return f"<p>{'<br>'.join(lines)}</p>" if lines else ""


def _when(event: Event) -> list[str]:
    times = " \N{EN DASH} ".join(escape(time, quote=False) for time in (event.starts, event.ends) if time)
    zone = f" ({escape(event.timezone, quote=False)})" if event.timezone and times else ""
    lines = [f"🗓 {times}{zone}"] if times else []
    return [*lines, "❌ CANCELLED"] if event.status == "CANCELLED" else lines


def _where(place: Place) -> str:
    said = ", ".join(escape(part, quote=False) for part in (place.name, place.address) if part)
    if not said and place.latitude is not None and place.longitude is not None:
        said = f"{place.latitude:.4f}, {place.longitude:.4f}"
    return f"{said} {_anchor(place.url, '')}".strip() if place.url else said


def pointing(html: str, pointers: tuple[Pointer, ...], original: str | None) -> str:
    """The HTML with the pages that it points to and the original after it, unless it links to them already."""
    wanted = [*pointers, *([] if original is None else [Pointer(original)])]
    links = unescape(html)
    missing = {each.href: each for each in reversed(wanted) if not _links_to(links, each.href)}
    return html + "".join(f"<p>{_anchor(each.href, each.name)}</p>" for each in reversed(missing.values()))


def _links_to(html: str, href: str) -> bool:
    return f'href="{href}"' in html or f"href='{href}'" in html


def _anchor(href: str, name: str) -> str:
    return f'<a href="{escape(href)}">{escape(name or href, quote=False)}</a>'
