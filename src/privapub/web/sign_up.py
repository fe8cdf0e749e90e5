"""`/auth/sign_up` and `/auth/confirmation`: an account with its first persona, and the letter about its address."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import letters, sessions, waiting
from privapub.composing import sign_up as composing
from privapub.composing.sign_up import Form, Wrong
from privapub.limits import visit
from privapub.limits.people import pass_through
from privapub.server import Server
from privapub.web.pages import problem, render
from privapub.web.too_often import later, too_often
from privapub.web.visitor import Visitor, after, form, form_page, onward, visitor

_DONE = {
    waiting.FOR_EMAIL: "A letter is on its way to you. Follow the link in it within two days.",
    waiting.FOR_APPROVAL: "The people who run this server will look at what you wrote. Then you can sign in.",
}


async def sign_up(server: Server, request: Request) -> Response:
    """The page, and what its form leads to."""
    if not composing.is_open(server):
        sentence = "Whoever runs this server makes the accounts on it. Ask them for one."
        return problem(server, request, 403, "Nobody can sign up here", sentence)
    who = await visitor(server, request)
    query = request.query_params
    if request.method != "POST":
        first = {"next": after(query.get("next")), "invitation": query.get("invitation", "")}
        return _page(server, request, who, first, {})
    given, now = await form(request, who), clock.now()
    if wait := pass_through(server.limits.doors.sign_ups, visit.current().sender, now):
        return too_often(_page(server, request, who, given, {}, error=later(wait)), wait)
    try:
        made = await composing.sign_up(server, _read(given), now)
    except Wrong as wrong:
        errors = {name: _sentence(found[0][1]) for name, found in wrong.details.items()}
        return _page(server, request, who, given, errors, 422, "Something is not right yet.")
    if made.waits is not None:
        return render(server, request, "told.html", private=True, title="Almost there", sentence=_DONE[made.waits])
    async with server.database.write() as tx:
        secret = await sessions.begin(tx, made.account_id, now)
    return onward(server, after(given.get("next")), secret)


def _read(given: dict[str, str]) -> Form:
    return Form(
        given.get("username", "").strip(),
        given.get("email", ""),
        given.get("password", ""),
        given.get("agreement") == "1",
        given.get("reason", ""),
        given.get("invitation", "").strip(),
    )


def _page(
    server: Server,
    request: Request,
    who: Visitor,
    given: dict[str, str],
    errors: dict[str, str],
    status: int = 200,
    error: str = "",
) -> Response:
    return form_page(
        server,
        request,
        who,
        "sign_up.html",
        status=status,
        given={name: given.get(name, "") for name in ("username", "email", "reason", "invitation", "next")},
        errors=errors,
        error=error,
        domain=server.domain,
        by_invitation=server.settings.registrations == composing.INVITATION,
        with_reason=composing.wants_reason(server),
    )


def _sentence(words: str) -> str:
    return f"This {words}."


async def confirmation(server: Server, request: Request) -> Response:
    """Where the link of a letter leads. Only a button confirms: programs look at links for who reads a letter."""
    who, now = await visitor(server, request), clock.now()
    given = await form(request, who) if request.method == "POST" else {}
    secret = given.get("token", request.query_params.get("token", ""))
    async with server.database.read() as tx:
        found = await letters.find(tx, letters.CONFIRM, secret, now)
    if found is None:
        sentence = "It was used already, or is too old. Try to sign in."
        return problem(server, request, 404, "This link is no good any more", sentence)
    if request.method != "POST":
        told: dict[str, Any] = {"token": secret, "address": found.address, "action": "/auth/confirmation"}
        return form_page(server, request, who, "confirmation.html", **told)
    waits = await composing.let_in(server, found.account_id, now, letter=found)
    sentence = "Your e-mail address is confirmed. " + (_DONE[waits] if waits else "You can sign in now.")
    return render(server, request, "told.html", private=True, title="Thank you", sentence=sentence)
