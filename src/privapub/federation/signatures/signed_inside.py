"""Who vouches for a document within it: then it does not matter who brings it (ActivityPub, 7.1.2; SPEC 2.3)."""

from typing import Any

import msgspec

from privapub.federation.signatures import ld_signature, proof
from privapub.federation.signatures.ld_signature import LinkedSignature
from privapub.federation.signatures.proof import Proof

LONGEST = 256 * 1024  # bytes of JSON

Claim = Proof | LinkedSignature


def signed_inside(document: dict[str, Any]) -> tuple[Claim, ...]:
    """What a document from `strict_json` claims of its own signatures: proofs first, which count before the other.

    Empty where it has none that could be checked here: no key need be fetched then. Nothing of it is believed before
    a claim's `believed` said so, and then only what that returns.
    """
    if not isinstance(document.get("proof"), dict | list) and not isinstance(document.get("signature"), dict):
        return ()
    if len(msgspec.json.encode(document)) > LONGEST:
        return ()
    linked = ld_signature.read(document)
    return (*proof.read(document), *(() if linked is None else (linked,)))
