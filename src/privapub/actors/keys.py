"""The keys of our own actors: how they are made, and with which one to sign."""

from typing import NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from sqlalchemy import delete, select

from privapub.actors import multibase
from privapub.actors.addresses import ed25519_key_of, rsa_key_of
from privapub.actors.tables import actor_key
from privapub.database.transaction import Transaction
from privapub.errors import NotFound

RSA, ED25519 = "rsa", "ed25519"
FORMER_RSA = "former rsa"  # the one before, until it has signed that there is another


class PrivateKeys(NamedTuple):
    """The two private keys of an actor, each as PKCS #8 PEM without a password."""

    rsa: str
    ed25519: str


def make() -> PrivateKeys:
    """A fresh pair. Takes a tenth of a second and more: call it in a thread and outside of transactions."""
    return PrivateKeys(
        _private_pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)),
        _private_pem(ed25519.Ed25519PrivateKey.generate()),
    )


def public_rsa(private_pem: str) -> str:
    """The public half of an RSA key as SubjectPublicKeyInfo PEM, as `publicKeyPem` wants it."""
    # Just made: nobody has to prove again that its numbers are primes.
    key = serialization.load_pem_private_key(private_pem.encode(), None, unsafe_skip_rsa_key_validation=True)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError("not an RSA key")
    return (
        key.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )


def public_ed25519(private_pem: str) -> str:
    """The public half of an Ed25519 key as `publicKeyMultibase` wants it (Controlled Identifiers 1.0, Multikey)."""
    key = serialization.load_pem_private_key(private_pem.encode(), None)
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise TypeError("not an Ed25519 key")
    return multibase.encode(multibase.ED25519_PUBLIC + key.public_key().public_bytes_raw())


def rows(actor_id: int, actor_uri: str, keys: PrivateKeys, now: float) -> list[dict[str, object]]:
    """The two rows of `actor_key` for one of our actors (pure)."""
    return [
        {
            "id": key_id,
            "actor_id": actor_id,
            "algorithm": algorithm,
            "public": public,
            "private": private,
            "fetched_at": now,
        }
        for key_id, algorithm, public, private in (
            (rsa_key_of(actor_uri), RSA, public_rsa(keys.rsa), keys.rsa),
            (ed25519_key_of(actor_uri), ED25519, public_ed25519(keys.ed25519), keys.ed25519),
        )
    ]


async def signing_key(tx: Transaction, actor_id: int, algorithm: str = RSA) -> tuple[str, str]:
    """The id and the private PEM of a key of one of our actors; `algorithm` is RSA or ED25519.

    Raises NotFound where the actor is not ours (or is gone): nobody else's private key is here.
    """
    row = await tx.first(
        select(actor_key.c.id, actor_key.c.private).where(
            actor_key.c.actor_id == actor_id, actor_key.c.algorithm == algorithm, actor_key.c.private.is_not(None)
        )
    )
    if row is None:
        raise NotFound("This actor has no key here to sign with.")
    return row.id, row.private


async def replace(tx: Transaction, actor_id: int, actor_uri: str, keys: PrivateKeys, now: float) -> None:
    """One of our actors has these keys from now on, under the same ids; the RSA key before is put aside.

    Where one is aside already it stays: nobody was told of those since.
    """
    _, before = await signing_key(tx, actor_id)
    aside = {
        "id": f"{rsa_key_of(actor_uri)}-before",
        "actor_id": actor_id,
        "algorithm": FORMER_RSA,
        "public": public_rsa(before),
        "private": before,
        "fetched_at": now,
    }
    await tx.execute(tx.insert(actor_key).values(aside).on_conflict_do_nothing(index_elements=[actor_key.c.id]))
    await tx.execute(
        delete(actor_key).where(actor_key.c.actor_id == actor_id, actor_key.c.algorithm.in_([RSA, ED25519]))
    )
    await tx.execute(actor_key.insert(), rows(actor_id, actor_uri, keys, now))


async def take_former(tx: Transaction, actor_id: int) -> str | None:
    """The RSA key that was put aside, as a PEM; from now on it is here no more."""
    former: str | None = await tx.scalar(
        delete(actor_key)
        .where(actor_key.c.actor_id == actor_id, actor_key.c.algorithm == FORMER_RSA)
        .returning(actor_key.c.private)
    )
    return former


def _private_pem(key: rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
