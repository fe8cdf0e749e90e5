"""Which addresses and ports are of the public internet."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privapub.outbound.address import CLOSED_PORTS, allowed_port, is_in, is_public, parsed

PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:200::1", "2001:4860:4860::8888", "3ffe:ffff::1",
    "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8", "2002:808:808::1",
]  # fmt: skip
SPECIAL = [
    # IANA IPv4 special-purpose address registry, first and last of each
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0",
    "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255",
    "192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.31.196.1",
    "192.52.193.1", "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255", "192.175.48.1", "198.18.0.0",
    "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255",
    "240.0.0.0", "255.255.255.254", "255.255.255.255",
    # IANA IPv6 special-purpose address registry, and what is outside global unicast
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8", "100::", "100:0:0:1::", "2001::", "2001:1::1",
    "2001:1::2", "2001:2::", "2001:3::1", "2001:4:112::1", "2001:10::", "2001:20::", "2001:30::1", "2001:1ff::1",
    "2001:db8::", "2001:db8:ffff::1", "2620:4f:8000::1", "3fff::", "3fff:fff:ffff::1", "5f00::1", "4000::1", "fc00::1",
    "fdff::1", "fe80::1", "fe80::1%lo", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
    # What carries such an IPv4 address
    "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::127.0.0.1",
    "64:ff9b:1:7f00:0:100::", "64:ff9b:1:a00:0:100:808:808", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::",
    # What is no address
    "", "localhost", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "1.2.3.4.5", "::1::",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_public_internet_is_let_through(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", SPECIAL)
def test_a_special_address_is_not(address: str) -> None:
    assert not is_public(address)


ADDRESSES_4 = st.ip_addresses(v=4)


@settings(deadline=None)
@given(ADDRESSES_4)
def test_an_address_within_another_is_judged_like_itself(inside: IPv4Address) -> None:
    number = int(inside)
    forms = [
        IPv6Address((0xFFFF << 32) | number),
        IPv6Address(int(IPv6Address("64:ff9b::")) | number),
        IPv6Address(int(IPv6Address("64:ff9b:1::")) | number),
        IPv6Address((0x2002 << 112) | (number << 80) | 1),
    ]
    assert {is_public(form) for form in forms} == {is_public(inside)}
    assert {is_public(str(form)) for form in forms} == {is_public(inside)}


@settings(deadline=None)
@given(ADDRESSES_4, ADDRESSES_4)
def test_teredo_is_as_public_as_both_its_ends(server: IPv4Address, client: IPv4Address) -> None:
    teredo = IPv6Address((0x20010000 << 96) | (int(server) << 64) | (int(client) ^ 0xFFFFFFFF))
    assert is_public(teredo) == (is_public(server) and is_public(client))


@settings(deadline=None)
@given(ADDRESSES_4)
def test_what_is_public_here_is_so_to_python_too(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global


@settings(deadline=None)
@given(st.ip_addresses(v=6))
def test_nothing_outside_global_unicast_is_public_unless_it_carries_something(address: IPv6Address) -> None:
    carriers = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
    if address not in IPv6Network("2000::/3") and not any(address in carrier for carrier in carriers):
        assert not is_public(address)


def test_networks_hold_all_forms_of_their_addresses() -> None:
    networks = tuple(ip_network(text) for text in ("127.0.0.0/8", "::1", "fd00::/8"))
    for address in ("127.0.0.1", "127.255.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::1", "fd12::1"):
        assert is_in(address, networks)
    for address in ("128.0.0.1", "10.0.0.1", "::ffff:10.0.0.1", "::2", "fc00::1", "64:ff9b:1:7f00:0:100::", "x"):
        assert not is_in(address, networks)
    assert not is_in("127.0.0.1", ())


def test_ports_are_443_and_the_free_ones_but_those_of_databases_and_the_like() -> None:
    assert all(allowed_port(port) for port in (443, 1024, 3000, 8080, 8443, 65535))
    refused = {0, 1, 22, 25, 80, 110, 143, 444, 1023, 65536, -443, 5432, 3306, 6379, 9200, 11211, 27017, 2375}
    assert not any(allowed_port(port) for port in refused)
    assert not any(allowed_port(port) for port in CLOSED_PORTS)


def test_a_zone_is_no_part_of_an_address() -> None:
    assert parsed("2606:4700:4700::1111%eth0") == IPv6Address("2606:4700:4700::1111")
