"""Webfinger (RFC 7033) and host-meta (RFC 6415): from an address to an actor."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import quoteattr

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor, by_uri
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.federation.served.actor import NOBODY
from privapub.federation.served.answer import body
from privapub.outbound.answers import ACTIVITY_JSON
from privapub.personas.read import by_handle
from privapub.server import Server

JRD = "application/jrd+json"
XRD = "application/xrd+xml; charset=utf-8"
_ANYONE = {"Access-Control-Allow-Origin": "*"}  # RFC 7033, section 5
_NO_RESOURCE = "Ask with ?resource=acct:name@host."
_LONGEST = 2048
_BAD_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2})")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\ufffd]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


async def webfinger(server: Server, request: Request) -> Response:
    """The JRD of one of our actors, by address, by id or by page.

    Raises InvalidInput for a question that is none, NotFound for anybody else.
    """
    query = request.scope.get("query_string", b"").decode("latin-1")
    resource, wanted = asked(query)
    async with server.database.read() as tx:
        found = await _find(tx, server, resource)
    if found is None or not found.local or found.is_gone:
        raise NotFound(NOBODY)
    return body(request, msgspec.json.encode(_jrd(found, Addresses(server.base_url), wanted)), JRD, headers=_ANYONE)


def asked(query: str) -> tuple[str, frozenset[str]]:
    """The one resource that a query string asks for, and the relations to which it limits the links (none: all).

    Raises InvalidInput.
    """
    if _BAD_ESCAPE.search(query):
        raise InvalidInput(_NO_RESOURCE)
    pairs = parse_qsl(query, keep_blank_values=True, encoding="utf-8", errors="replace")
    resources = [value for name, value in pairs if name == "resource"]
    if len(resources) != 1:
        raise InvalidInput(_NO_RESOURCE)
    resource = resources[0]
    if not resource or len(resource) > _LONGEST or _UNPRINTABLE.search(resource):
        raise InvalidInput(_NO_RESOURCE)
    return resource, frozenset(value for name, value in pairs if name == "rel")


def address(resource: str) -> tuple[str, str] | None:
    """Handle and host (lower case) of `acct:handle@host`, also with a leading @ or without the scheme.

    None for what is no address; raises InvalidInput for an address without a handle or a host.
    """
    scheme = _SCHEME.match(resource)
    if scheme and scheme[0].lower() != "acct:":
        return None
    rest = resource[len(scheme[0]) :] if scheme and scheme[0].lower() == "acct:" else resource
    handle, at, host = rest.removeprefix("@").rpartition("@")
    if not at or not handle or not host:
        raise InvalidInput(_NO_RESOURCE)
    return handle, host.lower()


async def _find(tx: Transaction, server: Server, resource: str) -> Actor | None:
    addresses = Addresses(server.base_url)
    parts = address(resource)
    if parts is None:
        return await _by_url(tx, addresses, resource)
    handle, host = parts
    ours = {server.domain.lower(), urlsplit(server.base_url).netloc.lower()}
    if host not in ours:
        return None
    if handle.lower() in ours:
        return await by_uri(tx, addresses.application)
    persona = await by_handle(tx, handle)
    return persona.actor if persona else None


async def _by_url(tx: Transaction, addresses: Addresses, url: str) -> Actor | None:
    """By the id or the page of an actor; the host in any case (RFC 3986, section 6.2.2.1)."""
    base = addresses.base_url
    if url[: len(base)].lower() != base.lower():
        return None
    path = url[len(base) :]
    if path.startswith("/@"):
        persona = await by_handle(tx, path.removeprefix("/@"))
        return persona.actor if persona else None
    return await by_uri(tx, addresses.application if path in {"", "/"} else base + path)


def _jrd(actor: Actor, addresses: Addresses, wanted: frozenset[str]) -> dict[str, Any]:
    page = actor.url or addresses.persona_page(actor.handle)
    links = [
        {"rel": "self", "type": ACTIVITY_JSON, "href": actor.uri},
        {"rel": "http://webfinger.net/rel/profile-page", "type": "text/html", "href": page},
    ]
    return {
        "subject": f"acct:{actor.address}",
        "aliases": list(dict.fromkeys([page, actor.uri])),
        "links": [link for link in links if not wanted or link["rel"] in wanted],
    }


async def host_meta(server: Server, request: Request) -> Response:
    """Where webfinger is, as XML."""
    template = quoteattr(_template(server))
    xml = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">\n'
        f'  <Link rel="lrdd" type="{JRD}" template={template}/>\n'
        "</XRD>\n"
    )
    return body(request, xml.encode(), XRD, headers=_ANYONE)


async def host_meta_json(server: Server, request: Request) -> Response:
    """The same as JSON."""
    jrd = {"links": [{"rel": "lrdd", "type": JRD, "template": _template(server)}]}
    return body(request, msgspec.json.encode(jrd), JRD, headers=_ANYONE)


def _template(server: Server) -> str:
    return f"{server.base_url}/.well-known/webfinger?resource={{uri}}"
