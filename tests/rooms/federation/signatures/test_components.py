"""What of a request can be signed, where the standard leaves the reader to look closely."""

import pytest

from privapub.federation.signatures import components
from privapub.federation.signatures.request import HttpRequest, split_port


@pytest.mark.parametrize(
    ("authority", "parts"),
    [
        ("a.test", ("a.test", "")),
        ("a.test:80", ("a.test", "80")),
        ("a.test:", ("a.test:", "")),
        ("a.test:x", ("a.test:x", "")),
        ("80", ("80", "")),
        ("[::1]", ("[::1]", "")),
        ("[::1]:80", ("[::1]", "80")),
        ("::1", ("::1", "")),
    ],
)
def test_a_port_is_what_follows_a_name_or_an_address_in_brackets(authority: str, parts: tuple[str, str]) -> None:
    assert split_port(authority) == parts


@pytest.mark.parametrize(
    ("origin", "sent", "signed"),
    [
        ("https://sut.test", "SUT.test", ("SUT.test",)),
        ("https://sut.test", "sut.test:443", ("sut.test:443",)),
        ("http://sut.test", "sut.test:80", ("sut.test:80",)),
        ("https://sut.test:8443", "sut.test", ("sut.test",)),
        ("https://sut.test:8443", "sut.test:8443", ("sut.test:8443", "sut.test")),
        ("https://[::1]:8443", "[::1]:8443", ("[::1]:8443", "[::1]")),
    ],
)
def test_a_host_is_signed_as_it_is_sent_or_without_a_port_of_its_own(
    origin: str, sent: str, signed: tuple[str, ...]
) -> None:
    assert components.hosts(HttpRequest("GET", origin + "/", (("Host", sent),))) == signed


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("?x=1&y=2", "1"),
        ("?y=2&x=1", "1"),
        ("?x=&y=2", ""),
        ("?x=a+b%20c", "a%20b%20c"),
        ("?x=a*b~c/d-._", "a*b%7Ec%2Fd-._"),
        ("?" + "y=2&" * 200 + "x=1", "1"),
    ],
)
def test_a_query_parameter_is_read_and_encoded_as_the_standard_says(query: str, value: str) -> None:
    assert components.query_parameter(HttpRequest("GET", f"https://sut.test/{query}", ()), "x") == value
