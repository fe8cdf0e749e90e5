"""`/settings/security`: the password, codes from a device, and who is signed in. What changes asks for the password.

It is about the account, and therefore for nobody but its owner, and for no program.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import holds, passwords, second_factor, sessions
from privapub.accounts.holds import Account
from privapub.errors import InvalidInput
from privapub.limits import visit
from privapub.server import Server
from privapub.web.sign_in import later, where
from privapub.web.visitor import AT_FIRST, Visitor, form, form_page, onward, visitor

_WRONG = "The password is wrong."


@dataclass(frozen=True)
class _Told:
    """What the page says beside what it always does."""

    error: str = ""
    done: str = ""
    status: int = 200
    secret: str = ""
    codes: Sequence[str] = ()


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
        left = await second_factor.left_on_paper(tx, account.id)
    return form_page(
        server,
        request,
        who,
        "security.html",
        status=told.status,
        email=account.email,
        asked=asked,
        left=left,
        told=told,
        address=told.secret and second_factor.address(told.secret, account.email, server.domain),
    )


async def _done(server: Server, who: Visitor, account: Account, given: dict[str, str]) -> _Told:
    what, now = given.get("do", ""), clock.now()
    if what == "confirm":
        return await _confirm(server, account, given.get("code", ""), now)
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, account.email, now):
        return _Told(later(wait), status=429)
    if not await passwords.check_password(account.password, given.get("password", "")):
        return _Told(_WRONG, status=422)
    attempts.succeeded(sender, account.email, now)
    if what == "password":
        return await _password(server, who, account, given.get("new_password", ""))
    return await _change(server, who, account, what)


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
        return _Told(later(wait), status=429)
    async with server.database.write() as tx:
        codes = await second_factor.confirm(tx, account.id, code, now)
        if codes is None:
            secret = await second_factor.offer(tx, account.id) or ""
            return _Told("This is not the code that the device shows now.", status=422, secret=secret)
    attempts.succeeded(sender, key, now)
    return _Told(done="From now on a code is asked for.", codes=codes)


async def _password(server: Server, who: Visitor, account: Account, new: str) -> _Told:
    try:
        hashed = await passwords.hash_password(new)
    except InvalidInput as wrong:
        return _Told(str(wrong), status=422)
    async with server.database.write() as tx:
        await holds.change_password(tx, account.id, hashed)
        await sessions.end_all(tx, account.id, but=who.session)
    return _Told(done="The password is changed. All others are signed out.")
