"""Whose a document is: nobody's key vouches for what somebody else is said to have done or written."""

from typing import Any

from privapub.federation.documents.properties import each, identity, web_id
from privapub.federation.documents.terms import compacted
from privapub.federation.signatures.keys import PublicKey
from privapub.federation.signatures.request import BadSignature


def owner_of(document: dict[str, Any]) -> str | None:
    """Who did it, else who wrote it, else (an actor) itself; None where that is not one.

    An activity is read as the readers read it, so that they and this see the same actor.
    """
    plain = compacted(document)
    for name in ("actor", "attributedTo"):
        if each(plain.get(name)):
            names = {identity(item) for item in each(plain[name])}
            return web_id(plain[name]) if len(names) == 1 else None
    return web_id(plain.get("id"))


def check_owner(document: dict[str, Any], key: PublicKey) -> None:
    """Refuse a document that is not of the key's owner: BadSignature `wrong-owner`."""
    if owner_of(document) != key.owner:
        raise BadSignature("wrong-owner", "Who signed this document is not who it is of.")
