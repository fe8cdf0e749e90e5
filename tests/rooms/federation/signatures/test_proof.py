"""Object integrity proofs: the samples of FEP-8b32, FEP-521a and FEP-c390, and what is no proof of anything."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from privapub.actors import multibase
from privapub.federation.documents import context
from privapub.federation.signatures import proof
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.proof import Proof
from privapub.federation.signatures.request import BadSignature
from shared import shared

from .conftest import NOW, OWNER, Signer

SECRET = b"\x80\x26"  # multicodec ed25519-priv as a varint
DOCUMENT: dict[str, Any] = {
    "@context": [context.ACTIVITYSTREAMS, {"toot": "http://joinmastodon.org/ns#"}],
    "id": "https://peer.test/a/1",
    "type": "Create",
    "actor": OWNER,
    "to": [context.ACTIVITYSTREAMS + "#Public"],
    "object": {"id": "https://peer.test/n/1", "type": "Note", "attributedTo": OWNER, "content": "hé", "n": [1, 2.5]},
}

SENTENCES = {
    "expired": "The proof of this document has expired.",
    "wrong-algorithm": "The proof of this document needs a key of another kind.",
    "wrong-owner": "Who signed this document is not who it is of.",
    "wrong-signature": "The proof of this document does not fit it.",
    "malformed": "This document has no canonical form.",
}


def feature(name: str) -> tuple[list[Any], dict[str, str]]:
    """The documents of a sample, in their order, and the texts in quotes, by the words before them."""
    text = shared(f"vectors/feps/fep-{name}.feature").read_text()
    documents = [json.loads(block) for block in re.findall(r'"""\n(.*?)"""', text, re.DOTALL)]
    lines = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    words = re.findall(r"^\s*(?:Given|And|When|Then) (.*?) \"([^\"]+)\"", lines, re.MULTILINE)
    return documents, dict(words)


def secret_key(key_id: str, word: str) -> PrivateKey:
    raw = multibase.decode(word)
    assert raw.startswith(SECRET)
    return PrivateKey(key_id, "ed25519", ed25519.Ed25519PrivateKey.from_private_bytes(raw[2:]))


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def only(document: dict[str, Any]) -> Proof:
    (found,) = proof.read(document)
    return found


def refused(document: dict[str, Any], key: PublicKey, now: float = NOW) -> str:
    """Why nothing in the document is believed: the first reason, or `no claim`."""
    found = proof.read(document)
    if not found:
        return "no claim"
    with pytest.raises(BadSignature) as caught:
        found[0].believed(key, now)
    assert str(caught.value) == SENTENCES[caught.value.reason]
    return caught.value.reason


@pytest.fixture
def signed(ed25519_signer: Signer) -> dict[str, Any]:
    return proof.add(DOCUMENT, ed25519_signer.private, NOW)


def test_fep_8b32_signs_as_its_sample() -> None:
    documents, words = feature("8b32")
    key = secret_key(words["Signing the document for key"], words["Ed25519 secret key"])
    assert proof.add(documents[0], key, at(words["current time"])) == documents[1]


def test_fep_8b32_verifies_its_sample() -> None:
    documents, _ = feature("8b32")
    signed, actor = documents[2], documents[3]
    method = actor["assertionMethod"][0]
    key = PublicKey.from_multibase(method["id"], method["controller"], method["publicKeyMultibase"])
    found = only(signed)
    assert (found.key_id, found.created) == (method["id"], at("2023-02-24T23:36:38Z"))
    assert found.believed(key, NOW) == {name: value for name, value in signed.items() if name != "proof"}


def test_fep_521a_writes_both_kinds_of_keys_as_its_samples() -> None:
    documents, _ = feature("521a")
    text = shared("vectors/feps/fep-521a.feature").read_text()
    raw = [bytes.fromhex(word) for word in re.findall(r'hex string "([0-9a-f]+)"', text)]
    assert multibase.encode(multibase.ED25519_PUBLIC + raw[0]) == documents[0]["publicKeyMultibase"]
    assert multibase.encode(multibase.RSA_PUBLIC + raw[1]) == documents[1]["publicKeyMultibase"]
    read = [PublicKey.from_multibase(one["id"], one["controller"], one["publicKeyMultibase"]) for one in documents]
    assert [key.algorithm for key in read] == ["ed25519", "rsa"]
    encoding = serialization.Encoding
    assert read[0].key.public_bytes(encoding.Raw, serialization.PublicFormat.Raw) == raw[0]
    assert read[1].key.public_bytes(encoding.DER, serialization.PublicFormat.PKCS1) == raw[1]


def test_fep_c390_signs_and_verifies_as_its_samples() -> None:
    documents, words = feature("c390")
    claim, wanted, actor = documents
    key = secret_key(words["the decentralized identifier"], words["private Key"])
    assert proof.add(claim, key, at(words["current time"])) == wanted
    attached = only(actor["attachment"][0])
    public = PublicKey(key.id, actor["id"], "ed25519", key.key.public_key())
    # An identity statement is nobody's activity: what is looked at here is the signature alone.
    assert refused(actor["attachment"][0], public) == "wrong-owner"
    assert attached.key_id == key.id
    assert public.verifies(attached.signature, proof._signed(attached.config, attached.said))


def test_what_was_signed_is_believed_and_nothing_beside_it(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    assert only(signed).believed(ed25519_signer.public, NOW) == DOCUMENT
    assert only({**signed, "signature": {"type": "RsaSignature2017"}}).believed(ed25519_signer.public, NOW) == DOCUMENT


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for name, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*at, name)
        if isinstance(item, dict | list):
            yield from paths(item, (*at, name))


def changed(document: dict[str, Any], path: tuple[Any, ...], change: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(document))
    place = copy
    for name in path[:-1]:
        place = place[name]
    change(place, path[-1])
    return dict(copy)


def other(place: Any, name: Any) -> None:
    old = place[name]
    place[name] = f"{old}x" if isinstance(old, str) else "x"


def gone(place: Any, name: Any) -> None:
    del place[name]


def test_no_change_of_any_property_is_believed(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    every = list(paths(signed))
    assert len(every) > 25
    for path in every:
        for change in (other, gone):
            reason = refused(changed(signed, path, change), ed25519_signer.public)
            assert reason in {"no claim", "wrong-owner", "wrong-signature"}, path


def test_nothing_can_be_added_to_what_was_signed(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    key = ed25519_signer.public
    assert refused({**signed, "summary": "x"}, key) == "wrong-signature"
    assert refused({**signed, "proof": {**signed["proof"], "domain": "x.test"}}, key) == "wrong-signature"
    assert refused({**signed, "object": {**signed["object"], "summary": "x"}}, key) == "wrong-signature"


def test_names_explained_afterwards_are_not_what_is_read(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    longer = {**signed, "@context": [*signed["@context"], {"content": "toot:other"}]}
    assert only(longer).believed(ed25519_signer.public, NOW)["@context"] == DOCUMENT["@context"]
    before = {**signed, "@context": [{"content": "toot:other"}, *signed["@context"]]}
    assert refused(before, ed25519_signer.public) == "no claim"
    assert refused(changed(signed, ("@context",), gone), ed25519_signer.public) == "no claim"


def test_a_context_alone_and_in_a_list_are_the_same_beginning(ed25519_signer: Signer) -> None:
    signed = proof.add({**DOCUMENT, "@context": context.ACTIVITYSTREAMS}, ed25519_signer.private, NOW)
    listed = {**signed, "@context": [context.ACTIVITYSTREAMS, context.SECURITY]}
    assert only(listed).believed(ed25519_signer.public, NOW)["@context"] == context.ACTIVITYSTREAMS


def test_a_document_is_believed_of_its_owner_alone(ed25519_signer: Signer) -> None:
    key = ed25519_signer
    for document, reason in (
        ({**DOCUMENT, "actor": "https://peer.test/u/dave"}, "wrong-owner"),
        ({**DOCUMENT, "actor": [OWNER, "https://peer.test/u/dave"]}, "wrong-owner"),
        ({**DOCUMENT, "as:actor": "https://peer.test/u/dave", "actor": None}, "wrong-owner"),
        ({"id": OWNER + "/n", "type": "Note", "attributedTo": "https://peer.test/u/dave"}, "wrong-owner"),
        ({"id": OWNER + "/n", "type": "Note"}, "wrong-owner"),
    ):
        assert refused(proof.add(document, key.private, NOW), key.public) == reason
    for document in (
        {"id": OWNER + "/n", "type": "Note", "attributedTo": [OWNER]},
        {"id": OWNER, "type": "Person"},
        {**DOCUMENT, "actor": {"id": OWNER, "type": "Person"}},
        {"@context": context.ACTIVITYSTREAMS, "id": "https://peer.test/a/1", "type": "Like", "as:actor": OWNER},
    ):
        assert only(proof.add(document, key.private, NOW)).believed(key.public, NOW) == document


def test_another_key_or_kind_of_key_did_not_sign_it(signed: dict[str, Any], rsa_signer: Signer) -> None:
    fresh = ed25519.Ed25519PrivateKey.generate().public_key()
    assert refused(signed, PublicKey("k", OWNER, "ed25519", fresh)) == "wrong-signature"
    assert refused(signed, rsa_signer.public) == "wrong-algorithm"
    with pytest.raises(ValueError, match="rsa"):
        proof.add(DOCUMENT, rsa_signer.private, NOW)


def proven_with(signer: Signer, **config: Any) -> dict[str, Any]:
    """A document with a proof that is signed well, whatever it says of itself."""
    said = {**proof.add(DOCUMENT, signer.private, NOW)["proof"], **config}
    bare = {name: value for name, value in said.items() if name != "proofValue" and value is not None}
    value = multibase.encode(signer.private.sign(proof._signed(bare, DOCUMENT)))
    return {**DOCUMENT, "proof": {**bare, "proofValue": value}}


@pytest.mark.parametrize(
    "config",
    [
        {"type": "Ed25519Signature2020"},
        {"cryptosuite": "eddsa-rdfc-2022"},
        {"cryptosuite": None},
        {"proofPurpose": "authentication"},
        {"proofPurpose": None},
        {"previousProof": "urn:uuid:1"},
        {"verificationMethod": None},
        {"verificationMethod": {"id": OWNER}},
        {"verificationMethod": "https://peer.test/" + "x" * 2048},
        {"verificationMethod": "https://peer.test/ x"},
        {"created": "yesterday"},
        {"created": 5},
        {"created": ["2026-03-01T12:00:00Z"]},
        {"expires": "soon"},
    ],
)
def test_what_is_of_another_kind_or_cannot_be_understood_is_no_claim(
    config: dict[str, Any], ed25519_signer: Signer
) -> None:
    assert proof.read(proven_with(ed25519_signer, **config)) == ()


def test_a_proof_may_name_no_time_and_may_end(ed25519_signer: Signer) -> None:
    key = ed25519_signer.public
    untimed = only(proven_with(ed25519_signer, created=None))
    assert untimed.created is None
    assert untimed.believed(key, NOW) == DOCUMENT
    ending = proven_with(ed25519_signer, expires="2026-03-01T12:00:00Z")
    assert only(ending).expires == NOW
    assert only(ending).believed(key, NOW) == DOCUMENT
    assert refused(ending, key, NOW + 1) == "expired"


@pytest.mark.parametrize("value", [None, 5, "", "z", "u" + "A" * 86, "z0", "z" + "1" * 64 + "2", "z" + "2" * 101])
def test_a_value_that_is_no_signature_is_no_claim(value: Any, signed: dict[str, Any]) -> None:
    assert proof.read({**signed, "proof": {**signed["proof"], "proofValue": value}}) == ()


def test_of_several_proofs_each_stands_for_itself(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    ours, unknown = signed["proof"], {"type": "DataIntegrityProof", "cryptosuite": "ecdsa-jcs-2019"}
    broken = {**ours, "created": "2026-03-01T12:00:01Z"}
    found = proof.read({**signed, "proof": [unknown, broken, "x", ours]})
    assert len(found) == 2
    assert found[1].believed(ed25519_signer.public, NOW) == DOCUMENT
    assert refused({**signed, "proof": [broken, ours]}, ed25519_signer.public) == "wrong-signature"
    assert proof.read({**signed, "proof": [ours] * (proof.MOST + 1)}) == ()


def test_what_has_no_canonical_form_was_never_signed(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    assert refused({**signed, "n": 2**60}, ed25519_signer.public) == "malformed"


def test_a_proof_is_made_anew_and_not_upon_another(signed: dict[str, Any], ed25519_signer: Signer) -> None:
    assert proof.add(signed, ed25519_signer.private, NOW) == signed
    later = proof.add({**signed, "signature": {"a": "b"}}, ed25519_signer.private, NOW + 60.9)
    assert later["proof"]["created"] == "2026-03-01T12:01:00Z"
    assert "signature" not in later
