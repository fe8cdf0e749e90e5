"""Which addresses and ports are of the public internet (pure).

Judged by the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890), after unwrapping the IPv6 forms that
carry an IPv4 address.
"""

import ipaddress
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private use
        "100.64.0.0/10",  # shared by carriers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and the metadata of clouds
        "172.16.0.0/12",  # private use
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays, deprecated
        "192.168.0.0/16",  # private use
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and the broadcast address
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_SPECIAL_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")  # RFC 8215
_LOW_32 = 0xFFFFFFFF

HTTPS_PORT = 443
_FIRST_FREE_PORT = 1024
# Services that obey whoever reaches them, or that answer to the first line of an HTTP request.
CLOSED_PORTS = frozenset(
    {
        1433, 1434, 1521, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5672, 5900, 5984,
        6000, 6379, 6380, 6432, 6443, 6667, 7000, 7001, 8086, 8125, 8500, 9042, 9092, 9200, 9300, 10250, 11211, 15672,
        26379, 27017, 27018, 27019, 28015, 33060, 50000,
    }
)  # fmt: skip


def parsed(address: str | Address) -> Address:
    """The address that a literal names, without its zone; ValueError where it names none."""
    if isinstance(address, str):
        return ipaddress.ip_address(address.partition("%")[0])
    return address


def carried(address: Address) -> tuple[Address, ...]:
    """The addresses that decide about this one: those it carries, else itself; () where the form is never public."""
    if isinstance(address, IPv4Address):
        return (address,)
    if address in _NAT64_LOCAL and int(address) & ~_LOW_32 != int(_NAT64_LOCAL.network_address):
        # Where the IPv4 address stands is the network's choice (RFC 6052, section 2.2): only its last place is read.
        return ()
    if address in _NAT64 or address in _NAT64_LOCAL:
        return (IPv4Address(int(address) & _LOW_32),)
    single = address.ipv4_mapped or address.sixtofour
    return (single,) if single is not None else address.teredo or (address,)


def is_public(address: str | Address) -> bool:
    """Whether this is global unicast, in whatever form it is written; a word that is no address is not."""
    try:
        inside = carried(parsed(address))
    except ValueError:
        return False
    return bool(inside) and all(_is_global(each) for each in inside)


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_4)
    return address in _GLOBAL_6 and not any(address in network for network in _SPECIAL_6)


def is_in(address: str | Address, networks: Sequence[Network]) -> bool:
    """Whether the address, or all that it carries, lies in one of these networks."""
    try:
        literal = parsed(address)
    except ValueError:
        return False
    inside = carried(literal)
    return any(literal in network for network in networks) or (
        bool(inside) and all(any(each in network for network in networks) for each in inside)
    )


def allowed_port(port: int) -> bool:
    """443, or from 1024 up but those where a database, a cache or the like would answer."""
    return port == HTTPS_PORT or (_FIRST_FREE_PORT <= port <= 0xFFFF and port not in CLOSED_PORTS)
