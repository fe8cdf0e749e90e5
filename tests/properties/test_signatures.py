"""Signatures: what is signed is accepted, anything changed is refused, and garbage is refused in one way only."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fakes.keys import new_ed25519, new_rsa, public_multibase, public_pem
from privapub.federation.signatures import structured
from privapub.federation.signatures.digest import check_digest
from privapub.federation.signatures.keys import (
    BadKey,
    PrivateKey,
    PublicKey,
)
from privapub.federation.signatures.presented import Presented, check, examine
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.federation.signatures.sign import sign

NOW = 1_772_366_400.0
SETTINGS = settings(max_examples=150, deadline=None)

kinds = st.sampled_from(["rsa", "ed25519"])
schemes = st.sampled_from(["cavage", "rfc9421"])
paths = st.text(st.sampled_from("/abcXYZ019-._~%@:=;"), max_size=20).map(lambda text: "/" + text)
queries = st.one_of(st.just(""), st.text(st.sampled_from("abc=&?/%"), max_size=12).map(lambda text: "?" + text))
urls = st.builds(
    lambda scheme, host, port, path, query: f"{scheme}://{host}{port}{path}{query}",
    st.sampled_from(["https", "http"]),
    st.sampled_from(["sut.test", "xn--mnchen-3ya.test", "127.0.0.1", "[::1]"]),
    st.sampled_from(["", ":8443", ":8000"]),
    paths,
    queries,
)
header_values = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30)
requests = st.builds(
    HttpRequest,
    st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD"]),
    urls,
    header_values.map(lambda value: (("X-Note", value),)),
    st.binary(max_size=60),
)


@cache
def pair(kind: str) -> tuple[PrivateKey, PublicKey]:
    pem = new_rsa() if kind == "rsa" else new_ed25519()
    key_id = "https://peer.test/u/carol#main-key"
    return PrivateKey.from_pem(key_id, pem), PublicKey.from_pem(key_id, "https://peer.test/u/carol", public_pem(pem))


def signed(request: HttpRequest, scheme: str, kind: str) -> HttpRequest:
    usual = (
        ("(request-target)", "host", "date", "digest", "x-note")
        if scheme == "cavage"
        else ("@method", "@target-uri", "@authority", "content-digest", "x-note")
    )
    added = sign(request, pair(kind)[0], "cavage" if scheme == "cavage" else "rfc9421", NOW, covered=usual)
    return replace(request, headers=(*request.headers, *added))


def accepted(request: HttpRequest, kind: str) -> bool:
    try:
        check(examine(request, NOW), request, pair(kind)[1])
    except BadSignature:
        return False
    return True


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds)
def test_what_is_signed_is_accepted(request: HttpRequest, scheme: str, kind: str) -> None:
    assert accepted(signed(request, scheme, kind), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, method=st.sampled_from(["GET", "POST", "PUT", "PATCH"]))
def test_another_method_is_refused(request: HttpRequest, scheme: str, kind: str, method: str) -> None:
    assume(method != request.method)
    assert not accepted(replace(signed(request, scheme, kind), method=method), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, url=urls)
def test_another_address_is_refused(request: HttpRequest, scheme: str, kind: str, url: str) -> None:
    """The older scheme does not know `http` from `https`, lets a GET add a query, and takes a host without its port."""
    old, new = request.target, replace(request, url=url).target
    assume(new.uri != old.uri)
    if scheme == "cavage":
        assume((new.host, new.origin_form) != (old.host, old.origin_form) or (old.port and new.port != old.port))
        assume(not request.bodiless or (new.host, new.path) != (old.host, old.path))
    assert not accepted(replace(signed(request, scheme, kind), url=url), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, body=st.binary(max_size=60))
def test_another_body_is_refused(request: HttpRequest, scheme: str, kind: str, body: bytes) -> None:
    assume(body != request.body)
    assert not accepted(replace(signed(request, scheme, kind), body=body), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, data=st.data())
def test_another_value_of_a_covered_header_is_refused(
    request: HttpRequest, scheme: str, kind: str, data: st.DataObject
) -> None:
    whole = signed(request, scheme, kind)
    names = {"cavage": ["Host", "Date", "Digest", "X-Note"], "rfc9421": ["Content-Digest", "X-Note"]}[scheme]
    name = data.draw(st.sampled_from(names))
    old = whole.header(name)
    assert old is not None
    at = data.draw(st.integers(0, len(old)))
    new = data.draw(
        st.one_of(
            header_values,
            st.just(old + "x"),
            st.just(old[:at] + "x" + old[at:]),
            st.just(old[:at] + old[at + 1 :]),
        )
    )
    assume(new.strip(" \t") != old)
    changed = tuple((field, new if field == name else value) for field, value in whole.headers)
    assert not accepted(replace(whole, headers=changed), kind)
    fewer = tuple(pair for pair in whole.headers if pair[0] != name)
    assert not accepted(replace(whole, headers=fewer), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, data=st.data())
def test_a_changed_signature_header_claims_nothing_else(
    request: HttpRequest, scheme: str, kind: str, data: st.DataObject
) -> None:
    """Either it is refused, or it still says the same: some letters of base64 and some white space mean nothing."""
    whole = signed(request, scheme, kind)
    name = data.draw(st.sampled_from(["Signature"] if scheme == "cavage" else ["Signature", "Signature-Input"]))
    old = whole.header(name)
    assert old is not None
    at = data.draw(st.integers(0, len(old) - 1))
    new = old[:at] + data.draw(st.sampled_from(["", "x", " ", '"', ",", ";", "=", "(", "0"])) + old[at + 1 :]
    changed = replace(whole, headers=tuple((field, new if field == name else value) for field, value in whole.headers))
    if accepted(changed, kind):
        before, after = examine(whole, NOW), examine(changed, NOW)
        assert meaning(before) == meaning(after)


def meaning(presented: Presented) -> tuple[object, ...]:
    # The key id and the algorithm are not bound by the older scheme: the key that is found under them decides.
    bound = () if presented.scheme == "cavage" else (presented.key_id, presented.algorithm, presented.parameters)
    return (presented.scheme, presented.covered, presented.created, presented.signature, *bound)


pieces = st.sampled_from(
    [
        'keyId="k"', "keyId=k", 'algorithm="hs2019"', 'headers="(request-target) host date"', 'headers="(created)"',
        'signature="eA=="', "created=1772366400", 'created="x"', "expires=99999999999999999999", ",", ",,", " ", '"',
        "sig1=", "(", ")", '"@method"', '"@target-uri"', '"@query-param";name="\\"a"', ";created=1772366400",
        ';keyid="k"', "[", "1" * 400,
        ';alg="ed25519"', ":eA==:", ":=:", "\\", "\0", "\n", "\u00e9", "\ud800", "SHA-256=", "sha-256=:AA==:", "=",
        "?1", "Sun, 01 Mar 2026 12:00:00 GMT", "Sun, 01 Mar 99999 12:00:00 +9999", "sut.test", ":",
    ]
)  # fmt: skip
garbage = st.one_of(st.lists(pieces, max_size=12).map("".join), st.text(max_size=60))
names = st.sampled_from(["Signature", "Signature-Input", "Digest", "Content-Digest", "Date", "Host", "X-Note"])


@settings(max_examples=300, deadline=None)
@given(
    method=st.one_of(st.sampled_from(["GET", "POST"]), st.text(max_size=6)),
    url=st.one_of(st.just("https://sut.test/inbox"), garbage),
    headers=st.lists(st.tuples(names, garbage), max_size=8).map(tuple),
    body=st.binary(max_size=5),
    kind=kinds,
)
def test_garbage_is_refused_and_raises_nothing_else(
    method: str, url: str, headers: tuple[tuple[str, str], ...], body: bytes, kind: str
) -> None:
    assert not accepted(HttpRequest(method, url, headers, body), kind)


@SETTINGS
@given(request=requests, scheme=schemes, kind=kinds, name=names, value=garbage)
def test_garbage_beside_a_good_signature_raises_nothing_else(
    request: HttpRequest, scheme: str, kind: str, name: str, value: str
) -> None:
    whole = signed(request, scheme, kind)
    accepted(replace(whole, headers=(*whole.headers, (name, value))), kind)
    accepted(replace(whole, headers=tuple((f, value if f == name else v) for f, v in whole.headers)), kind)


@settings(max_examples=500, deadline=None)
@given(text=garbage)
def test_digests_and_keys_that_are_garbage_are_refused_in_their_own_way(text: str) -> None:
    for name in ("Digest", "Content-Digest"):
        with pytest.raises(BadSignature):
            check_digest(HttpRequest("POST", "https://sut.test/", ((name, text),), b"body"))
    with pytest.raises(BadKey):
        PublicKey.from_pem("k", "o", text)
    with pytest.raises(BadKey):
        PublicKey.from_multibase("k", "o", "z" + text)


@settings(max_examples=500, deadline=None)
@given(text=garbage)
def test_a_dictionary_that_is_read_is_written_and_read_alike(text: str) -> None:
    try:
        found = structured.read_dictionary(text)
    except structured.Malformed:
        return
    again = ", ".join(f"{name}={structured.write(member)}" for name, member in found.items())
    assert structured.read_dictionary(again) == found


@pytest.mark.parametrize("kind", ["rsa", "ed25519"])
def test_a_multikey_of_a_key_is_that_key(kind: str) -> None:
    pem = new_rsa() if kind == "rsa" else new_ed25519()
    one, other = (
        PublicKey.from_pem("k", "o", public_pem(pem)),
        PublicKey.from_multibase("k", "o", public_multibase(pem)),
    )
    assert one.key == other.key
