"""Which kind of public key a text is: PEM, or a Multikey (W3C Controlled Identifiers, section 2.2.2; FEP-521a)."""

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ED25519 = b"\xed\x01"
_RSA = b"\x85\x24"
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
    return "rsa" if isinstance(key, RSAPublicKey) and _FEWEST_BITS <= key.key_size <= _MOST_BITS else None


def algorithm_of(multibase: str) -> str | None:
    """The same of a Multikey's `publicKeyMultibase`."""
    raw = _decode(multibase)
    if raw.startswith(_ED25519) and len(raw) == len(_ED25519) + 32:
        return "ed25519"
    if raw.startswith(_RSA):
        try:
            key = load_der_public_key(raw[len(_RSA) :])
        except (ValueError, TypeError, UnsupportedAlgorithm):
            # Multicodec says PKCS #1; cryptography reads both that and SubjectPublicKeyInfo.
            return None
        return "rsa" if isinstance(key, RSAPublicKey) and _FEWEST_BITS <= key.key_size <= _MOST_BITS else None
    return None


def _decode(multibase: str) -> bytes:
    """The bytes of base58btc, none where it is something else."""
    if not multibase.startswith("z") or not 1 < len(multibase) <= _LONGEST:
        return b""
    number = 0
    for letter in multibase[1:]:
        digit = _ALPHABET.find(letter)
        if digit < 0:
            return b""
        number = number * 58 + digit
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
