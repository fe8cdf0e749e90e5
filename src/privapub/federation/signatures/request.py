"""The request that is signed or checked, and the refusal that ends a check."""

import re
from dataclasses import dataclass
from functools import cached_property

from privapub import errors

_URL = re.compile(r"(https?)://([^/?#@]+)(/[^?#]*)?(\?[^#]*)?(?:#.*)?", re.ASCII | re.IGNORECASE)
_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)
DEFAULT_PORTS = {"http": "80", "https": "443"}
LONGEST_URL = 8192


class BadSignature(errors.InvalidInput):
    """This request is not signed as it must be.

    `reason` is a short word for reports and tests; the message is the sentence that the sender may read.
    """

    def __init__(self, reason: str, sentence: str = "") -> None:
        """Keep the word; without a sentence the class's own is used."""
        super().__init__(sentence or "This request is not signed as it must be.")
        self.reason = reason


@dataclass(frozen=True)
class Target:
    """The parts of a target URI (RFC 9110, section 7.1): `query` begins with `?` or is empty."""

    scheme: str
    host: str
    port: str
    path: str
    query: str

    @property
    def authority(self) -> str:
        """Host in lower case, and the port unless it is the scheme's own (RFC 9421, section 2.2.3)."""
        return f"{self.host}:{self.port}" if self.port else self.host

    @property
    def origin_form(self) -> str:
        """Path and query, as in the first line of the request."""
        return self.path + self.query

    @property
    def uri(self) -> str:
        """The whole, without a fragment."""
        return f"{self.scheme}://{self.authority}{self.origin_form}"


@dataclass(frozen=True)
class HttpRequest:
    """A request as the outside sees it.

    `url` is the full target URI that the sender meant: an entrance behind a proxy puts the public name there, and where
    the proxy rewrites `Host`, the public name in that header too. `headers` are the field lines in their order.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def lines(self, name: str) -> tuple[str, ...]:
        """The values of one field, line by line, without white space around them."""
        return self._fields.get(name.lower(), ())

    def header(self, name: str) -> str | None:
        """The value of a field, its lines joined with `, ` (RFC 9110, section 5.3); None where it is absent."""
        found = self.lines(name)
        return ", ".join(found) if found else None

    @cached_property
    def _fields(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name, value in self.headers:
            field = name.lower()
            found[field] = (*found.get(field, ()), value.strip(" \t"))
        return found

    @cached_property
    def target(self) -> Target:
        """The parts of `url`; BadSignature where it is no http(s) URI in ASCII."""
        parts = _URL.fullmatch(self.url) if len(self.url) <= LONGEST_URL and _PRINTABLE.fullmatch(self.url) else None
        if parts is None:
            raise BadSignature("malformed", "The address of this request cannot be understood.")
        scheme, authority, path, query = parts[1].lower(), parts[2].lower(), parts[3] or "/", parts[4] or ""
        host, port = split_port(authority)
        return Target(scheme, host, "" if port == DEFAULT_PORTS[scheme] else port, path, query)

    @property
    def bodiless(self) -> bool:
        """Whether its method carries no content, so that no digest is asked for."""
        return self.method.upper() in {"GET", "HEAD"}


def split_port(authority: str) -> tuple[str, str]:
    """Host and port of `host`, `host:port` or `[address]:port`; the port is empty where there is none."""
    host, colon, port = authority.rpartition(":")
    if colon and port.isdigit() and (":" not in host or host.endswith("]")):
        return host, port
    return authority, ""
