"""`/auth/sign_in`, `/auth/code`, `/auth/sign_out`: by e-mail address and password, and a code where one is asked for.

Whether there is an account with an address is told by nothing: neither words nor time differ.
"""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import holds, passwords, second_factor, sessions, waiting
from privapub.composing.sign_up import is_open
from privapub.limits import visit
from privapub.server import Server
from privapub.web.too_often import later, too_often
from privapub.web.visitor import Visitor, after, form, form_page, onward, visitor

_WRONG = "The e-mail address or the password is wrong."
_WRONG_CODE = "This code is wrong, or was used already."


async def sign_in(server: Server, request: Request) -> Response:
    """The page, and what its form leads to."""
    who = await visitor(server, request)
    query = request.query_params
    if request.method == "POST":
        return await _attempt(server, request, who, await form(request, who))
    there = after(query.get("next"))
    if who.account_id is not None and query.get("again") is None:
        return onward(server, there)
    return _page(server, request, who, there)


def where(there: str, *, again: bool = False) -> str:
    """The address of the page, after which it goes on to another (pure)."""
    return f"/auth/sign_in?{'again=1&' if again else ''}next={quote(there, safe='')}"


async def _attempt(server: Server, request: Request, who: Visitor, given: dict[str, str]) -> Response:
    email, there, now = given.get("email", "").strip().lower(), after(given.get("next")), clock.now()
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, email, now):
        return too_often(_page(server, request, who, there, later(wait), email=email), wait)
    async with server.database.read() as tx:
        found = await holds.by_email(tx, email)
    kept = None if found is None else found.password
    if not await passwords.check_password(kept, given.get("password", "")) or found is None:
        return _page(server, request, who, there, _WRONG, 422, email)
    attempts.succeeded(sender, email, now)
    async with server.database.write() as tx:
        if (why := await waiting.why(tx, found.id)) is not None:
            return _page(server, request, who, there, why, 403, email)
        half = await second_factor.is_asked(tx, found.id)
        if who.session is not None:
            await sessions.end(tx, who.session)
        secret = await sessions.begin(tx, found.id, now, half=half)
    return onward(server, f"/auth/code?next={quote(there, safe='')}" if half else there, secret, lasting=not half)


async def code(server: Server, request: Request) -> Response:
    """The page for who has given a password and is asked for a code, and what its form leads to."""
    who = await visitor(server, request)
    there = after(request.query_params.get("next"))
    if who.session is None or not who.session.half:
        return onward(server, where(there))
    if request.method != "POST":
        return form_page(server, request, who, "code.html", error="", next=there)
    given = await form(request, who)
    there, now, account = after(given.get("next")), clock.now(), f"code {who.session.account_id}"
    attempts, sender = server.limits.attempts, visit.current().sender
    if wait := attempts.wait(sender, account, now):
        return too_often(form_page(server, request, who, "code.html", error=later(wait), next=there), wait)
    async with server.database.write() as tx:
        fits = await second_factor.take(tx, who.session.account_id, given.get("code", ""), now)
        if fits:
            await sessions.end(tx, who.session)
            secret = await sessions.begin(tx, who.session.account_id, now)
    if not fits:
        return form_page(server, request, who, "code.html", status=422, error=_WRONG_CODE, next=there)
    attempts.succeeded(sender, account, now)
    return onward(server, there, secret)


async def sign_out(server: Server, request: Request) -> Response:
    """The end of the session, by a form that every page of one has."""
    who = await visitor(server, request)
    await form(request, who)
    if who.session is not None:
        async with server.database.write() as tx:
            await sessions.end(tx, who.session)
    return onward(server, "/auth/sign_in")


def _page(
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
        error=error,
        email=email,
        next=there,
        letters=bool(server.settings.smtp_url),
        open=is_open(server),
    )
