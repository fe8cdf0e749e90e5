"""Object integrity proofs, made and read (FEP-8b32; W3C Data Integrity EdDSA Cryptosuites 1.0, 3.3: eddsa-jcs-2022)."""

import hashlib
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from privapub import clock
from privapub.actors import multibase
from privapub.federation.documents.jcs import canonical
from privapub.federation.documents.moments import moment
from privapub.federation.documents.problems import BadDocument
from privapub.federation.signatures.claim import checked_key_id
from privapub.federation.signatures.keys import PrivateKey, PublicKey
from privapub.federation.signatures.owner import check_owner
from privapub.federation.signatures.request import BadSignature

CRYPTOSUITE: Final = "eddsa-jcs-2022"
MOST = 4  # proofs of one document: more than one is unusual

_TYPE, _PURPOSE = "DataIntegrityProof", "assertionMethod"
_SIGNATURE_BYTES = 64
_LONGEST_VALUE = 100  # 64 bytes take 88 letters at most


@dataclass(frozen=True)
class Proof:
    """A proof that a document carries: nobody has checked it yet.

    `key_id` is its `verificationMethod`, `created` and `expires` are seconds since 1970. `said` is what it is about:
    the document without any proof and signature, under the context that the proof names.
    """

    scheme: ClassVar[Literal["eddsa-jcs-2022"]] = CRYPTOSUITE

    key_id: str
    created: float | None
    expires: float | None
    said: dict[str, Any]
    config: dict[str, Any]
    signature: bytes

    def believed(self, key: PublicKey, now: float) -> dict[str, Any]:
        """What the owner of this key said: read this, and not the document that carried the proof.

        Raises BadSignature: `expired`, `wrong-algorithm`, `wrong-owner` (the document is somebody else's),
        `wrong-signature`. That the key is the one that the proof names, and its owner's, is for the caller.
        """
        if self.expires is not None and self.expires < now:
            raise BadSignature("expired", "The proof of this document has expired.")
        if key.algorithm != "ed25519":
            raise BadSignature("wrong-algorithm", "The proof of this document needs a key of another kind.")
        check_owner(self.said, key)
        try:
            signed = _signed(self.config, self.said)
        except BadDocument:
            raise BadSignature("malformed", "This document has no canonical form.") from None
        if not key.verifies(self.signature, signed):
            raise BadSignature("wrong-signature", "The proof of this document does not fit it.")
        return self.said


def add(document: dict[str, Any], key: PrivateKey, created: float) -> dict[str, Any]:
    """The document with a proof by this Ed25519 key, whose id is the verification method; one before is replaced.

    Raises ValueError for a key of another kind.
    """
    if key.algorithm != "ed25519":
        raise ValueError(key.algorithm)
    bare = _bare(document)
    config: dict[str, Any] = {
        "type": _TYPE,
        "cryptosuite": CRYPTOSUITE,
        "verificationMethod": key.id,
        "proofPurpose": _PURPOSE,
        "created": f"{clock.iso(created)[:19]}Z",
    }
    if "@context" in bare:
        config = {"@context": bare["@context"], **config}
    value = multibase.encode(key.sign(_signed(config, bare)))
    return {**bare, "proof": {**config, "proofValue": value}}


def read(document: dict[str, Any]) -> tuple[Proof, ...]:
    """The proofs in a document that can be checked here, in their order.

    A proof of another kind, for another purpose, in a chain, or one that cannot be understood is no claim.
    """
    carried = document.get("proof")
    each = carried if isinstance(carried, list) else [carried]
    if len(each) > MOST:
        return ()
    found = (_read(item, document) for item in each if isinstance(item, dict))
    return tuple(proof for proof in found if proof is not None)


def _read(carried: dict[str, Any], document: dict[str, Any]) -> Proof | None:
    suite = (carried.get("type"), carried.get("cryptosuite"), carried.get("proofPurpose"))
    if suite != (_TYPE, CRYPTOSUITE, _PURPOSE) or "previousProof" in carried:
        return None
    config = {name: value for name, value in carried.items() if name != "proofValue"}
    said = _bare(document)
    if "@context" in config:
        # Names that were explained after the proof was made are none of its maker's.
        if not _begins_with(document.get("@context"), config["@context"]):
            return None
        said["@context"] = config["@context"]
    try:
        key_id = checked_key_id(config.get("verificationMethod"))
    except BadSignature:
        return None
    signature = _bytes(carried.get("proofValue"))
    created, expires = _moment(config, "created"), _moment(config, "expires")
    if signature is None or created is False or expires is False:
        return None
    return Proof(key_id, created, expires, said, config, signature)


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in {"proof", "signature"}}


def _begins_with(context: Any, beginning: Any) -> bool:
    whole, part = (item if isinstance(item, list) else [item] for item in (context, beginning))
    return context is not None and whole[: len(part)] == part


def _moment(config: dict[str, Any], name: str) -> float | Literal[False] | None:
    """None where it says none, False where it is no moment."""
    said = config.get(name)
    if name not in config:
        return None
    found = moment(said) if isinstance(said, str) else None
    return False if found is None else found


def _bytes(value: Any) -> bytes | None:
    if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
        return None
    try:
        found = multibase.decode(value)
    except ValueError:
        return None
    return found if len(found) == _SIGNATURE_BYTES else None


def _signed(config: dict[str, Any], document: dict[str, Any]) -> bytes:
    return hashlib.sha256(canonical(config)).digest() + hashlib.sha256(canonical(document)).digest()
