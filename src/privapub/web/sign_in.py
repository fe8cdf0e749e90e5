"""`/auth/sign_in`, `/auth/code`, `/auth/passkey`, `/auth/sign_out`: how people come in and go.

By e-mail address and password, and a code or a passkey where a code is asked for; or by a passkey alone. Whether there
is an account with an address is told by nothing: neither words nor time differ.
"""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import holds, passwords, second_factor, sessions, waiting
from privapub.composing.sign_up import is_open
from privapub.database.transaction import Transaction
from privapub.limits import visit
from privapub.server import Server
from privapub.web.passkeys import SCRIPT, Attempt, what_to_show
from privapub.web.too_often import later, too_often
from privapub.web.visitor import Visitor, after, form, form_page, onward, visitor

_WRONG = "The e-mail address or the password is wrong."
_WRONG_CODE = "This code is wrong, or was used already."
_WRONG_PASSKEY = "This passkey does not fit, or it took too long. Try again, or go another way."


async def sign_in(server: Server, request: Request) -> Response:
    """The page, and what its form leads to."""
    who = await visitor(server, request)
    query = request.query_params
    if request.method == "POST":
        return await _attempt(server, request, who, await form(request, who))
    there = after(query.get("next"))
    if who.account_id is not None and query.get("again") is None:
        return onward(server, there)
    return await _page(server, request, who, there)


def where(there: str, *, again: bool = False) -> str:
    """The address of the page, after which it goes on to another (pure)."""
    return f"/auth/sign_in?{'again=1&' if again else ''}next={quote(there, safe='')}"


async def _attempt(server: Server, request: Request, who: Visitor, given: dict[str, str]) -> Response:
    email, there, now = given.get("email", "").strip().lower(), after(given.get("next")), clock.now()
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, email, now):
        return too_often(await _page(server, request, who, there, later(wait), email=email), wait)
    async with server.database.read() as tx:
        found = await holds.by_email(tx, email)
    kept = None if found is None else found.password
    if not await passwords.check_password(kept, given.get("password", "")) or found is None:
        return await _page(server, request, who, there, _WRONG, 422, email)
    attempts.succeeded(sender, email, now)
    async with server.database.write() as tx:
        why = await waiting.why(tx, found.id)
        half = await second_factor.is_asked(tx, found.id)
        if why is None:
            secret = await _begin(tx, who, found.id, now, half=half)
    if why is not None:
        return await _page(server, request, who, there, why, 403, email)
    return onward(server, f"/auth/code?next={quote(there, safe='')}" if half else there, secret, lasting=not half)


async def code(server: Server, request: Request) -> Response:
    """The page for who has given a password and is asked for a code, and what its form leads to."""
    who = await visitor(server, request)
    there = after(request.query_params.get("next"))
    if who.session is None or not who.session.half:
        return onward(server, where(there))
    if request.method != "POST":
        return await _code_page(server, request, who, there)
    given = await form(request, who)
    there, now, account = after(given.get("next")), clock.now(), f"code {who.session.account_id}"
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, account, now):
        return too_often(await _code_page(server, request, who, there, later(wait)), wait)
    async with server.database.write() as tx:
        fits = await second_factor.take(tx, who.session.account_id, given.get("code", ""), now)
        if fits:
            secret = await _begin(tx, who, who.session.account_id, now)
    if not fits:
        return await _code_page(server, request, who, there, _WRONG_CODE, 422)
    attempts.succeeded(sender, account, now)
    return onward(server, there, secret)


async def passkey(server: Server, request: Request) -> Response:
    """What the form of a passkey leads to: in; after a password, only to the account that it was of."""
    who = await visitor(server, request)
    given = await form(request, who)
    there, now = after(given.get("next")), clock.now()
    half = who.session.account_id if who.session is not None and who.session.half else None
    attempt = Attempt.of(given.get("passkey", ""))
    account = attempt.key if half is None else f"code {half}"
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, account, now):
        return too_often(await _once_more(server, request, who, there, later(wait), 429), wait)
    found = await attempt.found(server, who, half, now)
    if found is None:
        return await _once_more(server, request, who, there, _WRONG_PASSKEY, 422)
    async with server.database.write() as tx:
        taken, why = await attempt.take(tx, found, now), await waiting.why(tx, found.account_id)
        if taken and why is None:
            secret = await _begin(tx, who, found.account_id, now)
    if not taken:
        return await _once_more(server, request, who, there, _WRONG_PASSKEY, 422)
    attempts.succeeded(sender, account, now)
    return onward(server, there, secret) if why is None else await _once_more(server, request, who, there, why, 403)


async def _begin(tx: Transaction, who: Visitor, account_id: int, now: float, *, half: bool = False) -> str:
    """Somebody is in, or half in; whoever they were before, they are not any more."""
    if who.session is not None:
        await sessions.end(tx, who.session)
    return await sessions.begin(tx, account_id, now, half=half)


async def sign_out(server: Server, request: Request) -> Response:
    """The end of the session, by a form that every page of one has."""
    who = await visitor(server, request)
    await form(request, who)
    if who.session is not None:
        async with server.database.write() as tx:
            await sessions.end(tx, who.session)
    return onward(server, "/auth/sign_in")


async def _once_more(server: Server, request: Request, who: Visitor, there: str, error: str, status: int) -> Response:
    """The page on which the passkey was asked for."""
    if who.session is not None and who.session.half:
        return await _code_page(server, request, who, there, error, status)
    return await _page(server, request, who, there, error, status)


async def _code_page(
    server: Server,
    request: Request,
    who: Visitor,
    there: str,
    error: str = "",
    status: int = 200,
) -> Response:
    asked = await what_to_show(server, who)
    return form_page(
        server, request, who, "code.html", status=status, script=SCRIPT, error=error, next=there, asked=asked
    )


async def _page(
    server: Server,
    request: Request,
    who: Visitor,
    there: str,
    error: str = "",
    status: int = 200,
    email: str = "",
) -> Response:
    return form_page(
        server,
        request,
        who,
        "sign_in.html",
        status=status,
        script=SCRIPT,
        asked=await what_to_show(server, who),
        error=error,
        email=email,
        next=there,
        letters=bool(server.settings.smtp_url),
        open=is_open(server),
    )
