"""The header fields that are put on what we send."""

from dataclasses import replace
from typing import Any

import pytest

from privapub import clock
from privapub.federation.signatures.digest import sha256_base64
from privapub.federation.signatures.request import HttpRequest
from privapub.federation.signatures.sign import sign

NOW = 1_772_366_400.0
DATE = clock.http_date(NOW)
GET = HttpRequest("GET", "https://peer.test:8443/inbox?a=b", ())
POST = replace(GET, method="POST", body=b"{}")
DIGEST = sha256_base64(b"{}")
SYNCHRONIZED = replace(POST, headers=(("Collection-Synchronization", "x"),))


def beside(fields: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """The fields without the bytes of the signature."""
    *made, (name, value) = fields
    text, signature = value.rsplit("signature=" if value.startswith("keyId") else "sig1=", 1)
    assert signature.strip('":')
    return [*made, (name, text)]


@pytest.mark.parametrize(
    ("request_", "made", "listed"),
    [
        (GET, [("Host", "peer.test:8443"), ("Date", DATE)], "(request-target) host date"),
        (
            POST,
            [("Host", "peer.test:8443"), ("Date", DATE), ("Digest", f"SHA-256={DIGEST}")],
            "(request-target) host date digest",
        ),
        (
            SYNCHRONIZED,
            [("Host", "peer.test:8443"), ("Date", DATE), ("Digest", f"SHA-256={DIGEST}")],
            "(request-target) host date digest collection-synchronization",
        ),
        (
            replace(SYNCHRONIZED, method="GET"),
            [("Host", "peer.test:8443"), ("Date", DATE)],
            "(request-target) host date collection-synchronization",
        ),
        (replace(GET, headers=(("host", "peer.test:8443"),)), [("Date", DATE)], "(request-target) host date"),
    ],
)
def test_the_older_scheme_signs_what_binds_the_request(
    request_: HttpRequest, made: list[tuple[str, str]], listed: str, signer: Any
) -> None:
    algorithm = "rsa-sha256" if signer.private.algorithm == "rsa" else "hs2019"
    assert beside(sign(request_, signer.private, "cavage", NOW + 0.9)) == [
        *made,
        ("Signature", f'keyId="{signer.private.id}",algorithm="{algorithm}",headers="{listed}",'),
    ]


@pytest.mark.parametrize(
    ("request_", "made", "listed"),
    [
        (GET, [], ""),
        (POST, [("Content-Digest", f"sha-256=:{DIGEST}:")], ' "content-digest"'),
        (
            SYNCHRONIZED,
            [("Content-Digest", f"sha-256=:{DIGEST}:")],
            ' "content-digest" "collection-synchronization"',
        ),
        (replace(SYNCHRONIZED, method="HEAD"), [], ' "collection-synchronization"'),
    ],
)
def test_the_newer_scheme_signs_what_binds_the_request(
    request_: HttpRequest, made: list[tuple[str, str]], listed: str, signer: Any
) -> None:
    algorithm = "rsa-v1_5-sha256" if signer.private.algorithm == "rsa" else "ed25519"
    covered = f'("@method" "@target-uri" "@authority"{listed})'
    parameters = f';created=1772366400;keyid="{signer.private.id}";alg="{algorithm}"'
    assert beside(sign(request_, signer.private, "rfc9421", NOW + 0.9)) == [
        *made,
        ("Signature-Input", f"sig1={covered}{parameters}"),
        ("Signature", ""),
    ]


def test_a_digest_that_is_known_is_not_made_again(signer: Any) -> None:
    assert ("Digest", "SHA-256=known") in sign(POST, signer.private, "cavage", NOW, "known")
    assert ("Content-Digest", "sha-256=:known:") in sign(POST, signer.private, "rfc9421", NOW, "known")


def test_a_time_of_its_own_needs_the_name_that_allows_it(signer: Any) -> None:
    fields = beside(sign(GET, signer.private, "cavage", NOW + 0.9, covered=("(request-target)", "host", "(created)")))
    assert fields == [
        ("Host", "peer.test:8443"),
        (
            "Signature",
            (
                f'keyId="{signer.private.id}",algorithm="hs2019",created=1772366400,'
                'headers="(request-target) host (created)",'
            ),
        ),
    ]
