"""From which network a request comes (pure)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from privapub.setting_texts import Network

_LONGEST = 1000  # characters of the header; a proxy appends, so that its own word stands last
_SITE = 64  # bits of an IPv6 address that are one customer's


def sender(client: str | None, forwarded_for: Iterable[str], proxies: Sequence[Network]) -> str | None:
    """The IPv4 address, or the IPv6 network of 64 bits, that a request comes from.

    `client` is who opened the connection. Where that is one of the `proxies`, what it says in `X-Forwarded-For` is
    believed: of the addresses in it, the last that is no proxy. None where nobody whom we believe says it.
    """
    address = _read(client or "")
    if address is None or not _is_proxy(address, proxies):
        return None if address is None else _network(address)
    said = ",".join(forwarded_for)[-_LONGEST:].split(",")
    for text in reversed(said):
        address = _read(text.strip())
        if address is None:
            return None
        if not _is_proxy(address, proxies):
            return _network(address)
    return None


def _is_proxy(address: IPv4Address | IPv6Address, proxies: Sequence[Network]) -> bool:
    return any(address in network for network in proxies)


@lru_cache(maxsize=256)
def _read(text: str) -> IPv4Address | IPv6Address | None:
    """An address, with or without brackets and port; an IPv4 address within IPv6 is itself."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _network(address: IPv4Address | IPv6Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, _SITE), strict=False))
