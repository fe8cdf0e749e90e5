"""URLs, hosts and numbers of hosts: one reading of each, and nothing private behind a public face."""

import ipaddress
import socket
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fuzz.mangled import FUZZED, joined, long, mangled, only
from privapub.actors.addresses import Addresses
from privapub.errors import InvalidInput
from privapub.federation.documents.properties import is_web, web_id
from privapub.federation.fetching.origin import origin, same_origin
from privapub.moderation.domain_rules import Rule, Rules, domains_of, spelled_domain
from privapub.outbound import target
from privapub.outbound.address import is_public
from privapub.outbound.guard import may_connect
from privapub.outbound.host import spelled

PIECES = (
    "http", "https", "HTTPS", "ftp", "javascript", ":", "//", "/", "\\", "@", "#", "?", "%", "%00", "%2e", "%2f", "..",
    "[", "]", "[::1]", "[::ffff:7f00:1]", "[fe80::1%25lo]", "127.0.0.1", "0x7f.1", "2130706433", "017700000001",
    "127.1", ".", "peer.test", "PEER.test", "sut.test", "xn--", "xn--mnchen-3ya", "münchen", "\u212a", "\uff0e",
    "\u3002", "\u00ad", "\u200d", "ß", "①②⑦.⓪.⓪.①", ":443", ":80", ":0", ":65536", ":8443", "user:pw@", "u", "\t", "\n",
    "\x00", " ", "\u2028", "a"* 64, "-", "_", "*", "&", "=", ";", "localhost", "\ud800", "&#038;", "٣",
)  # fmt: skip
URLS = (
    mangled(
        st.sampled_from(
            [
                "https://peer.test/u/carol?x=1#main-key", "http://sut.test:8000/inbox", "https://[2606:4700::1111]:8443/",
                "https://user:pw@peer.test/", "https://münchen.test/ü?ü", "https://xn--mnchen-3ya.test/", "https://1.1.1.1/",
            ]
        ),
        PIECES,
    )
    | joined(PIECES).map("https://{}".format)
    | joined(PIECES)
)  # fmt: skip
HOSTS = joined(PIECES, 6) | mangled(st.sampled_from(["peer.test", "a.b.c.peer.test", "127.0.0.1", "::1"]), PIECES)
OURS = Addresses("https://sut.test")


@FUZZED
@given(URLS)
def test_a_url_is_taken_apart_in_one_way_or_refused(url: str) -> None:
    found = only((ValueError,), lambda: target.read(url))
    if not isinstance(found, target.Target):
        assert target.host_of(url) == ""
        return
    assert found.scheme in {"http", "https"}
    assert spelled(found.host) == found.host == target.host_of(url)
    assert found.wire.user is None
    assert 0 < (found.wire.port or 0) <= 0xFFFF
    assert found.authority == found.authority.lower()
    assert not set(found.authority) & set("/\\@#? \t\r\n\x00")
    # What goes over the wire leads to the same place, and cannot begin another line.
    line = str(found.wire)
    assert not set(line) & set(" \r\n\t\x00")
    assert target.read(line).host == found.host
    assert only((ValueError,), lambda: target.read(found.url)) == found


@FUZZED
@given(URLS)
@example("https://[2606:4700::1111]user:pw@/")
@example("https://peer.test\\@sut.test/")
@example("https://sut.test#@peer.test/")
def test_whose_an_id_is_and_whom_we_would_ask_for_it_is_the_same_host(url: str) -> None:
    owner = origin(url)
    assert same_origin(url, url) is bool(owner)
    asked = target.host_of(url)
    if owner and asked and web_id(url):
        name = owner if owner.count(":") != 1 else owner.partition(":")[0]
        name = name[1 : name.rindex("]")] if name.startswith("[") else name
        assert only((ValueError,), lambda: spelled(_ascii(name))) in {asked, None}
    if asked == "sut.test" and target.read(url).wire.port == 443 and web_id(url):
        assert OURS.is_ours(url)
    if is_web(url):
        OURS.is_ours(url)


def _ascii(name: str) -> str:
    return target.read(f"https://{name}/").host if not name.isascii() else name


@FUZZED
@given(HOSTS)
def test_a_host_has_one_spelling_or_none(text: str) -> None:
    once = only((ValueError,), lambda: spelled(text))
    if once is not None:
        assert spelled(str(once)) == once


@FUZZED
@given(URLS, URLS | joined(PIECES), st.booleans())
def test_a_redirect_leads_nowhere_worse(url: str, location: str, same_host: bool) -> None:
    begin = only((ValueError,), lambda: target.read(url))
    if not isinstance(begin, target.Target):
        return
    after = only((ValueError,), lambda: target.next_hop(begin, location, same_host=same_host))
    if isinstance(after, target.Target):
        assert (begin.scheme, after.scheme) != ("https", "http")
        assert not same_host or after.host == begin.host


PRIVATE = st.sampled_from(
    ["127.0.0.0/8", "10.0.0.0/8", "192.168.0.0/16", "172.16.0.0/12", "169.254.0.0/16", "100.64.0.0/10", "0.0.0.0/8"]
).flatmap(lambda network: st.ip_addresses(v=4, network=network))


def _octet(number: int) -> st.SearchStrategy[str]:
    zeros = st.integers(0, 3).map(lambda count: "0" * count)
    return st.one_of(
        st.just(str(number)),
        zeros.map(lambda more: f"0{more}{number:o}"),
        zeros.map(lambda more: f"0x{more}{number:x}"),
        st.just(f"0X{number:X}"),
    )


@st.composite
def spellings(draw: st.DrawFn, address: IPv4Address) -> str:
    """An IPv4 address as C libraries and browsers read it too: octal, hexadecimal, in fewer parts; or within IPv6."""
    number = int(address)
    if draw(st.booleans()):
        forms = [
            f"::ffff:{address}", f"::ffff:{number >> 16:x}:{number & 0xFFFF:x}", f"64:ff9b::{address}",
            f"2002:{number >> 16:x}:{number & 0xFFFF:x}::1", f"0:0:0:0:0:FFFF:{address}", f"::{address}",
        ]  # fmt: skip
        return f"[{draw(st.sampled_from(forms))}]"
    count = draw(st.integers(1, 4))
    parts = [number >> 8 * (3 - place) & 0xFF for place in range(count - 1)] + [number & 256 ** (5 - count) - 1]
    text = ".".join(draw(_octet(part)) for part in parts)
    wide = {ord(sign): 0xFEE0 + ord(sign) for sign in "0123456789."}  # as wide as a letter of Chinese
    return draw(st.sampled_from([text, text + ".", text.upper(), text.translate(wide), f"%{ord(text[0]):x}{text[1:]}"]))


@FUZZED
@given(PRIVATE.flatmap(lambda address: st.tuples(st.just(address), spellings(address))))
def test_a_private_address_is_private_in_every_spelling(pair: tuple[IPv4Address, str]) -> None:
    address, text = pair
    found = only((ValueError,), lambda: target.read(f"https://{text}/x"))
    if not isinstance(found, target.Target):
        return
    assert not is_public(found.host)
    assert not may_connect(found.host, 443, (), plain=False)
    if ":" not in found.host:
        assert found.host == str(address)


@FUZZED
@given(
    joined(["0x", "0", "1", "7f", "127", "255", "256", ".", "377", "0177", "4294967295", "x", "f", "::", ":", "%"], 8)
)
def test_what_we_take_for_an_address_is_the_one_that_a_socket_takes_it_for(text: str) -> None:
    assume("\x00" not in text)
    ours = only((ValueError,), lambda: spelled(text))
    try:
        theirs = str(IPv4Address(socket.inet_aton(text)))
    except (OSError, UnicodeError):
        theirs = ""
    if theirs and text.isascii() and not any(letter.isspace() for letter in text):
        assert ours in {theirs, None}
    if is_public(text):
        assert ipaddress.ip_address(text.partition("%")[0]).is_global or ":" in text


@FUZZED
@given(st.ip_addresses(v=6))
def test_a_number_of_a_host_is_judged_alike_in_each_way_to_write_it(address: IPv6Address) -> None:
    forms = {str(address), address.exploded, address.compressed.upper(), f"{address}%eth0"}
    assert {is_public(form) for form in forms} == {is_public(address)}
    assert is_public(spelled(str(address))) == is_public(address)


@FUZZED
@given(HOSTS | HOSTS.map("*.{}".format))
def test_a_domain_of_a_rule_has_one_spelling_or_none(text: str) -> None:
    domain = only((InvalidInput,), lambda: spelled_domain(text))
    if not isinstance(domain, str):
        return
    assert spelled_domain(domain) == domain
    rule = Rule(domain, "block")
    host = f"a.{rule.top}" if domain.startswith("*.") else domain
    assert Rules([rule]).refuses(host) is not None
    assert domain in domains_of(host)


@FUZZED
@given(long(PIECES, 5000))
def test_what_is_long_is_no_address_that_takes_long(text: str) -> None:
    for url in (text, f"https://{text}"):
        target.host_of(url)
        origin(url)
        web_id(url)
        OURS.is_ours(url)
        only((InvalidInput,), lambda url=url: spelled_domain(url))


@pytest.mark.parametrize("url", ["https://127.1/", "https://0x7f000001/", "https://[::ffff:127.0.0.1]/"])
def test_the_spellings_that_everybody_knows_are_seen_through(url: str) -> None:
    assert target.host_of(url) == "127.0.0.1"
