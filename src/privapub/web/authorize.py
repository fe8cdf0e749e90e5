"""`/oauth/authorize`: a person lets a program act as one persona, or does not (RFC 6749, section 4.1).

The program learns nothing before: not whether somebody is signed in, not which personas there are. What it gets is of
the persona that was chosen, and of no other.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from privapub import clock
from privapub.accounts import authorization, holds, sessions, tokens
from privapub.accounts.authorization import Asked
from privapub.actors import keys
from privapub.actors.addresses import Addresses
from privapub.composing.new_persona import new_persona
from privapub.database.transaction import Transaction
from privapub.errors import Conflict, InvalidInput
from privapub.personas.read import Persona, by_ids
from privapub.server import Server
from privapub.web.pages import name_of, problem, render
from privapub.web.scope_words import in_words
from privapub.web.sign_in import where
from privapub.web.visitor import Visitor, form, form_page, onward, visitor

NEW = "new"


async def authorize(server: Server, request: Request) -> Response:
    """The question, and what its form leads to."""
    who = await visitor(server, request)
    posted = request.method == "POST"
    given: Mapping[str, str] = await form(request, who) if posted else {}
    try:
        given = given if posted else authorization.once(request.query_params.multi_items())
        async with server.database.read() as tx:
            asked = await authorization.read(tx, given)
    except InvalidInput as wrong:
        return problem(server, request, 400, "This program cannot be let in", f"{wrong} {wrong.hint}".strip())
    if who.account_id is None or _too_old(who, given):
        query = urlencode(_kept(asked)) if posted else request.url.query
        return onward(server, where(f"/oauth/authorize?{query}", again=True))
    if not posted:
        return await _question(server, request, who, asked)
    if given.get("decision") != "allow":
        return _answer(server, request, asked, error="access_denied", error_description="The person did not allow it.")
    return await _allow(server, request, who, asked, given)


async def _allow(server: Server, request: Request, who: Visitor, asked: Asked, given: Mapping[str, str]) -> Response:
    assert who.account_id is not None  # noqa: S101 - the caller has looked
    handle, now = given.get("handle", "").strip(), clock.now()
    chosen = given.get("persona", NEW if handle else "")
    made = await asyncio.to_thread(keys.make) if chosen == NEW and handle else None
    try:
        async with server.database.write() as tx:
            if made is not None:
                addresses = Addresses(server.base_url, server.media_base_url)
                persona_id = await new_persona(tx, who.account_id, handle, made, addresses, server.domain, now)
            else:
                persona_id = _number(chosen, await _personas(tx, who.account_id))
            code = await tokens.issue_code(
                tx, asked.program, persona_id, asked.redirect_uri, asked.scopes, asked.challenge, now
            )
    except (InvalidInput, Conflict) as wrong:
        error = f"{wrong} {wrong.hint}".strip()
        return await _question(server, request, who, asked, error, chosen, handle)
    return _answer(server, request, asked, code=code)


async def _question(
    server: Server, request: Request, who: Visitor, asked: Asked, error: str = "", chosen: str = "", handle: str = ""
) -> Response:
    async with server.database.read() as tx:
        personas = await _personas(tx, who.account_id or 0)
    only = str(personas[0].id) if len(personas) == 1 else NEW if not personas else ""
    return form_page(
        server,
        request,
        who,
        "authorize.html",
        status=422 if error else 200,
        leads_to="" if asked.out_of_band else authorization.place(asked.redirect_uri),
        error=error,
        program=asked.program.name,
        website=asked.program.website,
        there="" if asked.out_of_band else authorization.place(asked.redirect_uri),
        may=in_words(asked.scopes),
        personas=[(str(each.id), name_of(each.actor), each.actor.address) for each in personas],
        chosen=chosen or only,
        handle=handle,
        domain=server.domain,
        full=len(personas) >= holds.MOST,
        kept=_kept(asked),
    )


async def _personas(tx: Transaction, account_id: int) -> list[Persona]:
    """Those of the account that act, by handle."""
    found = await by_ids(tx, await holds.personas_of(tx, account_id))
    return sorted((each for each in found if each.closed_at is None), key=lambda each: each.handle.lower())


def _number(chosen: str, personas: list[Persona]) -> int:
    """The number of the persona that was chosen; InvalidInput where it is none of these."""
    found = next((each.id for each in personas if str(each.id) == chosen), None)
    if found is None:
        sentence = "A new persona needs a name." if chosen == NEW else "Choose one of your personas, or a new one."
        raise InvalidInput(sentence)
    return found


def _answer(server: Server, request: Request, asked: Asked, **said: str) -> Response:
    if not asked.out_of_band:
        return onward(server, authorization.answer(asked, server.base_url, **said))
    return render(
        server, request, "authorized.html", private=True, program=asked.program.name, code=said.get("code", "")
    )


def _kept(asked: Asked) -> dict[str, str]:
    """What the form says again, so that it is judged again."""
    kept = {
        "response_type": "code",
        "client_id": asked.program.client_id,
        "redirect_uri": asked.redirect_uri,
        "scope": " ".join(asked.scopes),
        "state": asked.state,
    }
    return kept | ({"code_challenge": asked.challenge, "code_challenge_method": "S256"} if asked.challenge else {})


def _too_old(who: Visitor, given: Mapping[str, str]) -> bool:
    """Whether the program wants the person to sign in anew."""
    forced = given.get("force_login", "").lower() in {"true", "1"}
    return forced and who.session is not None and who.session.created_at < clock.now() - sessions.FRESH
