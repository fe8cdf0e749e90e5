"""Which signatures a document carries within it."""

import subprocess
import sys
from typing import Any

import msgspec

from privapub.federation.documents.context import ACTIVITYSTREAMS
from privapub.federation.signatures import proof, signed_inside
from privapub.federation.signatures.signed_inside import LONGEST

from .conftest import NOW, OWNER, Signer

DOCUMENT: dict[str, Any] = {
    "@context": ACTIVITYSTREAMS,
    "id": "https://peer.test/a/1",
    "type": "Announce",
    "actor": OWNER,
    "object": "https://other.test/n/1",
}
LINKED = {
    "type": "RsaSignature2017",
    "creator": OWNER + "#main-key",
    "created": "2026-03-01T12:00:00Z",
    "signatureValue": "AAAA",
}
LOADED = """
import sys, privapub.app, privapub.federation.signatures.signed_inside
print([name for name in sys.modules if name.split(".")[0] in {"pyld", "lxml", "c14n"}])
"""


def claims(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(claim.scheme, claim.key_id) for claim in signed_inside.signed_inside(document)]


def test_a_document_tells_which_of_both_it_carries(ed25519_signer: Signer) -> None:
    key_id = ed25519_signer.private.id
    proven = proof.add(DOCUMENT, ed25519_signer.private, NOW)
    assert claims(DOCUMENT) == []
    assert claims(proven) == [("eddsa-jcs-2022", key_id)]
    assert claims({**DOCUMENT, "signature": LINKED}) == [("RsaSignature2017", LINKED["creator"])]


def test_a_proof_counts_before_a_signature(ed25519_signer: Signer) -> None:
    both = {**proof.add(DOCUMENT, ed25519_signer.private, NOW), "signature": LINKED}
    assert [scheme for scheme, _ in claims(both)] == ["eddsa-jcs-2022", "RsaSignature2017"]
    assert signed_inside.signed_inside(both)[0].believed(ed25519_signer.public, NOW) == DOCUMENT


def test_what_is_no_signature_is_no_claim() -> None:
    for carried in (None, 5, "x", [], {}, [None, 5, []], {"type": 5}, {"type": {}}):
        assert claims({**DOCUMENT, "proof": carried, "signature": carried}) == []


def test_a_signature_within_something_embedded_is_not_the_whole_documents(ed25519_signer: Signer) -> None:
    within = proof.add({**DOCUMENT, "id": "https://peer.test/a/2"}, ed25519_signer.private, NOW)
    assert claims({**DOCUMENT, "object": {**within, "signature": LINKED}}) == []


def test_what_is_too_long_is_not_looked_at(ed25519_signer: Signer) -> None:
    short = {**proof.add(DOCUMENT, ed25519_signer.private, NOW), "content": ""}
    room = LONGEST - len(msgspec.json.encode(short))
    assert claims({**short, "content": "x" * room}) == [("eddsa-jcs-2022", ed25519_signer.private.id)]
    assert claims({**short, "content": "x" * (room + 1)}) == []


def test_nothing_of_linked_data_is_loaded_before_it_is_needed() -> None:
    asked = [sys.executable, "-c", LOADED]
    told = subprocess.run(asked, capture_output=True, text=True, check=True)  # noqa: S603 - this very interpreter
    assert told.stdout == "[]\n"
