"""The keys of a persona are made and found as those of every local actor are."""

from privapub.actors.keys import ED25519, RSA, PrivateKeys, make, signing_key

__all__ = ["ED25519", "RSA", "PrivateKeys", "make", "signing_key"]
