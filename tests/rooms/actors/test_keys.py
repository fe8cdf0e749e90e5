"""The keys of our own actors."""

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa

from makers import make_persona, make_remote, private_keys
from privapub.actors import keys, read
from privapub.database.connect import Database
from privapub.errors import NotFound

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def test_a_pair_is_rsa_2048_and_ed25519_and_each_is_another() -> None:
    first, second = keys.make(), private_keys()
    rsa_key = serialization.load_pem_private_key(first.rsa.encode(), None)
    assert isinstance(rsa_key, rsa.RSAPrivateKey)
    assert rsa_key.key_size == 2048
    assert isinstance(serialization.load_pem_private_key(first.ed25519.encode(), None), ed25519.Ed25519PrivateKey)
    assert first.rsa.startswith("-----BEGIN PRIVATE KEY-----")
    assert first.rsa != second.rsa
    assert first.ed25519 != second.ed25519


def test_the_public_rsa_key_checks_what_the_private_one_signs() -> None:
    private = serialization.load_pem_private_key(private_keys().rsa.encode(), None)
    public = serialization.load_pem_public_key(keys.public_rsa(private_keys().rsa).encode())
    assert isinstance(private, rsa.RSAPrivateKey)
    assert isinstance(public, rsa.RSAPublicKey)
    signature = private.sign(b"message", padding.PKCS1v15(), hashes.SHA256())
    public.verify(signature, b"message", padding.PKCS1v15(), hashes.SHA256())


def test_the_public_ed25519_key_is_a_multikey() -> None:
    multibase = keys.public_ed25519(private_keys().ed25519)
    assert multibase.startswith("z6Mk")
    number = 0
    for letter in multibase[1:]:
        number = number * 58 + _BASE58.index(letter)
    data = number.to_bytes(34, "big")
    assert data[:2] == b"\xed\x01"
    private = serialization.load_pem_private_key(private_keys().ed25519.encode(), None)
    assert isinstance(private, ed25519.Ed25519PrivateKey)
    ed25519.Ed25519PublicKey.from_public_bytes(data[2:]).verify(private.sign(b"message"), b"message")


def test_a_key_of_the_other_kind_is_refused() -> None:
    with pytest.raises(TypeError):
        keys.public_rsa(private_keys().ed25519)
    with pytest.raises(TypeError):
        keys.public_ed25519(private_keys().rsa)


async def test_only_our_own_actors_have_a_key_to_sign_with(database: Database) -> None:
    async with database.write() as tx:
        alice, carol = await make_persona(tx), await make_remote(tx)
        assert await keys.signing_key(tx, alice.id) == (f"{alice.actor.uri}#main-key", private_keys().rsa)
        assert await keys.signing_key(tx, alice.id, keys.ED25519) == (
            f"{alice.actor.uri}#ed25519-key",
            private_keys().ed25519,
        )
        with pytest.raises(NotFound):
            await keys.signing_key(tx, carol.id)
        published = await read.keys_of(tx, alice.id)
        assert [key.algorithm for key in published] == ["rsa", "ed25519"]
        assert all("PRIVATE" not in repr(key) for key in published)
