"""Line 6, LD signatures: bundled contexts, the canonical form alone, no `@graph` and its like, bounded work.

Against forgeries of what a real actor signed: the signature fits each of them, or costs nothing.
"""

import base64
import hashlib
from typing import Any

import pytest

from fakes.keys import new_rsa, public_pem
from privapub.federation.documents.context import ACTIVITYSTREAMS
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.ld_quads import canonical
from privapub.federation.signatures.request import BadSignature
from privapub.federation.signatures.signed_inside import signed_inside

CAROL = "https://peer.test/u/carol"
KEY_ID, NOW = CAROL + "#main-key", 1_772_366_400.0
SAID: dict[str, Any] = {
    "@context": ACTIVITYSTREAMS,
    "id": "https://peer.test/a/1",
    "type": "Create",
    "actor": CAROL,
    "object": {"id": "https://peer.test/n/1", "type": "Note", "attributedTo": CAROL, "content": "true"},
}
FORGED = "forged"


@pytest.fixture(scope="module")
def pem() -> str:
    return new_rsa()


@pytest.fixture(scope="module")
def signature(pem: str) -> dict[str, str]:
    options = (
        '_:c14n0 <http://purl.org/dc/terms/created> "2026-03-01T12:00:00Z"'
        "^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
        f"_:c14n0 <http://purl.org/dc/terms/creator> <{KEY_ID}> .\n"
    )
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (options, canonical(SAID)[1])]
    value = base64.b64encode(PrivateKey.from_pem(KEY_ID, pem).sign("".join(hashes).encode())).decode()
    return {
        "type": "RsaSignature2017",
        "creator": KEY_ID,
        "created": "2026-03-01T12:00:00Z",
        "signatureValue": value,
    }


def believed(document: dict[str, Any], pem: str) -> dict[str, Any] | str:
    """What is read, or why nothing is."""
    for claim in signed_inside(document):
        try:
            return claim.believed(PublicKey.from_pem(KEY_ID, CAROL, public_pem(pem)), NOW)
        except BadSignature as bad:
            return bad.reason
    return "no claim"


def test_what_was_signed_is_believed(pem: str, signature: dict[str, str]) -> None:
    said = believed({**SAID, "signature": signature}, pem)
    assert isinstance(said, dict)
    assert (said["id"], said["actor"], said["object"]["content"]) == (SAID["id"], CAROL, "true")


@pytest.mark.parametrize(
    "change",
    [
        {
            "@context": [ACTIVITYSTREAMS, {"said": "as:content", "content": "https://peer.test/x"}],
            "object": {**SAID["object"], "said": "true", "content": FORGED},
        },
        {"@context": [ACTIVITYSTREAMS, {"summary": None}], "object": {**SAID["object"], "summary": FORGED}},
        {"object": {**SAID["object"], "_misskey_content": FORGED}},
        {"@graph": [{**SAID["object"], "content": FORGED}]},
        {"@included": [{**SAID["object"], "content": FORGED}]},
        {"@reverse": {"object": {"type": "Delete", "summary": FORGED}}},
        {"@context": [ACTIVITYSTREAMS, {"more": "@included"}], "more": [{"content": FORGED}]},
        {"@context": [ACTIVITYSTREAMS, {"by": {"@reverse": "as:object"}}], "by": {"summary": FORGED}},
        {"@context": [ACTIVITYSTREAMS, "https://peer.test/context"], "summary": FORGED},
        {"object": {**SAID["object"], "content": FORGED}},
        {"url": 'https://peer.test/> <https://www.w3.org/ns/activitystreams#summary> "forged" .\n<x:a'},
    ],
)
def test_nothing_else_is_under_any_context(change: dict[str, Any], pem: str, signature: dict[str, str]) -> None:
    said = believed({**SAID, **change, "signature": signature}, pem)
    assert FORGED not in str(said)
    whole = believed({**SAID, "signature": signature}, pem)
    assert said in ["no claim", "malformed", "wrong-signature", whole]


def test_work_is_bounded(pem: str, signature: dict[str, str]) -> None:
    everybody = [f"_:n{n}" for n in range(12)]
    clique = [{"id": name, "attributedTo": everybody} for name in everybody]
    assert believed({**SAID, "tag": clique, "signature": signature}, pem) == "too-large"
    assert believed({**SAID, "tag": [{}] * 5000, "signature": signature}, pem) == "no claim"
