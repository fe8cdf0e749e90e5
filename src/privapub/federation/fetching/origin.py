"""Which server an id belongs to (pure). Ids are compared and kept verbatim; only their hosts are read."""

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"https": 443, "http": 80}


def origin(uri: str) -> str:
    """Host and port that an http(s) id belongs to, in lower case, the port where it is not the scheme's own.

    "" for everything that belongs to no host.
    """
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
