"""How a document was asked for: in what form, and by whom."""

import re

from starlette.requests import Request

from privapub import clock
from privapub.actors.read import Actor
from privapub.errors import NotFound, Unavailable
from privapub.federation.asker import Signed, Undecided, as_sent, who_signed
from privapub.markup.characters import storable
from privapub.outbound.answers import ACTIVITY_JSON, LD_JSON
from privapub.server import Server

_DOCUMENTS = frozenset({"application/activity+json", "application/ld+json", "application/json"})
_PAGES = frozenset({"text/html", "application/xhtml+xml", "text/*", "*/*"})
_LONGEST_PART = 200
SIGNATURE = "signature"
_QUALITY = re.compile(r"q\s*=\s*([01](?:\.\d{0,3})?)", re.IGNORECASE)


def wants_document(accept: str | None) -> bool:
    """Whether a document rather than a page answers this `Accept` (RFC 9110, section 12.5.1).

    A page wins where both are welcome alike, and where nothing is said: that is a person with some tool.
    """
    ranges = _ranges(accept or "")
    documents = max((quality for name, quality in ranges if name in _DOCUMENTS), default=0.0)
    pages = max((quality for name, quality in ranges if name in _PAGES and name != "*/*"), default=0.0)
    anything = max((quality for name, quality in ranges if name == "*/*"), default=0.0)
    return documents > pages and documents >= anything


def media_type(accept: str | None) -> str:
    """The one of the two names of the same thing that was asked for first."""
    for name, quality in _ranges(accept or ""):
        if quality > 0 and name == "application/ld+json":
            return LD_JSON
        if quality > 0 and name == "application/activity+json":
            break
    return ACTIVITY_JSON


def _ranges(accept: str) -> list[tuple[str, float]]:
    found = []
    for part in accept[:2000].split(","):
        name, *parameters = part.split(";")
        qualities = (_QUALITY.fullmatch(parameter.strip()) for parameter in parameters)
        quality = next((float(match[1]) for match in qualities if match), 1.0)
        found.append((name.strip().lower(), min(quality, 1.0)))
    return found


def part(request: Request, name: str) -> str:
    """A part of the path; raises NotFound for one that no address of ours can have."""
    text: str = request.path_params[name]
    if len(text) > _LONGEST_PART or storable(text) != text:
        raise NotFound("There is nothing here.")
    return text


async def viewer(server: Server, request: Request) -> Actor | None:
    """The actor that signed the request, None where nobody whom we believe did.

    Raises Unavailable where it cannot be told now: whatever the address holds, so that nothing is given away by it.
    """
    if SIGNATURE not in request.headers:
        return None
    if not hasattr(request.state, "signed_by"):  # asked once of each request
        opinion = await who_signed(server, as_sent(server, request), clock.now())
        if isinstance(opinion, Undecided):
            raise Unavailable(opinion.sentence)
        here = isinstance(opinion, Signed) and not opinion.actor.is_gone
        request.state.signed_by = opinion.actor if isinstance(opinion, Signed) and here else None
    signed_by: Actor | None = request.state.signed_by
    return signed_by
