"""From which network a request comes: only named proxies are believed, and a /64 is one."""

from ipaddress import ip_network

import pytest

from privapub.limits.sender import sender

PROXIES = (ip_network("127.0.0.0/8"), ip_network("::1/128"), ip_network("10.0.0.0/24"))


@pytest.mark.parametrize(
    ("client", "said", "found"),
    [
        # Who is no proxy is believed nothing.
        ("198.51.100.7", [], "198.51.100.7"),
        ("198.51.100.7", ["203.0.113.9"], "198.51.100.7"),
        ("198.51.100.7", ["127.0.0.1"], "198.51.100.7"),
        # A proxy says from where; what was there before it is anybody's.
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["192.0.2.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["192.0.2.1, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("127.0.0.1", ["x" * 5000 + ", 203.0.113.9"], "203.0.113.9"),
        ("::1", ["[2001:db8:1:2:3:4:5:6]:443"], "2001:db8:1:2::/64"),
        # All of an IPv6 network of 64 bits is one; an address of the old kind within it is itself.
        ("2001:db8:1:2::1", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", [], "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", [], "2001:db8:1:3::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("::ffff:198.51.100.7", [], "198.51.100.7"),
        ("::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        # Nobody says it.
        ("127.0.0.1", [], None),
        ("127.0.0.1", ["unknown"], None),
        ("127.0.0.1", ["203.0.113.9, unknown"], None),
        ("127.0.0.1", ["10.0.0.2"], None),
        ("127.0.0.1", [""], None),
        (None, ["203.0.113.9"], None),
    ],
)
def test_the_network(client: str | None, said: list[str], found: str | None) -> None:
    assert sender(client, said, PROXIES) == found


def test_without_proxies_nothing_is_believed() -> None:
    assert sender("127.0.0.1", ["203.0.113.9"], ()) == "127.0.0.1"
