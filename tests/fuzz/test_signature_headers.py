"""Whatever the headers of a request say of its signature: a claim that binds what it must, or a refusal."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fakes.keys import new_ed25519, new_rsa, public_pem
from fuzz import seeds
from fuzz.mangled import FUZZED, joined, long, mangled, only
from fuzz.odd_documents import DOCUMENTS
from privapub.federation.documents import strict_json
from privapub.federation.documents.problems import BadDocument
from privapub.federation.signatures import cavage, message_signature, proof, structured
from privapub.federation.signatures.claim import LONGEST_KEY_ID, MOST_COVERED, Presented
from privapub.federation.signatures.digest import check_digest, sha256_base64
from privapub.federation.signatures.keys import BadKey, PublicKey
from privapub.federation.signatures.presented import check, examine
from privapub.federation.signatures.request import BadSignature, HttpRequest
from privapub.federation.signatures.signed_inside import signed_inside

NOW = 1_772_366_400.0
KEY_ID = "https://peer.test/u/carol#main-key"
BODY = b'{"type":"Like"}'
CAVAGE = (
    'keyId="', 'algorithm="hs2019"', 'algorithm="rsa-sha256"', "created=1772366400", 'expires="1772366500.5"', ",",
    'headers="(request-target) (created) host date digest"', 'signature="AAAA"', '"', "\\", '\\"', "=", " ", "\t",
    "signature=", "KEYID=", "headers=host", "(request-target)", "(expires)", "\u00e9", "AA==", "A"* 50,
)  # fmt: skip
MESSAGE = (
    "sig1=", "(", ")", ";", '"@method"', '"@target-uri"', '"@authority"', '"@path"', '"@query"', '"content-digest"',
    '"@query-param";name="x"', '"date"', '"host";sf', '"digest";key="a"', ";created=1772366400", ";expires=1", ",",
    f';keyid="{KEY_ID}"', ';alg="ed25519"', ";tag", ";nonce=:AA==:", ":AAAA:", "a=1", "b", "*=?1", " ", "1.5", "=",
)  # fmt: skip
DIGESTS = (
    f"SHA-256={sha256_base64(BODY)}", f"sha-256=:{sha256_base64(BODY)}:", "sha-512=:AAAA:", "SHA-512=AA==", "md5=x",
    ",", "=", ":", "unixsum=30637", "sha-256", ";a=b", "(", "?1",
)  # fmt: skip
DATES = ("Sun, 01 Mar 2026 12:00:00 GMT", "Sun, 01 Mar 2026 12:00:00 -0000", "01 Mar 2026", "+9999", ",", ":", "Feb 30")
_TEXTS = {
    "signature": (CAVAGE, 200), "signature-input": (MESSAGE, 200), "digest": (DIGESTS, 5),
    "content-digest": (DIGESTS, 5), "date": (DATES, 5), "host": (("sut.test", ":443", "[::1]", "."), 3),
}  # fmt: skip


@st.composite
def requests(draw: st.DrawFn) -> HttpRequest:
    """A request whose headers are real ones, mangled, with others that fit."""
    known = seeds.signed_headers()
    headers = {
        "host": "sut.test",
        "date": DATES[0],
        "digest": DIGESTS[0],
        "content-digest": DIGESTS[1],
        **known[draw(st.integers(0, len(known) - 1))],
    }
    for name in draw(st.sets(st.sampled_from(sorted(_TEXTS)), max_size=3)):
        pieces, most = _TEXTS[name]
        text = mangled(st.just(headers.get(name, "")), pieces) | joined(pieces, min(most, 12))
        headers[name] = draw(text).encode("utf-8", "surrogatepass").decode("latin-1")
    lines = list(headers.items())
    if draw(st.booleans()):
        lines.append(lines[draw(st.integers(0, len(lines) - 1))])
    url = draw(st.sampled_from(["https://sut.test/inbox", "https://sut.test/inbox?x=%20&x=1", "https://sut.test/?"]))
    return HttpRequest(draw(st.sampled_from(["POST", "GET"])), url, tuple(lines), BODY)


@cache
def public_key(kind: str) -> PublicKey:
    pem = new_rsa() if kind == "rsa" else new_ed25519()
    return PublicKey.from_pem(KEY_ID, "https://peer.test/u/carol", public_pem(pem))


@FUZZED
@given(requests())
def test_a_request_presents_what_binds_it_or_is_refused(request: HttpRequest) -> None:
    claim = only((BadSignature,), lambda: examine(request, NOW))
    if claim is None:
        return
    assert isinstance(claim, Presented)
    assert 0 < len(claim.key_id) <= LONGEST_KEY_ID
    assert len(claim.covered) == len(set(claim.covered)) <= MOST_COVERED
    bound = " ".join(claim.covered)
    assert "(request-target)" in bound or "@" in bound
    assert "date" in claim.covered or claim.created is not None
    if not request.bodiless:
        assert {"digest", "content-digest"} & set(claim.covered)
        check_digest(request)
    for kind in ("rsa", "ed25519"):
        # Nobody has the private half of these keys: no signature that is made up fits.
        assert only((BadSignature,), lambda kind=kind: check(claim, request, public_key(kind)) or "fits") is None


@FUZZED
@given(requests())
def test_what_was_read_of_a_header_is_read_again_from_what_is_written(request: HttpRequest) -> None:
    found = only((BadSignature,), lambda: message_signature.read_all(request))
    for claim in found if isinstance(found, tuple) else ():
        written = ((name, value) for name, value in request.headers if not name.startswith("signature"))
        signature = structured.write_bare(claim.signature)
        again = replace(
            request,
            headers=(
                *written,
                ("Signature-Input", f"{claim.label}={claim.parameters}"),
                ("Signature", f"{claim.label}={signature}"),
            ),
        )
        assert message_signature.read_all(again) == (claim,)
    old = only((BadSignature,), lambda: cavage.read(request))
    if isinstance(old, Presented):
        assert 1 <= len(only((BadSignature,), lambda: cavage.bases(old, request)) or ("none",)) <= 4


@FUZZED
@given(long(CAVAGE, 9000), long(MESSAGE, 9000), long(DIGESTS, 3000))
def test_headers_that_are_long_are_read_or_refused(old: str, new: str, digests: str) -> None:
    for headers in ({"signature": old}, {"signature": "a=:AAAA:", "signature-input": new}, {"digest": digests}):
        lines = (("host", "sut.test"), *headers.items(), ("content-digest", digests))
        only((BadSignature,), lambda lines=lines: examine(HttpRequest("POST", "https://sut.test/", lines), NOW))


@FUZZED
@given(st.text(max_size=60) | st.builds("https://sut.test{}".format, st.text(max_size=30)))
def test_an_address_of_a_request_is_taken_apart_or_refused(url: str) -> None:
    target = only((BadSignature,), lambda: HttpRequest("GET", url, ()).target)
    if target is not None:
        assert HttpRequest("GET", target.uri, ()).target == target


KEY_PIECES = (
    "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "-----BEGIN RSA PUBLIC KEY-----", "\n", "AA==", "MIIB",
    "z6Mk", "z4MX", "u", "f00", "-----BEGIN EC PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----",
)  # fmt: skip


@FUZZED
@given(
    mangled(st.sampled_from(["rsa", "ed25519"]).map(lambda kind: public_pem(_pem(kind))), KEY_PIECES)
    | joined(KEY_PIECES)
)
def test_a_key_can_be_used_or_is_refused(text: str) -> None:
    for read in (PublicKey.from_pem, PublicKey.from_multibase):
        key = only((BadKey,), lambda read=read: read(KEY_ID, "https://peer.test/u/carol", text))
        if isinstance(key, PublicKey):
            assert not key.verifies(b"", b"")
            assert not key.verifies(bytes(64), b"x")


@cache
def _pem(kind: str) -> str:
    return new_rsa() if kind == "rsa" else new_ed25519()


@FUZZED
@given(DOCUMENTS)
def test_signatures_within_a_document_are_claims_that_no_other_key_fits(document: dict[str, Any]) -> None:
    came = only((BadDocument,), lambda: strict_json.read(json.dumps(document).encode()))
    if not isinstance(came, dict):
        return
    for claim in signed_inside(came):
        kind = "ed25519" if isinstance(claim, proof.Proof) else "rsa"
        assert only((BadSignature,), lambda claim=claim, kind=kind: claim.believed(public_key(kind), NOW)) is None
