"""Which of our activities carry a proof of their own (FEP-8b32), and how they get it.

What is for everybody does: others may pass it on, and whoever gets it so can tell that it is ours. Nothing else does:
a proof lets anybody show to anybody what a few were told, and that it was truly said.
"""

import json
from typing import Any

from privapub.actors.keys import ED25519, signing_key
from privapub.database.transaction import Transaction
from privapub.federation.documents.context import DATA_INTEGRITY
from privapub.federation.documents.encode import encode
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.signatures import proof
from privapub.federation.signatures.keys import PrivateKey


def is_for_everybody(activity: dict[str, Any]) -> bool:
    """Whether it is addressed to the public, and so is whatever it embeds that says to whom it goes (pure)."""
    return PUBLIC in _addressed(activity) and all(map(_hides_nothing, activity.values()))


def _hides_nothing(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_hides_nothing, value))
    if not isinstance(value, dict):
        return True
    addressed = "to" in value or "cc" in value
    return (not addressed or PUBLIC in _addressed(value)) and all(map(_hides_nothing, value.values()))


def _addressed(document: dict[str, Any]) -> list[str]:
    return [*document.get("to", ()), *document.get("cc", ())]


async def proven(tx: Transaction, actor_id: int, activity: dict[str, Any], now: float) -> dict[str, Any]:
    """The activity of a local actor as it is sent: with a proof by their Ed25519 key where it is for everybody.

    Raises NotFound where the actor has no key here.
    """
    if not is_for_everybody(activity):
        return activity
    key_id, private = await signing_key(tx, actor_id, ED25519)
    said = activity["@context"]
    explained = [*(said if isinstance(said, list) else [said]), DATA_INTEGRITY]
    return proof.add({**activity, "@context": explained}, PrivateKey.from_pem(key_id, private), now)


def proven_again(body: bytes, key_id: str, private: str, created: float) -> bytes:
    """A rendering whose proof is by a key that its author has no more, with one by this key instead (pure).

    One that carries no proof stays as it is, and so does what somebody else has proven and we only send on. The same
    bytes come out every time.
    """
    activity = json.loads(body)
    made = activity.get("proof")
    if not isinstance(made, dict) or made.get("verificationMethod") != key_id:
        return body
    return encode(proof.add(activity, PrivateKey.from_pem(key_id, private), created))
