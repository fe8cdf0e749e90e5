"""Somebody signs up: an account and its first persona, at once or after a letter and the operator's word."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privapub import identifiers
from privapub.accounts import holds, invitations, letters, passwords, waiting
from privapub.accounts import sign_up as accounts
from privapub.accounts.letters import Letter
from privapub.actors import keys
from privapub.actors.addresses import Addresses
from privapub.actors.keys import PrivateKeys
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput, NotAllowed
from privapub.personas import create, handles
from privapub.personas.read import by_handle
from privapub.server import Server

OPEN, INVITATION, APPROVAL, CLOSED = "open", "invitation", "approval", "closed"
LONGEST_REASON = 1000

BLANK = ("ERR_BLANK", "can't be blank")
INVALID = ("ERR_INVALID", "is invalid")
TAKEN = ("ERR_TAKEN", "has already been taken")


@dataclass(frozen=True)
class Form:
    """What somebody who signs up says."""

    username: str
    email: str
    password: str
    agreement: bool
    reason: str = ""
    invitation: str = ""


@dataclass(frozen=True)
class Signed:
    """Who has signed up; `waits` says why they may not come in yet."""

    account_id: int
    persona_id: int
    waits: str | None


class Wrong(InvalidInput):
    """Validation failed."""

    def __init__(self, details: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        """Which fields are wrong: the word of each error, and how it is said behind the field's name."""
        said = [f"{name.replace('_', ' ').capitalize()} {text}" for name, found in details.items() for _, text in found]
        super().__init__(", ".join(said))
        self.details = details


def is_open(server: Server) -> bool:
    """Whether anybody at all may sign up."""
    return server.settings.registrations != CLOSED


def wants_reason(server: Server) -> bool:
    """Whether whoever signs up without an invitation says why."""
    return server.settings.registrations == APPROVAL


async def sign_up(server: Server, form: Form, now: float) -> Signed:
    """Make the account; raises Wrong with all that is wrong in the form, NotAllowed where nobody may sign up.

    Whether an address has an account is told here, as programs know it from Mastodon; how often may be asked from one
    network is limited at the entrances.
    """
    if not is_open(server):
        raise NotAllowed("This action is not allowed")
    details = _wrong(server, form)
    async with server.database.read() as tx:
        for name, found in (await _taken(tx, form)).items():
            details.setdefault(name, found)
    if details:
        raise Wrong(details)
    hashed = await passwords.hash_password(form.password)
    by_mail, approved = bool(server.settings.smtp_url), server.settings.registrations != APPROVAL
    made = await asyncio.to_thread(keys.make) if not by_mail and (approved or form.invitation) else None
    async with server.database.write() as tx:
        if form.invitation or server.settings.registrations == INVITATION:
            if not await invitations.spend(tx, form.invitation, now):
                raise Wrong({"invite_code": [INVALID]})
            approved = True
        try:
            account_id = await accounts.create(tx, form.email, hashed, now)
        except Conflict:
            raise Wrong({"email": [TAKEN]}) from None
        persona_id = identifiers.sortable(now)
        if not await waiting.put(
            tx,
            account_id,
            form.username,
            persona_id,
            for_email=by_mail,
            for_approval=not approved,
            reason=form.reason.strip(),
            now=now,
        ):
            raise Wrong({"username": [TAKEN]})
        if by_mail:
            await letters.write(tx, account_id, letters.CONFIRM, accounts.normal(form.email), now)
        why = await _finish(tx, server, account_id, made, now)
    return Signed(account_id, persona_id, why)


async def let_in(
    server: Server, account_id: int, now: float, *, letter: Letter | None = None, approval: bool = False
) -> str | None:
    """One of what an account waits for is there; with the last of it, it is in. Says what it still waits for.

    `letter`: the one whose link was followed; it is used up with that, and one that was used up before does nothing.
    """
    made = await asyncio.to_thread(keys.make)
    async with server.database.write() as tx:
        if letter is not None and not await letters.spend(tx, letter):
            return None
        await waiting.lift(tx, account_id, email=letter is not None, approval=approval)
        return await _finish(tx, server, account_id, made, now)


async def _finish(tx: Transaction, server: Server, account_id: int, made: PrivateKeys | None, now: float) -> str | None:
    """The persona is made, if there is nothing left to wait for."""
    found = await waiting.of_account(tx, account_id, lock=True)
    if found is None:
        return None
    if found.for_email or found.for_approval:
        return found.why
    await waiting.over(tx, account_id)
    # The operator may have given the handle to another meanwhile: then the account comes in without a persona.
    if made is not None and await by_handle(tx, found.handle) is None:
        addresses = Addresses(server.base_url, server.media_base_url)
        await create.create(
            tx, found.handle, made, addresses=addresses, domain=server.domain, now=now, persona_id=found.persona_id
        )
        await holds.give(tx, account_id, found.persona_id)
    return None


def _wrong(server: Server, form: Form) -> dict[str, list[tuple[str, str]]]:
    """What is wrong with the form by itself (pure)."""
    found: dict[str, list[tuple[str, str]]] = {
        "username": _wrong_handle(form.username),
        "email": _wrong_email(form.email),
        "password": _wrong_password(form.password),
        "agreement": [] if form.agreement else [("ERR_ACCEPTED", "must be accepted")],
        "reason": [],
    }
    if len(form.reason) > LONGEST_REASON:
        found["reason"] = [("ERR_TOO_LONG", f"is too long (maximum is {LONGEST_REASON} characters)")]
    elif wants_reason(server) and not form.invitation and not form.reason.strip():
        found["reason"] = [BLANK]
    return {name: errors for name, errors in found.items() if errors}


def _wrong_handle(handle: str) -> list[tuple[str, str]]:
    if not handle:
        return [BLANK]
    if handle.lower() in handles.RESERVED:
        return [("ERR_RESERVED", "is reserved")]
    try:
        handles.check(handle)
    except InvalidInput:
        return [("ERR_INVALID", "must contain only letters, numbers and underscores, 30 at most")]
    return []


def _wrong_email(email: str) -> list[tuple[str, str]]:
    try:
        accounts.normal(email)
    except InvalidInput:
        return [INVALID if email.strip() else BLANK]
    return []


def _wrong_password(password: str) -> list[tuple[str, str]]:
    if not password:
        return [BLANK]
    if len(password) < passwords.SHORTEST:
        return [("ERR_TOO_SHORT", f"is too short (minimum is {passwords.SHORTEST} characters)")]
    if len(password) > passwords.LONGEST:
        return [("ERR_TOO_LONG", f"is too long (maximum is {passwords.LONGEST} characters)")]
    return []


async def _taken(tx: Transaction, form: Form) -> dict[str, list[tuple[str, str]]]:
    found = {}
    if await by_handle(tx, form.username) is not None or await waiting.keeps(tx, form.username):
        found["username"] = [TAKEN]
    if await holds.by_email(tx, form.email) is not None:
        found["email"] = [TAKEN]
    return found
