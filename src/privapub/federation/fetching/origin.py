"""Which server an id belongs to (pure). Ids are compared and kept verbatim; only their hosts are read."""

import re
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"https": 443, "http": 80}
_LAST_PORT = 65535
# What nearly all ids look like: it is read for every inbox of a fan-out, and taking it apart would cost most of that.
_PLAIN = re.compile(r"(https?)://([a-z0-9.-]*[a-z0-9-])(?::([0-9]{1,5}))?(?:/[!-~]*)?")


def origin(uri: str) -> str:
    """Host and port that an http(s) id belongs to, in lower case, the port where it is not the scheme's own.

    "" for everything that belongs to no host.
    """
    plain = _PLAIN.fullmatch(uri)
    if plain is not None:
        host, usual = plain[2], _DEFAULT_PORTS[plain[1]]
        port = int(plain[3] or usual)
        if port <= _LAST_PORT:
            return host if port == usual else f"{host}:{port}"
    return _taken_apart(uri)


def _taken_apart(uri: str) -> str:
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return ""
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc:
        return ""
    if ":" in host:
        host = f"[{host}]"
    return host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"


def same_origin(one: str, other: str) -> bool:
    """Whether both ids belong to one host; nothing that belongs to none does."""
    return bool(origin(one)) and origin(one) == origin(other)


def bare(uri: str) -> str:
    """The id without its fragment: what can be fetched of it."""
    return uri.partition("#")[0]
