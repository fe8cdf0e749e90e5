"""`/settings/security`: password, address, codes from a device, passkeys, programs, and who is signed in.

What changes something asks for the password once more.

It is about the account, and therefore for nobody but its owner, and for no program.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock, identifiers
from privapub.accounts import holds, letters, passkeys, passwords, second_factor, sessions, sign_up, tokens
from privapub.accounts.holds import Account
from privapub.errors import Conflict, InvalidInput
from privapub.limits import visit
from privapub.limits.people import pass_through
from privapub.personas.read import by_ids
from privapub.server import Server
from privapub.web.pages import day, problem, render
from privapub.web.passkeys import SCRIPT, added, removed, what_to_make
from privapub.web.sign_in import where
from privapub.web.too_often import later, too_often
from privapub.web.visitor import AT_FIRST, Visitor, form, form_page, onward, visitor

_WRONG = "The password is wrong."


@dataclass(frozen=True)
class _Told:
    """What the page says beside what it always does."""

    error: str = ""
    done: str = ""
    status: int = 200
    wait: float = 0.0
    secret: str = ""
    codes: Sequence[str] = ()
    asked: str = ""


async def security(server: Server, request: Request) -> Response:
    """The page, and what its forms lead to."""
    who = await visitor(server, request)
    given = await form(request, who) if request.method == "POST" else {}
    if who.account_id is None:
        return onward(server, where(AT_FIRST))
    async with server.database.read() as tx:
        account = await holds.by_id(tx, who.account_id)
    if account is None:
        return onward(server, where(AT_FIRST, again=True))
    told = await _done(server, who, account, given) if request.method == "POST" else _Told()
    async with server.database.read() as tx:
        asked = await second_factor.is_asked(tx, account.id)
        personas = {each.id: each for each in await by_ids(tx, await holds.personas_of(tx, account.id))}
        programs = await tokens.of_personas(tx, list(personas))
        left = await second_factor.left_on_paper(tx, account.id)
        held = await passkeys.of_account(tx, account.id)
    page = form_page(
        server,
        request,
        who,
        "security.html",
        status=told.status,
        script=SCRIPT,
        email=account.email,
        asked=asked,
        left=left,
        programs=[
            (str(token.id), name, personas[token.persona_id].actor.address, day(token.created_at))
            for token, name in programs
            if token.persona_id in personas
        ],
        passkeys=[(str(each.id), each.name, day(each.created_at)) for each in held],
        told=told,
        address=told.secret and second_factor.address(told.secret, account.email, server.domain),
    )
    return too_often(page, told.wait) if told.wait else page


async def _done(server: Server, who: Visitor, account: Account, given: dict[str, str]) -> _Told:
    what, now = given.get("do", ""), clock.now()
    if what == "passkey-made":  # the password was asked for before it was made
        return await _passkey(added(server, who, account, given, now))
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, account.email, now):
        return _Told(later(wait), wait=wait)
    if not await passwords.check_password(account.password, given.get("password", "")):
        return _Told(_WRONG, status=422)
    attempts.succeeded(sender, account.email, now)
    match what:
        case "confirm":
            told = await _confirm(server, account, given.get("code", ""), now)
        case "password":
            told = await _password(server, who, account, given.get("new_password", ""))
        case "email":
            told = await _email(server, account, given.get("new_email", ""), now)
        case "program":
            told = await _program(server, account, given.get("token", ""))
        case "passkey":
            told = _Told(asked=await what_to_make(server, who, account, now))
        case "passkey-off":
            told = await _passkey(removed(server, account, given.get("which", ""), now))
        case _:
            told = await _change(server, who, account, what)
    return told


async def _change(server: Server, who: Visitor, account: Account, what: str) -> _Told:
    async with server.database.write() as tx:
        if what == "device":
            return _Told(secret=await second_factor.offer(tx, account.id) or "")
        if what == "codes" and await second_factor.is_asked(tx, account.id):
            return _Told(done="The codes before are void.", codes=await second_factor.on_paper(tx, account.id))
        if what == "off":
            await second_factor.forget(tx, account.id)
            return _Told(done="No code is asked for any more.")
        if what == "others":
            await sessions.end_all(tx, account.id, but=who.session)
            return _Told(done="All others are signed out.")
    return _Told("This cannot be done.", status=422)


async def _confirm(server: Server, account: Account, code: str, now: float) -> _Told:
    attempts, sender, key = server.limits.attempts, visit.current().sender, f"code {account.id}"
    if wait := attempts.wait(sender, key, now):
        return _Told(later(wait), wait=wait)
    async with server.database.write() as tx:
        codes = await second_factor.confirm(tx, account.id, code, now)
        if codes is None:
            secret = await second_factor.offer(tx, account.id) or ""
            return _Told("This is not the code that the device shows now.", status=422, secret=secret)
    attempts.succeeded(sender, key, now)
    return _Told(done="From now on a code is asked for.", codes=codes)


async def _passkey(work: Awaitable[str]) -> _Told:
    try:
        return _Told(done=await work)
    except (InvalidInput, Conflict) as wrong:
        return _Told(f"{wrong} {wrong.hint}".strip(), status=422)


async def _email(server: Server, account: Account, new: str, now: float) -> _Told:
    try:
        address = sign_up.normal(new)
        async with server.database.write() as tx:
            if server.settings.smtp_url:
                if wait := pass_through(server.limits.doors.letters, account.id, now):
                    return _Told(later(wait), wait=wait)
                await letters.write(tx, account.id, letters.CHANGE, address, now)
                return _Told(done="A letter is on its way to the new address. Follow the link in it within an hour.")
            await holds.change_email(tx, account.id, address)
    except InvalidInput as wrong:
        return _Told(str(wrong), status=422)
    except Conflict:
        return _Told("This address cannot be used.", status=422)
    return _Told(done="The e-mail address is changed.")


async def _program(server: Server, account: Account, which: str) -> _Told:
    async with server.database.write() as tx:
        number = identifiers.number_in(which)
        mine = await holds.personas_of(tx, account.id)
        if number is None or not await tokens.revoke_of(tx, number, mine):
            return _Told("Choose a program.", status=422)
    return _Told(done="The program is let in no more.")


async def new_address(server: Server, request: Request) -> Response:
    """Where the link of a letter to a new address leads: with a button the account is known by it."""
    who, now = await visitor(server, request), clock.now()
    given = await form(request, who) if request.method == "POST" else {}
    secret = given.get("token", request.query_params.get("token", ""))
    async with server.database.read() as tx:
        found = await letters.find(tx, letters.CHANGE, secret, now)
    if found is None:
        return problem(server, request, 404, "This link is no good any more", "It was used already, or is too old.")
    if request.method != "POST":
        told: dict[str, Any] = {"token": secret, "address": found.address, "action": "/auth/email"}
        return form_page(server, request, who, "confirmation.html", **told)
    try:
        async with server.database.write() as tx:
            if await letters.spend(tx, found):
                await holds.change_email(tx, found.account_id, found.address)
    except Conflict:
        return problem(server, request, 409, "This did not work", "This address cannot be used.")
    sentence = "Your e-mail address is changed. Sign in with it from now on."
    return render(server, request, "told.html", private=True, title="Done", sentence=sentence)


async def _password(server: Server, who: Visitor, account: Account, new: str) -> _Told:
    try:
        hashed = await passwords.hash_password(new)
    except InvalidInput as wrong:
        return _Told(str(wrong), status=422)
    async with server.database.write() as tx:
        await holds.change_password(tx, account.id, hashed)
        await sessions.end_all(tx, account.id, but=who.session)
    return _Told(
        done="The password is changed. Other browsers are signed out; apps and passkeys are not: let go of them here."
    )
