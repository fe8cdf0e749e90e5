"""Who is at a page with a form: a cookie, the session that it stands for if there is one, and the forms themselves.

Everyone who is shown a form has a cookie, of which the form carries a trace: another site can make a browser send a
form, but does not know that trace. Who signs in gets another cookie, so that nobody can have prepared theirs.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from privapub import clock, identifiers
from privapub.accounts import sessions
from privapub.accounts.sessions import Session
from privapub.errors import InvalidInput
from privapub.server import Server
from privapub.web.headers import policy
from privapub.web.media_host import has_its_own
from privapub.web.pages import render

MOST_BYTES, MOST_FIELDS = 1 << 16, 100
_LONGEST_SECRET = 100
# What follows a sign-in: pages of ours that need one.
_AFTER = ("/oauth/authorize?", "/settings/")
AT_FIRST = "/settings/security"


@dataclass(frozen=True)
class Visitor:
    """Who has this cookie; `new` where the page must give it."""

    secret: str
    new: bool
    session: Session | None

    @property
    def account_id(self) -> int | None:
        """The account that is signed in, to the end."""
        return None if self.session is None or self.session.half else self.session.account_id


async def visitor(server: Server, request: Request) -> Visitor:
    """Who asks for this page."""
    secret = request.cookies.get(_name(server), "")
    if not secret or len(secret) > _LONGEST_SECRET:
        return Visitor(identifiers.secret(), True, None)
    now = clock.now()
    async with server.database.read() as tx:
        found = await sessions.find(tx, secret, now)
    if found is not None and found.day != clock.iso_day(now):
        async with server.database.write() as tx:
            await sessions.used(tx, found, now)
    return Visitor(secret, False, found)


async def form(request: Request, who: Visitor) -> dict[str, str]:
    """What a form says; InvalidInput where it did not stand on a page that was shown to this visitor."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise InvalidInput("This form is too long.")
    try:
        given = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:  # UnicodeDecodeError is one
        raise InvalidInput("This form cannot be read.") from None
    if who.new or not sessions.is_form_token(who.secret, given.pop("form_token", "")):
        raise InvalidInput("This form is too old, or your browser keeps no cookies. Go back and load its page anew.")
    return given


def form_page(
    server: Server,
    request: Request,
    who: Visitor,
    template: str,
    *,
    status: int = 200,
    leads_to: str = "",
    script: str = "",
    **values: Any,
) -> Response:
    """A page with a form, which may be sent here; what it is answered with may lead to the place `leads_to` too.

    `script` is the name of the one script that makes it better, if there is one.
    """
    page = render(
        server,
        request,
        template,
        status=status,
        private=True,
        form_token=sessions.form_token(who.secret),
        signed_in=who.account_id is not None,
        script=script,
        **values,
    )
    media = server.media_base_url if has_its_own(server) else ""
    page.headers["Content-Security-Policy"] = policy(
        media, f"'self' {leads_to}".rstrip(), f"{server.base_url}/static/{script}" if script else ""
    )
    if who.new:
        give_cookie(server, page, who.secret, lasting=False)
    return page


def onward(server: Server, url: str, secret: str = "", *, lasting: bool = True) -> Response:
    """Go on to another page, with this cookie if there is one."""
    answer = RedirectResponse(url, 303, {"Cache-Control": "private, no-store"})
    if secret:
        give_cookie(server, answer, secret, lasting=lasting)
    return answer


def give_cookie(server: Server, answer: Response, secret: str, *, lasting: bool) -> None:
    """Give this cookie along; one that does not last is gone when the browser is closed."""
    answer.set_cookie(
        _name(server),
        secret,
        max_age=int(sessions.IDLE_DAYS * sessions.DAY) if lasting else None,
        path="/",
        secure=_secure(server),
        httponly=True,
        samesite="lax",
    )


def after(request_value: str | None) -> str:
    """Where to go after a sign-in: only to pages here that need one (pure)."""
    there = request_value or ""
    return there if there.startswith(_AFTER) and there.isprintable() else AT_FIRST


def _secure(server: Server) -> bool:
    return server.base_url.startswith("https://")


def _name(server: Server) -> str:
    """With this prefix a browser takes the cookie from this very host alone, and over https."""
    return "__Host-privapub" if _secure(server) else "privapub"
