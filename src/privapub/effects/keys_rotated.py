"""A persona has other keys: its followers' servers get them.

It is signed with the new key, which most servers fetch when the one that they know does not fit; who refuses it gets it
once more, signed with the key before (Mastodon signs such an Update with that one).
"""

from privapub.actors.addresses import Addresses
from privapub.actors.keys import take_former
from privapub.database.transaction import Transaction
from privapub.effects.persona_edited import tell_profile
from privapub.personas.facts import KeysRotated


async def keys_rotated(tx: Transaction, fact: KeysRotated, addresses: Addresses, now: float) -> None:
    """One Update to each server that has a follower."""
    await tell_profile(tx, fact.persona_id, addresses, now, await take_former(tx, fact.persona_id))
