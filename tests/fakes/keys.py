"""Keys of actors elsewhere: made as a peer makes them, and shown as its documents show them."""

from functools import cache

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from privapub.actors import multibase


def new_rsa() -> str:
    """A new RSA-2048 key pair: the private key as PKCS #8 in PEM."""
    return _pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))


def new_ed25519() -> str:
    """A new Ed25519 key pair: the private key as PKCS #8 in PEM."""
    return _pem(ed25519.Ed25519PrivateKey.generate())


@cache  # a key is checked whenever it is loaded, which takes long
def public_pem(private: str) -> str:
    """The public half of a private key in PEM, as `publicKeyPem` shows it (SubjectPublicKeyInfo)."""
    key = _private(private).public_key()
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def public_multibase(private: str) -> str:
    """The public half of a private key in PEM, as the `publicKeyMultibase` of a Multikey shows it (FEP-521a)."""
    key = _private(private).public_key()
    if isinstance(key, ed25519.Ed25519PublicKey):
        return multibase.encode(multibase.ED25519_PUBLIC + key.public_bytes_raw())
    return multibase.encode(
        multibase.RSA_PUBLIC + key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
    )


def _pem(key: rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def _private(pem: str) -> rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey:
    key = serialization.load_pem_private_key(pem.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey)
    return key
