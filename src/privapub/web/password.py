"""`/auth/password` and `/auth/password/new`: a new password by a letter, for who has forgotten theirs.

Whether there is an account with an address is told to nobody but who reads the letters to it.
"""

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import holds, letters, passkeys, passwords, sessions, tokens
from privapub.errors import InvalidInput
from privapub.limits import visit
from privapub.limits.people import pass_through
from privapub.server import Server
from privapub.web.pages import problem, render
from privapub.web.too_often import later, too_often
from privapub.web.visitor import form, form_page, visitor


async def forgotten(server: Server, request: Request) -> Response:
    """The page that sends a letter."""
    if not server.settings.smtp_url:
        sentence = "This server sends no letters. Ask the people who run it for a new password."
        return problem(server, request, 404, "This cannot be done here", sentence)
    who = await visitor(server, request)
    if request.method != "POST":
        return form_page(server, request, who, "password.html", error="")
    given, doors, now = await form(request, who), server.limits.doors, clock.now()
    if wait := pass_through(doors.letters_from, visit.current().sender, now):
        return too_often(form_page(server, request, who, "password.html", error=later(wait)), wait)
    async with server.database.write() as tx:
        found = await holds.by_email(tx, given.get("email", ""))
        if found is not None and not pass_through(doors.letters, found.id, now):
            await letters.write(tx, found.id, letters.RESET, found.email, now)
    sentence = "If there is an account with this address, a letter is on its way to it. Its link is good for an hour."
    return render(server, request, "told.html", private=True, title="Look into your letters", sentence=sentence)


async def anew(server: Server, request: Request) -> Response:
    """Where the link of that letter leads: another password, and whoever was in is out: programs and passkeys too."""
    who, now = await visitor(server, request), clock.now()
    given = await form(request, who) if request.method == "POST" else {}
    secret = given.get("token", request.query_params.get("token", ""))
    async with server.database.read() as tx:
        found = await letters.find(tx, letters.RESET, secret, now)
    if found is None:
        sentence = "It was used already, or is too old. Ask for another letter."
        return problem(server, request, 404, "This link is no good any more", sentence)
    if request.method != "POST":
        return form_page(server, request, who, "password_new.html", token=secret, error="")
    try:
        hashed = await passwords.hash_password(given.get("new_password", ""))
    except InvalidInput as wrong:
        return form_page(server, request, who, "password_new.html", status=422, token=secret, error=str(wrong))
    async with server.database.write() as tx:
        if await letters.spend(tx, found):
            await holds.change_password(tx, found.account_id, hashed)
            await sessions.end_all(tx, found.account_id)
            await passkeys.remove_all(tx, found.account_id)
            await tokens.revoke_all(tx, await holds.personas_of(tx, found.account_id))
    sentence = (
        "Your password is changed, your apps are signed out and your passkeys removed. You can sign in with it now."
    )
    return render(server, request, "told.html", private=True, title="Done", sentence=sentence)
