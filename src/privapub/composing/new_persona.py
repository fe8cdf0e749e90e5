"""Another persona for an account."""

from privapub.accounts import holds, waiting
from privapub.actors.addresses import Addresses
from privapub.actors.keys import PrivateKeys
from privapub.database.transaction import Transaction
from privapub.errors import Conflict
from privapub.personas import create


async def new_persona(
    tx: Transaction, account_id: int, handle: str, keys: PrivateKeys, addresses: Addresses, domain: str, now: float
) -> int:
    """A persona that the account holds from now on; its number.

    Raises InvalidInput for what cannot be a handle, Conflict for one that is taken or where the account holds as many
    personas as it may.
    """
    if await waiting.keeps(tx, handle.strip()):
        raise Conflict(f"The handle “{handle}” is taken.", "Choose another one.")
    persona_id = await create.create(tx, handle.strip(), keys, addresses=addresses, domain=domain, now=now)
    await holds.give(tx, account_id, persona_id)
    return persona_id
