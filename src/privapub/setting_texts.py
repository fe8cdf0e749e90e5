"""How the text of a setting is read: each function gives the value, or ValueError for what cannot be one (pure)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_ON, _OFF = frozenset({"on", "true", "yes", "1"}), frozenset({"off", "false", "no", "0"})

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Listen:
    """Where the server listens: a host name or address, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """`host:port`, an IPv6 address in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number between these two."""

    def parse(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return parse


def one_of(*words: str) -> Callable[[str], str]:
    """One of these words, in any case."""

    def parse(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return parse


def switch(text: str) -> bool:
    """On or off."""
    word = text.lower()
    if word not in _ON | _OFF:
        raise ValueError(text)
    return word in _ON


def text(longest: int) -> Callable[[str], str]:
    """One line with up to so many characters."""

    def parse(text: str) -> str:
        if len(text) > longest or any(ord(letter) < ord(" ") for letter in text):
            raise ValueError(text)
        return text.strip()

    return parse


def folder(text: str) -> Path:
    """A folder."""
    # The path becomes part of a database URL, where a question mark begins the options.
    if "?" in text or "\0" in text:
        raise ValueError(text)
    return Path(text).expanduser()


def storage_url(text: str) -> str:
    """Where files are kept: a folder or a bucket."""
    if not re.fullmatch(r"(?:file:///|s3://[^/?]).*", text):
        raise ValueError(text)
    return text


def smtp_url(text: str) -> str:
    """A server that takes letters, and from whom they are."""
    parts = urlsplit(text)
    sender = parse_qs(parts.query).get("from", [""])[0]
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname or parts.path not in {"", "/"} or parts.port == 0:
        raise ValueError(text)
    if not re.fullmatch(r"[^\s@<>]+@[^\s@<>]+", sender):
        raise ValueError(text)
    return text


def languages(text: str) -> tuple[str, ...]:
    """Codes of languages, separated by commas."""
    found = tuple(code.strip() for code in text.split(",") if code.strip())
    if not found or not all(re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", code) for code in found):
        raise ValueError(text)
    return found


def database_url(text: str) -> str:
    """A database of one of the two kinds."""
    if text.startswith("sqlite:///") and len(text) > len("sqlite:///"):
        return text
    scheme, separator, rest = text.partition("://")
    if scheme not in {"postgres", "postgresql"} or not separator or not rest:
        raise ValueError(text)
    return f"postgresql://{rest}"


def listen(text: str) -> Listen:
    """A host and a port."""
    host, separator, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError(text)
    if not separator or not host or not re.fullmatch(r"[0-9]{1,5}", port):
        raise ValueError(text)
    return Listen(host, whole(1, 65535)(port))


def base_url(text: str) -> str:
    """An address with nothing behind the host and the port."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not text.isascii():
        raise ValueError(text)
    if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(text)
    if re.search(r"[^a-zA-Z0-9.:\[\]-]", parts.netloc) or parts.port == 0:
        raise ValueError(text)
    return f"{parts.scheme}://{parts.netloc.lower()}"


def domain(text: str) -> str:
    """A host, in lower case, with a port if need be."""
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?", text.lower()):
        raise ValueError(text)
    return text.lower()


def networks(text: str) -> tuple[Network, ...]:
    """Networks, with commas between them."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
