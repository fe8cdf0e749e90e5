"""Which kind of public key a text is: PEM, or a Multikey (W3C Controlled Identifiers, section 2.2.2; FEP-521a)."""

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

from privapub.actors.multibase import ED25519_PUBLIC, RSA_PUBLIC, decode

_LONGEST = 4000
_MOST_BITS, _FEWEST_BITS = 8192, 1024


def algorithm_of_pem(pem: str) -> str | None:
    """`rsa` or `ed25519`, or None where it is no such public key."""
    if len(pem) > _LONGEST:
        return None
    try:
        key = load_pem_public_key(pem.strip().encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if isinstance(key, Ed25519PublicKey):
        return "ed25519"
    return _rsa(key)


def algorithm_of(multibase: str) -> str | None:
    """The same of a Multikey's `publicKeyMultibase`."""
    if len(multibase) > _LONGEST:
        return None
    try:
        raw = decode(multibase)
        if raw.startswith(ED25519_PUBLIC) and len(raw) == len(ED25519_PUBLIC) + 32:
            return "ed25519"
        # Multicodec says PKCS #1; cryptography reads both that and SubjectPublicKeyInfo.
        key = load_der_public_key(raw.removeprefix(RSA_PUBLIC)) if raw.startswith(RSA_PUBLIC) else None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return _rsa(key)


def _rsa(key: object) -> str | None:
    return "rsa" if isinstance(key, RSAPublicKey) and _FEWEST_BITS <= key.key_size <= _MOST_BITS else None
