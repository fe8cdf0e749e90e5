"""What the pages ask browsers for when it comes to passkeys, and what becomes of the answers.

A question stands in the page itself and is good there alone (`accounts.challenges`). At sign-in it names no passkey:
people choose from the list that their own browser has, and whoever has none learns nothing of others'.
"""

import hashlib
from dataclasses import dataclass
from typing import Self

from privapub import clock, identifiers
from privapub.accounts import challenges, letters, passkeys, webauthn
from privapub.accounts.challenges import ADD, SIGN_IN, Purpose
from privapub.accounts.holds import Account
from privapub.accounts.passkeys import Passkey
from privapub.accounts.webauthn import Party, Refused, Shown
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.server import Server
from privapub.web.visitor import Visitor

SCRIPT = "passkeys.js"
_NOT_MADE = "The passkey was not made, or it took too long. Try again."


async def what_to_show(server: Server, who: Visitor) -> str:
    """The question for a passkey, for `data-passkey` of a page that is shown to this visitor."""
    challenge = challenges.make(await _secret(server), Purpose(SIGN_IN, who.secret), clock.now())
    return webauthn.to_show(_party(server), challenge)


@dataclass(frozen=True)
class Attempt:
    """Somebody shows a passkey; None where what they show is nothing of the kind."""

    shown: Shown | None

    @classmethod
    def of(cls, answer: str) -> Self:
        """What a form brought."""
        try:
            return cls(webauthn.read(answer))
        except Refused:
            return cls(None)

    @property
    def key(self) -> str:
        """By which attempts are counted: by the passkey, so that who guesses at a password locks nobody's passkey."""
        shown = b"" if self.shown is None else self.shown.credential_id
        return f"passkey {hashlib.sha256(shown).hexdigest()}"

    async def found(self, server: Server, who: Visitor, account_id: int | None, now: float) -> Passkey | None:
        """The passkey that it is, if it fits; None if not, or if it is not of this account, where there must be one."""
        if self.shown is None:
            return None
        async with server.database.read() as tx:
            secret, found = await challenges.secret(tx), await passkeys.find(tx, self.shown.credential_id)
        try:
            webauthn.check(_party(server), self.shown, None if found is None else found.public_key)
        except Refused:
            return None
        purpose = Purpose(SIGN_IN, who.secret)
        good = secret is not None and challenges.is_good(secret, purpose, self.shown.challenge, now)
        fits = found is not None and found.handle == self.shown.handle and account_id in {None, found.account_id}
        return found if good and fits else None

    async def take(self, tx: Transaction, found: Passkey, now: float) -> bool:
        """Whether it is shown for the first time, by the one device that has it: never again."""
        if self.shown is None or not await challenges.spend(tx, self.shown.challenge, now):
            return False
        return await passkeys.count_on(tx, found.id, self.shown.counter)


async def what_to_make(server: Server, who: Visitor, account: Account, now: float) -> str:
    """The question for a new passkey, for who has given the password just now."""
    challenge = challenges.make(await _secret(server), Purpose(ADD, who.secret, account.id), now)
    async with server.database.write() as tx:
        handle = await passkeys.handle_of(tx, account.id)
        known = [each.credential_id for each in await passkeys.of_account(tx, account.id)]
    return webauthn.to_make(_party(server), challenge, handle, account.email, known)


async def added(server: Server, who: Visitor, account: Account, given: dict[str, str], now: float) -> str:
    """What became of the answer: the sentence that tells it, or InvalidInput or Conflict."""
    try:
        made = webauthn.made(_party(server), given.get("passkey", ""))
    except Refused:
        raise InvalidInput(_NOT_MADE) from None
    if not challenges.is_good(await _secret(server), Purpose(ADD, who.secret, account.id), made.challenge, now):
        raise InvalidInput(_NOT_MADE)
    name = given.get("name", "")
    async with server.database.write() as tx:
        if not await challenges.spend(tx, made.challenge, now):
            raise InvalidInput(_NOT_MADE)
        await passkeys.add(tx, account.id, made.credential_id, made.public_key, made.counter, name, now)
        await _tell(tx, server, account, letters.PASSKEY_ADDED, now)
    return "The passkey is added. You can sign in with it from now on."


async def removed(server: Server, account: Account, which: str, now: float) -> str:
    """A passkey lets nobody in any more: the sentence that tells it, or InvalidInput."""
    number = identifiers.number_in(which)
    async with server.database.write() as tx:
        if number is None or not await passkeys.remove(tx, account.id, number):
            raise InvalidInput("Choose a passkey.")
        await _tell(tx, server, account, letters.PASSKEY_REMOVED, now)
    return "The passkey is removed. Your device may still offer it: delete it there too."


async def _tell(tx: Transaction, server: Server, account: Account, kind: str, now: float) -> None:
    if server.settings.smtp_url:
        await letters.write(tx, account.id, kind, account.email, now)


async def _secret(server: Server) -> str:
    async with server.database.read() as tx:
        found = await challenges.secret(tx)
    if found is not None:
        return found
    async with server.database.write() as tx:
        return await challenges.ensure(tx)


def _party(server: Server) -> Party:
    return Party.at(server.base_url, server.settings.name)
