"""Programs, and the tokens they get (RFC 6749, 7009 and 8414, in Mastodon's form)."""

import base64
import binascii
from typing import Any
from urllib.parse import unquote_plus

from msgspec import UNSET, Struct, UnsetType

from privapub import clock
from privapub.accounts import authorization, scopes, tokens
from privapub.accounts.tokens import Application, Token
from privapub.client_api import show_accounts
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.problems import TooMany, Unauthenticated
from privapub.client_api.push import server_key
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.limits import visit
from privapub.limits.bucket import Buckets
from privapub.limits.people import pass_through


class ApplicationShape(Struct, kw_only=True):
    """Entities `Application` and `CredentialApplication`; the secret is told once."""

    id: str
    name: str
    website: str | None
    scopes: list[str]
    redirect_uris: list[str]
    redirect_uri: str
    vapid_key: str = ""
    client_id: str | UnsetType = UNSET
    client_secret: str | UnsetType = UNSET
    client_secret_expires_at: int | UnsetType = UNSET


class TokenShape(Struct):
    """Entity `Token`."""

    access_token: str
    token_type: str
    scope: str
    created_at: int


class UserInfo(Struct):
    """Who a persona is (OpenID Connect Core, section 5.1); `sub` is the id of its actor."""

    iss: str
    sub: str
    name: str
    preferred_username: str
    profile: str
    picture: str


class OAuthProblem(Struct):
    """An error of RFC 6749, section 5.2."""

    error: str
    error_description: str


def application(of: Application, vapid_key: str, secret: str | None = None) -> ApplicationShape:
    """A program as it is shown (pure)."""
    shape = ApplicationShape(
        id=str(of.id),
        name=of.name,
        website=of.website,
        scopes=list(of.scopes),
        redirect_uris=list(of.redirect_uris),
        redirect_uri="\n".join(of.redirect_uris),
        vapid_key=vapid_key,
    )
    if secret is not None:
        shape.client_id, shape.client_secret, shape.client_secret_expires_at = of.client_id, secret, 0
    return shape


async def register(call: Call) -> ApplicationShape:
    """`POST /api/v1/apps`."""
    _once_more(call.server.limits.doors.programs)
    given = [line.strip() for text in call.texts("redirect_uris") for line in text.splitlines() if line.strip()]
    async with call.server.database.write() as tx:
        made, secret = await tokens.register(
            tx,
            call.text("client_name"),
            given,
            call.text("scopes", scopes.DEFAULT),
            call.text("website") or None,
            clock.now(),
        )
        return application(made, await server_key(tx), secret)


async def verify(call: Call) -> ApplicationShape:
    """`GET /api/v1/apps/verify_credentials`."""
    assert call.token is not None  # noqa: S101 - of a program at least
    async with call.server.database.read() as tx:
        found = await tokens.application_by_id(tx, call.token.application_id)
        if found is None:
            raise Unauthenticated
        return application(found, await server_key(tx))


async def token(call: Call) -> Answer:
    """`POST /oauth/token`: for a code, or for the program by itself."""
    _once_more(call.server.limits.doors.tokens)
    async with call.server.database.write() as tx:
        kind = call.text("grant_type", "authorization_code")
        # A program that can keep no secret proves by the verifier of its code who it is (RFC 7636): of a code alone.
        of = await _client(tx, call, by_verifier=kind == "authorization_code")
        if of is None:
            return _problem("invalid_client", "Client authentication failed.", 401)
        if kind == "authorization_code":
            verifier = call.text("code_verifier") if call.has("code_verifier") else None
            given = await tokens.redeem(tx, of, call.text("code"), call.text("redirect_uri"), verifier, clock.now())
        elif kind == "client_credentials":
            try:
                asked = scopes.read(call.text("scope", scopes.DEFAULT))
            except InvalidInput as wrong:
                return _problem("invalid_scope", str(wrong), 400)
            if not scopes.within(asked, of.scopes):
                return _problem("invalid_scope", "The program did not register these scopes.", 400)
            given = await tokens.give(tx, of.id, None, asked, clock.now())
        else:
            return _problem("unsupported_grant_type", "Use authorization_code or client_credentials.", 400)
    if given is None:
        return _problem("invalid_grant", "The code is invalid, expired, used, or was given for something else.", 400)
    return Answer(shown_token(*given), headers={"Pragma": "no-cache"})


async def revoke(call: Call) -> Answer:
    """`POST /oauth/revoke`: also for a token that is none, so that nobody learns which ones there are."""
    async with call.server.database.write() as tx:
        of = await _client(tx, call)
        if of is None:
            return _problem("unauthorized_client", "You are not authorized to revoke this token", 403)
        found = await tokens.find(tx, call.text("token"))
        if found is not None and found.application_id == of.id:
            await tokens.revoke(tx, found.id)
    return Answer({})


async def user_info(call: Call) -> UserInfo:
    """`GET /oauth/userinfo`: who the persona is, in the words of OpenID Connect."""
    async with call.server.database.read() as tx:
        me = await show_accounts.one(tx, call.server, call.me)
    return UserInfo(
        iss=authorization.issuer(call.server.base_url),
        sub=me.uri,
        name=me.display_name,
        preferred_username=me.username,
        profile=me.url,
        picture=me.avatar,
    )


async def metadata(call: Call) -> dict[str, Any]:
    """`GET /.well-known/oauth-authorization-server` (RFC 8414)."""
    base = call.server.base_url
    return {
        "issuer": authorization.issuer(base),
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "userinfo_endpoint": f"{base}/oauth/userinfo",
        "app_registration_endpoint": f"{base}/api/v1/apps",
        "service_documentation": "https://docs.joinmastodon.org/",
        "scopes_supported": list(scopes.EVERY),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "client_credentials"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }


async def _client(tx: Transaction, call: Call, *, by_verifier: bool = False) -> Application | None:
    """The program that asks, by its name and secret in the body or the header.

    `by_verifier`: by its name alone, where a verifier comes along, which is judged with the code.
    """
    scheme, _, basic = call.request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(basic).decode().partition(":")
        except (ValueError, binascii.Error):
            return None
        return await tokens.application_of(tx, unquote_plus(name), unquote_plus(secret))
    if not call.has("client_secret") and not (by_verifier and call.has("code_verifier")):
        return None
    secret_given = call.text("client_secret") if call.has("client_secret") else None
    return await tokens.application_of(tx, call.text("client_id"), secret_given)


def shown_token(of: Token, secret: str) -> TokenShape:
    """A token as it is told, once (pure)."""
    return TokenShape(secret, "Bearer", " ".join(of.scopes), int(of.created_at))


def _once_more(table: Buckets) -> None:
    """One more of what strangers may do so often from a network; TooMany where it is one too many."""
    if wait := pass_through(table, visit.current().sender, clock.now()):
        raise TooMany(wait)


def _problem(error: str, description: str, status: int) -> Answer:
    return Answer(OAuthProblem(error, description), status)


ENDPOINTS = (
    Endpoint("POST", "/api/v1/apps", register, who="anyone"),
    Endpoint("GET", "/api/v1/apps/verify_credentials", verify, who="app"),
    Endpoint("POST", "/oauth/token", token, who="client"),
    Endpoint("POST", "/oauth/revoke", revoke, who="client"),
    Endpoint("GET", "/oauth/userinfo", user_info, ("profile",)),
    Endpoint("GET", "/.well-known/oauth-authorization-server", metadata, who="anyone"),
)
