"""The URL of a request, judged before any name is looked up (pure)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin

from yarl import URL

from privapub.outbound import host as hosts

# All that RFC 3986 lets into a URI; such a one goes out letter by letter as it came.
_URI = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_NEVER = re.compile(r"[\x00-\x20\x7f\\]")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LONGEST = 4096
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True)
class Target:
    """Where a request goes.

    `url` is as it was given, without fragment; `wire` is the same for the client; `host` is in the one spelling by
    which it is known (`outbound.host`), without port; `authority` is the Host header (RFC 9110, section 7.2).
    """

    url: str
    wire: URL
    scheme: str
    host: str
    authority: str


def read(url: str) -> Target:
    """Take a URL apart; ValueError where it is none that may be asked: not http(s), with a user, or no host."""
    url = url.partition("#")[0]
    if not url or len(url) > _LONGEST or _NEVER.search(url):
        raise ValueError("no URL")
    return _read(url)


@lru_cache(maxsize=1024)  # one activity names its hosts several times, and the next one the same again
def _read(url: str) -> Target:
    try:
        wire = URL(url, encoded=_URI.fullmatch(url) is not None)
    except IndexError:  # its reader falls over "[::1]user@"
        raise ValueError("no URL") from None
    if wire.scheme not in PORTS or wire.user is not None or wire.password is not None:
        raise ValueError("no URL to ask")
    raw = wire.raw_host or ""
    host = hosts.spelled(raw)
    if not wire.port:
        raise ValueError("no host")
    return Target(
        url=url,
        wire=wire,
        scheme=wire.scheme,
        host=host,
        authority=(wire.host_port_subcomponent or raw).lower(),
    )


def host_of(url: str) -> str:
    """The host of a URL, in its one spelling; "" where it has none that may be asked."""
    try:
        return read(url).host
    except ValueError:
        return ""


def next_hop(now_at: Target, location: str, *, same_host: bool) -> Target:
    """Where a redirect leads; ValueError where it must not be followed.

    Never from https to http, and with `same_host` never to another host.
    """
    location = location.strip(" \t")
    if not location:
        raise ValueError("to nowhere")
    after = read(location if _ABSOLUTE.match(location) else urljoin(now_at.url, location))
    if now_at.scheme == "https" and after.scheme != "https":
        raise ValueError("from https to http")
    if same_host and after.host != now_at.host:
        raise ValueError("to another host")
    return after
