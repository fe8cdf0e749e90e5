"""Documents that their own actor signed, so that it does not matter who brings them."""

import base64
import hashlib
from functools import cache
from typing import Any

from pyld import jsonld
from pyld.documentloader.frozen import FrozenDocumentLoader

from fakes import keys
from fakes.world import Person, World
from privapub.federation.documents.context import SECURITY
from privapub.federation.signatures import proof
from privapub.federation.signatures.keys import PrivateKey

CREATED = 1_772_366_400.0  # 2026-03-01T12:00:00Z
_SHIPPED = FrozenDocumentLoader()


@cache
def ed25519(uri: str) -> str:
    """The private key that proves what this actor says."""
    del uri
    return keys.new_ed25519()


def proving(world: World, uri: str, **changes: Any) -> Person:
    """Somebody at a peer who has a key for proofs too."""
    multikey = {
        "id": f"{uri}#ed25519-key",
        "type": "Multikey",
        "controller": uri,
        "publicKeyMultibase": keys.public_multibase(ed25519(uri)),
    }
    return world.person(uri, changes={"assertionMethod": [multikey], **changes})


def proven(document: dict[str, Any], by: Person) -> dict[str, Any]:
    """With a proof (FEP-8b32) of this person."""
    return proof.add(document, PrivateKey.from_pem(f"{by.uri}#ed25519-key", ed25519(by.uri)), CREATED)


def linked(document: dict[str, Any], by: Person) -> dict[str, Any]:
    """With an RsaSignature2017 of this person, as Mastodon makes it, with the library's own canonical form."""
    said = {"creator": by.key_id, "created": "2026-03-01T12:00:00Z"}
    # What identity/v1 says of these names, security/v1 says too.
    signed = _sha256({"@context": SECURITY, **said}) + _sha256(document)
    value = base64.b64encode(PrivateKey.from_pem(by.key_id, by.private).sign(signed.encode())).decode()
    return {**document, "signature": {"type": "RsaSignature2017", **said, "signatureValue": value}}


def _sha256(document: dict[str, Any]) -> str:
    text: str = jsonld.normalize(
        document,
        {"algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": _SHIPPED},
    )
    return hashlib.sha256(text.encode()).hexdigest()
