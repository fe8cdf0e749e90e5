"""What counts as one host: the one spelling by which rules, counts and memories know it (pure)."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_LONGEST = 253  # RFC 1035, section 3.1
# A last label of digits, or one that begins with 0x, makes a host an IPv4 address (WHATWG URL, "ends in a number").
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# What no host holds (WHATWG URL, forbidden domain code points). Letters of other scripts have become ASCII before, and
# one that stands for a space and an accent becomes a name with a space in it.
_FORBIDDEN = re.compile(r"[^!-~]|[#%/<>?@\[\\\]^|]")


def spelled(host: str) -> str:
    """A host in its ASCII form as rules know it; ValueError where it can be none.

    Lower case, no dots at its end; an IPv4 address in four parts, however it is written (`0x7f.1` is 127.0.0.1); an
    IPv6 address in its short form, without brackets, and as the IPv4 address that it may stand for.
    """
    host = host.lower().rstrip(".")
    if not host or len(host) > _LONGEST or _FORBIDDEN.search(host):
        raise ValueError("no host")
    if ":" in host:
        address = IPv6Address(host)
        return str(address.ipv4_mapped or address)
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        return _dotted(host)
    return host


def _dotted(host: str) -> str:
    parts = host.split(".")
    numbers = [_number(part) for part in parts]
    if len(parts) > 4 or any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(parts)):
        raise ValueError("no address")
    value = numbers[-1] + sum(number << (8 * (3 - place)) for place, number in enumerate(numbers[:-1]))
    try:
        return str(IPv4Address(value))
    except AddressValueError:
        raise ValueError("no address") from None


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") and text != "0" else int(text)
