"""What the standards print: RFC 9421 (sections 2.5 and 4.3, appendix B.2) and draft-cavage appendix C."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from privapub.federation.signatures import cavage, message_signature
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.presented import check, read
from privapub.federation.signatures.request import BadSignature, HttpRequest
from shared import shared

DIGEST = "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
REQUEST = HttpRequest(
    "POST",
    "https://example.com/foo?param=Value&Pet=dog",
    (
        ("Host", "example.com"),
        ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
        ("Content-Type", "application/json"),
        ("Content-Digest", DIGEST),
        ("Content-Length", "18"),
    ),
    b'{"hello": "world"}',
)
RSA_PSS = """-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
+QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
2wIDAQAB
-----END PUBLIC KEY-----
"""
RSA = """-----BEGIN RSA PUBLIC KEY-----
MIIBCgKCAQEAhAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrw
WEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSKobBpKDeBLOsdJKFq
MGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd/QBwVW9OwNFhekro3RtlinV0a75jfZg
kne/YiktSvLG34lw2zqXBDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0P
uKxI4T+HIaFpv8+rdV6eUgOrB2xeI1dSFFn/nnv5OoZJEIB+VmuKn3DCUcCZSFlQ
PSXSfBDiUGhwOw76WuSSsf1D4b/vLoJ10wIDAQAB
-----END RSA PUBLIC KEY-----
"""
ED25519 = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
-----END PUBLIC KEY-----
"""
ED25519_PRIVATE = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
"""
SECRET = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="

INPUTS = {
    "sig-b21": '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
    "sig-b22": '("@authority" "content-digest" "@query-param";name="Pet");created=1618884473'
    ';keyid="test-key-rsa-pss";tag="header-example"',
    "sig-b23": '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")'
    ';created=1618884473;keyid="test-key-rsa-pss"',
    "sig-b25": '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    "sig-b26": '("date" "@method" "@path" "@authority" "content-type" "content-length")'
    ';created=1618884473;keyid="test-key-ed25519"',
}
SIGNATURES = {
    "sig-b21": "d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsc"
    "kzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O"
    "6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO"
    "5Nyt8C8ssinQ98Xw9Q==",
    "sig-b22": "LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkS"
    "owOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh6"
    "2s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQ"
    "l3/XaVe4bXTugEjHSw==",
    "sig-b23": "bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp76"
    "8ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o"
    "/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FU"
    "o5fTIztsDZKEgM4cUA==",
    "sig-b25": "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
    "sig-b26": "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
}
PROXY = 'created=1618884480;keyid="test-key-rsa";alg="rsa-v1_5-sha256";expires=1618884540'
PROXY_SIGNATURE = (
    "S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdk"
    "DcnL9cCpXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnI"
    "m9y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp77"
    "0I6VHR6WfgS9ddzirrswsE1w5o0LV/g=="
)
VALUES = {
    '"date"': "Tue, 20 Apr 2021 02:07:55 GMT",
    '"@method"': "POST",
    '"@path"': "/foo",
    '"@query"': "?param=Value&Pet=dog",
    '"@authority"': "example.com",
    '"content-type"': "application/json",
    '"content-digest"': DIGEST,
    '"content-length"': "18",
    '"@query-param";name="Pet"': "dog",
}


def presenting(label: str, *, request: HttpRequest = REQUEST) -> HttpRequest:
    fields = (
        ("Signature-Input", f"{label}={INPUTS[label]}"),
        ("Signature", f"{label}=:{SIGNATURES[label]}:"),
    )
    return replace(request, headers=(*request.headers, *fields))


def signed_text(label: str) -> tuple[bytes, bytes]:
    """The base that we build, and the signature that is printed."""
    request = presenting(label)
    (presented,) = message_signature.read_all(request)
    (base,) = message_signature.bases(presented, request)
    return base, presented.signature


@pytest.mark.parametrize("label", list(INPUTS))
def test_the_signature_base_is_the_one_printed_in_b_2(label: str) -> None:
    names = INPUTS[label].partition("(")[2].partition(")")[0].split()
    printed = [f"{name}: {VALUES[name]}" for name in names]
    printed.append(f'"@signature-params": {INPUTS[label]}')
    assert signed_text(label)[0].decode() == "\n".join(printed)


@pytest.mark.parametrize("label", ["sig-b21", "sig-b22", "sig-b23"])
def test_the_rsa_pss_signatures_of_b_2_fit_the_base_we_build(label: str) -> None:
    key = load_pem_public_key(RSA_PSS.encode())
    assert isinstance(key, rsa.RSAPublicKey)
    base, signature = signed_text(label)
    key.verify(signature, base, padding.PSS(padding.MGF1(hashes.SHA512()), 64), hashes.SHA512())


def test_the_hmac_of_b_2_5_fits_the_base_we_build() -> None:
    base, signature = signed_text("sig-b25")
    assert hmac.digest(base64.b64decode(SECRET), base, hashlib.sha256) == signature


def test_the_ed25519_signature_of_b_2_6_is_verified_and_made() -> None:
    request = presenting("sig-b26")
    (presented,) = message_signature.read_all(request)
    check(presented, request, PublicKey.from_pem("test-key-ed25519", "", ED25519))
    private = PrivateKey.from_pem("test-key-ed25519", ED25519_PRIVATE)
    assert private.sign(signed_text("sig-b26")[0]) == base64.b64decode(SIGNATURES["sig-b26"])
    with pytest.raises(BadSignature) as refused:
        check(presented, replace(request, method="PUT"), PublicKey.from_pem("test-key-ed25519", "", ED25519))
    assert refused.value.reason == "wrong-signature"


@pytest.mark.parametrize("label", list(INPUTS))
def test_what_b_2_signs_is_refused_where_it_does_not_bind_the_whole_request(label: str) -> None:
    if label == "sig-b23":
        assert read(presenting(label)).label == label
        return
    with pytest.raises(BadSignature) as refused:
        read(presenting(label))
    assert refused.value.reason == "not-covered"


def test_the_response_of_b_2_4_is_no_request() -> None:
    fields = (
        (
            "Signature-Input",
            'sig-b24=("@status" "content-type");created=1618884473;keyid="test-key-ecc-p256"',
        ),
        (
            "Signature",
            "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:",
        ),
    )
    with pytest.raises(BadSignature) as refused:
        read(replace(REQUEST, headers=REQUEST.headers + fields))
    assert refused.value.reason == "unsupported-component"


def test_the_proxy_signature_of_4_3_is_verified_beside_the_clients() -> None:
    names = '"@method" "@authority" "@path" "content-digest" "content-type" "content-length"'
    fields = (
        ("Host", "origin.host.internal.example"),
        ("Content-Type", "application/json"),
        ("Content-Length", "18"),
        ("Forwarded", "for=192.0.2.123;host=example.com;proto=https"),
        ("Content-Digest", DIGEST),
        ("Signature-Input", f'sig1=({names});created=1618884475;keyid="test-key-ecc-p256"'),
        (
            "Signature-Input",
            f'proxy_sig=({names} "forwarded");{PROXY}',
        ),
        (
            "Signature",
            "sig1=:X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==:",
        ),
        (
            "Signature",
            f"proxy_sig=:{PROXY_SIGNATURE}:",
        ),
    )
    request = HttpRequest("POST", "https://origin.host.internal.example/foo", fields, REQUEST.body)
    first, second = message_signature.read_all(request)
    assert (first.label, second.label, second.expires) == ("sig1", "proxy_sig", 1618884540)
    key = PublicKey.from_pem("test-key-rsa", "", RSA)
    check(second, request, key)
    with pytest.raises(BadSignature) as refused:
        check(first, request, key)
    assert refused.value.reason == "wrong-signature"


def cavage_vectors() -> tuple[PublicKey, HttpRequest, list[dict[str, Any]]]:
    given = json.loads(shared("vectors/cavage-appendix-c.json").read_text())
    asked = given["request"]
    request = HttpRequest(
        asked["method"],
        "https://example.com" + asked["target"],
        tuple(asked["headers"].items()),
        asked["body"].encode(),
    )
    return PublicKey.from_pem("Test", "", given["public_key_pem"]), request, given["cases"]


@pytest.mark.parametrize("number", range(3))
def test_appendix_c_of_the_draft_is_verified_and_bound(number: int) -> None:
    key, plain, cases = cavage_vectors()
    case = cases[number]
    value = f'keyId="Test",algorithm="rsa-sha256",headers="{" ".join(case["headers"])}",signature="{case["signature"]}"'
    request = replace(plain, headers=(*plain.headers, ("Signature", value)))
    presented = cavage.read(request)
    assert presented.covered == tuple(case["headers"])
    check(presented, request, key)
    later = tuple((name, "Sun, 05 Jan 2014 21:31:41 GMT" if name == "Date" else old) for name, old in request.headers)
    with pytest.raises(BadSignature) as refused:
        check(presented, replace(request, headers=later), key)
    assert refused.value.reason == "wrong-signature"
