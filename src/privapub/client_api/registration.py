"""Signing up by a program, and confirming the e-mail address."""

from typing import Any

from msgspec import Struct

from privapub import clock
from privapub.accounts import holds, letters, sign_up, tokens, waiting
from privapub.accounts.tokens import Token
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.oauth import TokenShape, shown_token
from privapub.client_api.problems import TooMany
from privapub.composing.sign_up import Form, Wrong
from privapub.composing.sign_up import sign_up as sign_up_with
from privapub.errors import InvalidInput, NotAllowed
from privapub.limits import visit
from privapub.limits.people import pass_through

_NOT_WAITING = "This method is only available while the e-mail is awaiting confirmation"


class WrongForm(Struct):
    """Entity `ValidationError`."""

    error: str
    details: dict[str, list[dict[str, str]]]


async def register(call: Call) -> TokenShape | Answer:
    """`POST /api/v1/accounts`: the token is the new persona's; it lets in once nothing is waited for any more."""
    of = _program(call)
    doors, sender, now = call.server.limits.doors, visit.current().sender, clock.now()
    if wait := pass_through(doors.sign_ups, sender, now):
        raise TooMany(wait)
    form = Form(
        call.text("username"),
        call.text("email"),
        call.text("password"),
        bool(call.flag("agreement")),
        call.text("reason"),
        call.text("invite_code"),
    )
    try:
        made = await sign_up_with(call.server, form, now)
    except Wrong as wrong:
        return Answer(_wrong_form(wrong), 422)
    async with call.server.database.write() as tx:
        given, secret = await tokens.give(tx, of.application_id, made.persona_id, of.scopes, now)
    return shown_token(given, secret)


def _wrong_form(wrong: Wrong) -> WrongForm:
    details = {
        name: [{"error": word, "description": text} for word, text in found] for name, found in wrong.details.items()
    }
    return WrongForm(f"Validation failed: {wrong}", details)


async def is_confirmed(call: Call) -> bool:
    """`GET /api/v1/emails/check_confirmation`."""
    async with call.server.database.read() as tx:
        found = await waiting.of_persona(tx, call.me)
    return found is None or not found.for_email


async def confirm_again(call: Call) -> dict[str, Any]:
    """`POST /api/v1/emails/confirmations`: another letter, to another address where one is given."""
    now, doors = clock.now(), call.server.limits.doors
    async with call.server.database.read() as tx:
        found = await waiting.of_persona(tx, call.me)
    if found is None or not found.for_email:
        raise NotAllowed(_NOT_WAITING)
    if wait := pass_through(doors.letters, found.account_id, now) or pass_through(
        doors.letters_from, visit.current().sender, now
    ):
        raise TooMany(wait)
    async with call.server.database.write() as tx:
        still = await waiting.of_account(tx, found.account_id, lock=True)
        if still is None or not still.for_email:  # it was confirmed meanwhile
            raise NotAllowed(_NOT_WAITING)
        address = still.email
        if call.text("email"):
            address = sign_up.normal(call.text("email"))
            await holds.change_email(tx, found.account_id, address)
        await letters.write(tx, found.account_id, letters.CONFIRM, address, now)
    return {}


def _program(call: Call) -> Token:
    """The token of a program by itself: nobody signs up as somebody."""
    if call.token is None or call.token.persona_id is not None:
        raise InvalidInput("This method requires a client credentials token")
    return call.token


ENDPOINTS = (
    Endpoint("POST", "/api/v1/accounts", register, ("write:accounts",), who="app"),
    Endpoint("GET", "/api/v1/emails/check_confirmation", is_confirmed, while_waiting=True),
    Endpoint("POST", "/api/v1/emails/confirmations", confirm_again, while_waiting=True),
)
