"""Keys that sign requests: RSA (PKCS #1 v1.5, RFC 8017) and Ed25519 (RFC 8032), in PEM and as Multikey (FEP-521a).

The algorithm belongs to the key: an RSA key verifies RSA signatures and nothing else, whatever a request claims.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa

from privapub import errors
from privapub.actors import multibase

Kind = Literal["rsa", "ed25519"]
Hash = Literal["sha256", "sha512"]

SMALLEST_RSA = 1024
LARGEST_RSA = 8192
LONGEST_PEM = 16384
LONGEST_MULTIBASE = 2048
MOST_READ = 512  # keys in PEM that a process has at hand as it read them

_HASHES: dict[str, hashes.HashAlgorithm] = {"sha256": hashes.SHA256(), "sha512": hashes.SHA512()}


class BadKey(errors.InvalidInput):
    """This key cannot be used.

    `reason` is `malformed`, `unsupported` (another kind of key), `too-small` or `too-large`.
    """

    def __init__(self, reason: str, sentence: str = "") -> None:
        """Keep the word; without a sentence the class's own is used."""
        super().__init__(sentence or f"This key cannot be used ({reason}).")
        self.reason = reason


@dataclass(frozen=True)
class PublicKey:
    """A key that checks signatures: its id, the id of the actor it belongs to, its kind."""

    id: str
    owner: str
    algorithm: Kind
    key: rsa.RSAPublicKey | ed25519.Ed25519PublicKey

    @classmethod
    def from_pem(cls, id: str, owner: str, pem: str) -> Self:  # noqa: A002 - the field's name
        """Read SubjectPublicKeyInfo or PKCS #1 in PEM; BadKey where it is neither, or not a key that is used here."""
        if len(pem) > LONGEST_PEM:
            raise BadKey("too-large")
        return cls(id, owner, *_public(pem))

    @classmethod
    def from_multibase(cls, id: str, owner: str, text: str) -> Self:  # noqa: A002 - the field's name
        """Read the `publicKeyMultibase` of a Multikey (FEP-521a): base58btc of Ed25519 or RSA; else BadKey."""
        if len(text) > LONGEST_MULTIBASE:
            raise BadKey("malformed")
        try:
            raw = multibase.decode(text)
            prefix, content = raw[:2], raw[2:]
            if prefix == multibase.ED25519_PUBLIC:
                return cls(id, owner, "ed25519", ed25519.Ed25519PublicKey.from_public_bytes(content))
            if prefix == multibase.RSA_PUBLIC:
                return cls(id, owner, *_usable(serialization.load_der_public_key(content)))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise BadKey("malformed") from error
        raise BadKey("unsupported")

    def verifies(self, signature: bytes, signed: bytes, hash_name: Hash = "sha256") -> bool:
        """Whether this key made the signature of these bytes. The hash is for RSA; Ed25519 has its own."""
        try:
            if isinstance(self.key, rsa.RSAPublicKey):
                self.key.verify(signature, signed, padding.PKCS1v15(), _HASHES[hash_name])
            else:
                self.key.verify(signature, signed)
        except InvalidSignature:
            return False
        return True


@lru_cache(maxsize=MOST_READ)  # a sender signs all that it sends with one key, and to read it takes as long as to check
def _public(pem: str) -> tuple[Kind, rsa.RSAPublicKey | ed25519.Ed25519PublicKey]:
    try:
        key = serialization.load_pem_public_key(pem.strip().encode("ascii"))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadKey("malformed") from error
    return _usable(key)


def _usable(key: object) -> tuple[Kind, rsa.RSAPublicKey | ed25519.Ed25519PublicKey]:
    if isinstance(key, ed25519.Ed25519PublicKey):
        return "ed25519", key
    if not isinstance(key, rsa.RSAPublicKey):
        raise BadKey("unsupported")
    if key.key_size < SMALLEST_RSA:
        raise BadKey("too-small")
    if key.key_size > LARGEST_RSA:
        raise BadKey("too-large")
    # An exponent of one makes every message its own signature, a long one makes checking slow.
    if not 3 <= key.public_numbers().e < 1 << 32:
        raise BadKey("unsupported")
    return "rsa", key


@dataclass(frozen=True)
class PrivateKey:
    """A key that signs: its id as others find it, its kind."""

    id: str
    algorithm: Kind
    key: rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey

    @classmethod
    def from_pem(cls, id: str, pem: str) -> Self:  # noqa: A002 - the field's name
        """Read PKCS #8 in PEM, unencrypted; BadKey where it is none."""
        key = _private(pem)
        return cls(id, "rsa" if isinstance(key, rsa.RSAPrivateKey) else "ed25519", key)

    def sign(self, content: bytes) -> bytes:
        """The signature of these bytes (RSA: PKCS #1 v1.5 with SHA-256)."""
        if isinstance(self.key, rsa.RSAPrivateKey):
            return self.key.sign(content, padding.PKCS1v15(), _HASHES["sha256"])
        return self.key.sign(content)


def _private(pem: str) -> rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey:
    try:
        # Our own keys, as we made and kept them: to prove again that the numbers are primes takes a thousand times as
        # long as to read them, for every delivery.
        key = serialization.load_pem_private_key(pem.encode("ascii"), None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadKey("malformed") from error
    if not isinstance(key, rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey):
        raise BadKey("unsupported")
    return key
