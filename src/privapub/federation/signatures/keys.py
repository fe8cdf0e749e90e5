"""Keys that sign requests: RSA (PKCS #1 v1.5, RFC 8017) and Ed25519 (RFC 8032), in PEM and as Multikey (FEP-521a).

The algorithm belongs to the key: an RSA key verifies RSA signatures and nothing else, whatever a request claims.
"""

from dataclasses import dataclass
from typing import Literal, Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa

from privapub import errors

Kind = Literal["rsa", "ed25519"]
Hash = Literal["sha256", "sha512"]

SMALLEST_RSA = 1024
LARGEST_RSA = 8192
NEW_RSA = 2048
LONGEST_PEM = 16384
LONGEST_MULTIBASE = 2048

_HASHES: dict[str, hashes.HashAlgorithm] = {"sha256": hashes.SHA256(), "sha512": hashes.SHA512()}
_ED25519_PREFIX = b"\xed\x01"  # multicodec ed25519-pub
_RSA_PREFIX = b"\x85\x24"  # multicodec rsa-pub, followed by a PKCS #1 RSAPublicKey
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BASE58_VALUES = {letter: value for value, letter in enumerate(_BASE58)}


class BadKey(errors.InvalidInput):
    """This key cannot be used.

    `reason` is `malformed`, `unsupported` (another kind of key), `too-small` or `too-large`.
    """

    def __init__(self, reason: str, sentence: str = "", hint: str = "") -> None:
        """Keep the word; without a sentence the class's own is used."""
        super().__init__(sentence or f"This key cannot be used ({reason}).", hint)
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
        try:
            key = serialization.load_pem_public_key(pem.strip().encode("ascii"))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise BadKey("malformed") from error
        return cls._of(id, owner, key)

    @classmethod
    def from_multibase(cls, id: str, owner: str, text: str) -> Self:  # noqa: A002 - the field's name
        """Read the `publicKeyMultibase` of a Multikey (FEP-521a): base58btc of Ed25519 or RSA; else BadKey."""
        if not text.startswith("z") or len(text) > LONGEST_MULTIBASE:
            raise BadKey("malformed")
        raw = _from_base58(text[1:])
        prefix, content = raw[:2], raw[2:]
        try:
            if prefix == _ED25519_PREFIX:
                return cls(id, owner, "ed25519", ed25519.Ed25519PublicKey.from_public_bytes(content))
            if prefix == _RSA_PREFIX:
                return cls._of(id, owner, serialization.load_der_public_key(content))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise BadKey("malformed") from error
        raise BadKey("unsupported")

    @classmethod
    def _of(cls, id: str, owner: str, key: object) -> Self:  # noqa: A002 - the field's name
        if isinstance(key, ed25519.Ed25519PublicKey):
            return cls(id, owner, "ed25519", key)
        if not isinstance(key, rsa.RSAPublicKey):
            raise BadKey("unsupported")
        if key.key_size < SMALLEST_RSA:
            raise BadKey("too-small")
        if key.key_size > LARGEST_RSA:
            raise BadKey("too-large")
        # An exponent of one makes every message its own signature, a long one makes checking slow.
        if not 3 <= key.public_numbers().e < 1 << 32:
            raise BadKey("unsupported")
        return cls(id, owner, "rsa", key)

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


def new_rsa() -> str:
    """A new RSA-2048 key pair: the private key as PKCS #8 in PEM."""
    return _pem(rsa.generate_private_key(public_exponent=65537, key_size=NEW_RSA))


def new_ed25519() -> str:
    """A new Ed25519 key pair: the private key as PKCS #8 in PEM."""
    return _pem(ed25519.Ed25519PrivateKey.generate())


def public_pem(private: str) -> str:
    """The public half of a private key in PEM, as `publicKeyPem` shows it (SubjectPublicKeyInfo)."""
    return (
        _private(private)
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode("ascii")
    )


def public_multibase(private: str) -> str:
    """The public half of a private key in PEM, as the `publicKeyMultibase` of a Multikey shows it (FEP-521a)."""
    key = _private(private).public_key()
    if isinstance(key, ed25519.Ed25519PublicKey):
        return "z" + _base58(_ED25519_PREFIX + key.public_bytes_raw())
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
    return "z" + _base58(_RSA_PREFIX + der)


def _pem(key: rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode("ascii")


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


def _base58(raw: bytes) -> str:
    number = int.from_bytes(raw, "big")
    letters = ""
    while number:
        number, value = divmod(number, 58)
        letters = _BASE58[value] + letters
    return _BASE58[0] * (len(raw) - len(raw.lstrip(b"\0"))) + letters


def _from_base58(text: str) -> bytes:
    number = 0
    for letter in text:
        if letter not in _BASE58_VALUES:
            raise BadKey("malformed")
        number = number * 58 + _BASE58_VALUES[letter]
    zeros = len(text) - len(text.lstrip(_BASE58[0]))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")
