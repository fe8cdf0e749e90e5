"""Programs and their tokens (RFC 6749). A token is told once; what is kept of it is its hash."""

import base64
import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import delete, exists, select, update

from privapub import identifiers
from privapub.accounts import scopes as all_scopes
from privapub.accounts.secrets import hash_of
from privapub.accounts.tables import application, code, token, waiting
from privapub.accounts.waiting import FOR_APPROVAL, FOR_EMAIL
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput
from privapub.stream import events

_WITH_WAITING = select(token, waiting.c.for_email).outerjoin(waiting, waiting.c.persona_id == token.c.persona_id)
DAY = 86_400.0
UNUSED = 30 * DAY
MOST_UNUSED = 100_000
MOST_SHOWN = 200
CODE_LIVES = 600.0  # seconds (RFC 6749, section 4.1.2, asks for no more)
OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
_LONGEST = 2000


@dataclass(frozen=True)
class Application:
    """A program that was registered."""

    id: int
    client_id: str
    name: str
    website: str | None
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    created_at: float


@dataclass(frozen=True)
class Token:
    """What a program may do, and as whom: `persona_id` None is the program by itself.

    `waits` says why the persona's account may not come in yet.
    """

    id: int
    application_id: int
    persona_id: int | None
    scopes: tuple[str, ...]
    created_at: float
    waits: str | None = None


async def register(
    tx: Transaction, name: str, redirect_uris: Sequence[str], scopes: str, website: str | None, now: float
) -> tuple[Application, str]:
    """A new program and its secret; InvalidInput for what cannot be."""
    if not name.strip() or len(name) > _LONGEST:
        raise InvalidInput("Name can't be blank" if not name.strip() else "Name is too long")
    if not redirect_uris:
        raise InvalidInput("Redirect URI can't be blank")
    for uri in redirect_uris:
        if len(uri) > _LONGEST or (uri != OUT_OF_BAND and not _may_lead_to(uri)):
            raise InvalidInput("Redirect URI must be an absolute URI.")
    wanted = all_scopes.read(scopes) or (all_scopes.DEFAULT,)
    secret, client_id, number = identifiers.secret(), identifiers.secret(), identifiers.sortable(now)
    row = {
        "id": number,
        "client_id": client_id,
        "name": name.strip(),
        "website": website,
        "redirect_uris": list(redirect_uris),
        "created_at": now,
    }
    await tx.execute(application.insert().values(**row, secret=hash_of(secret), scopes=" ".join(wanted)))
    return Application(number, client_id, name.strip(), website, tuple(redirect_uris), wanted, now), secret


async def application_of(tx: Transaction, client_id: str, secret: str | None = None) -> Application | None:
    """The program with this name; where a secret is given, only if it is its own."""
    row = await tx.first(select(application).where(application.c.client_id == client_id))
    if row is None or (secret is not None and not hmac.compare_digest(row.secret, hash_of(secret))):
        return None
    return _application(row)


async def application_by_id(tx: Transaction, application_id: int) -> Application | None:
    """The program with this number."""
    row = await tx.first(select(application).where(application.c.id == application_id))
    return None if row is None else _application(row)


async def give(
    tx: Transaction, application_id: int, persona_id: int | None, scopes: Sequence[str], now: float
) -> tuple[Token, str]:
    """A new token, and what it is: nobody is told again."""
    secret, number = identifiers.secret(), identifiers.sortable(now)
    await tx.execute(
        token.insert().values(
            id=number,
            hash=hash_of(secret),
            application_id=application_id,
            persona_id=persona_id,
            scopes=" ".join(scopes),
            created_at=now,
        )
    )
    return Token(number, application_id, persona_id, tuple(scopes), now), secret


async def find(tx: Transaction, secret: str) -> Token | None:
    """The token that this is."""
    row = await tx.first(_WITH_WAITING.where(token.c.hash == hash_of(secret)))
    if row is None:
        return None
    waits = None if row.for_email is None else FOR_EMAIL if row.for_email else FOR_APPROVAL
    return replace(_token(row), waits=waits)


async def is_good(tx: Transaction, token_id: int) -> bool:
    """Whether there is a token with this number."""
    return await tx.scalar(select(token.c.id).where(token.c.id == token_id)) is not None


async def of_persona(tx: Transaction, persona_id: int) -> list[tuple[Token, Application]]:
    """The tokens of a persona and whose they are, the oldest first."""
    rows = await tx.all(select(token).where(token.c.persona_id == persona_id).order_by(token.c.id))
    found = []
    for row in rows:
        of = await application_by_id(tx, row.application_id)
        if of is not None:
            found.append((_token(row), of))
    return found


async def of_personas(tx: Transaction, persona_ids: Sequence[int]) -> list[tuple[Token, str]]:
    """The tokens of these personas, each with the name of its program, the newest first, as many as a page shows."""
    rows = await tx.all(
        select(token, application.c.name)
        .join(application, application.c.id == token.c.application_id)
        .where(token.c.persona_id.in_(sorted(persona_ids)))
        .order_by(token.c.id.desc())
        .limit(MOST_SHOWN)
    )
    return [(_token(row), row.name) for row in rows]


async def revoke_of(tx: Transaction, token_id: int, persona_ids: Sequence[int]) -> bool:
    """Take a token back, if it is one of these personas'; whether it was."""
    mine = token.c.id == token_id, token.c.persona_id.in_(sorted(persona_ids))
    return await tx.first(select(token.c.id).where(*mine)) is not None and await revoke(tx, token_id)


async def revoke(tx: Transaction, token_id: int) -> bool:
    """Take a token back; whether there was one."""
    gone = bool((await tx.execute(delete(token).where(token.c.id == token_id))).rowcount)
    if gone:
        await events.say(tx, events.REVOKED, token_id)
    return gone


async def revoke_all(tx: Transaction, persona_ids: Collection[int]) -> None:
    """Take back every token of these personas, and every code by which a program could get another."""
    which = sorted(persona_ids)
    await tx.execute(delete(code).where(code.c.persona_id.in_(which)))
    gone = await tx.all(delete(token).where(token.c.persona_id.in_(which)).returning(token.c.id))
    await events.say_each(tx, events.REVOKED, [row.id for row in gone])


async def issue_code(
    tx: Transaction,
    of: Application,
    persona_id: int,
    redirect_uri: str,
    scopes: Sequence[str],
    challenge: str,
    now: float,
) -> str:
    """A code by which the program gets a token as this persona; it lives ten minutes."""
    secret = identifiers.secret()
    await tx.execute(
        code.insert().values(
            hash=hash_of(secret),
            application_id=of.id,
            persona_id=persona_id,
            redirect_uri=redirect_uri,
            scopes=" ".join(scopes),
            challenge=challenge,
            created_at=now,
        )
    )
    return secret


async def redeem(
    tx: Transaction, of: Application, secret: str, redirect_uri: str, verifier: str | None, now: float
) -> tuple[Token, str] | None:
    """The token for a code, once; None for a code that is none, too old, another program's, or not for this address.

    A code that comes a second time takes back the token that the first time gave (RFC 6749, section 4.1.2).
    """
    row = await tx.first(select(code).where(code.c.hash == hash_of(secret)).with_for_update())
    if row is None or row.application_id != of.id:
        return None
    if row.token_id is not None:
        await revoke(tx, row.token_id)
        return None
    if row.created_at < now - CODE_LIVES or row.redirect_uri != redirect_uri or not _proves(row.challenge, verifier):
        return None
    given, told = await give(tx, of.id, row.persona_id, row.scopes.split(), now)
    await tx.execute(update(code).where(code.c.hash == row.hash).values(token_id=given.id))
    return given, told


async def prune(tx: Transaction, now: float) -> None:
    """Forget what strangers left: codes, programs that nobody uses, and the tokens of programs by themselves.

    A code that is over goes after a day: until then one that comes again is known. The others go after a month, and of
    very many the newest stay.
    """
    await tx.execute(delete(code).where(code.c.created_at < now - DAY))
    by_itself = token.c.persona_id.is_(None)
    await tx.execute(delete(token).where(by_itself, token.c.created_at < now - UNUSED))
    await keep_newest(tx, token, token.c.id, MOST_UNUSED, by_itself)
    unused = ~exists().where(token.c.application_id == application.c.id)
    await tx.execute(delete(application).where(unused, application.c.created_at < now - UNUSED))
    await keep_newest(tx, application, application.c.id, MOST_UNUSED, unused)


def _proves(challenge: str, verifier: str | None) -> bool:
    """Whether a verifier is that of the challenge, by S256 (RFC 7636, section 4.6)."""
    if not challenge:
        return verifier is None
    if verifier is None or not verifier.isascii():
        return False
    return hmac.compare_digest(s256(verifier), challenge)


def s256(verifier: str) -> str:
    """The challenge of a verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _may_lead_to(uri: str) -> bool:
    scheme, colon, rest = uri.partition(":")
    usual = scheme.isascii() and scheme.replace("-", "").replace("+", "").replace(".", "").isalnum()
    dangerous = scheme.lower() in {"javascript", "data", "vbscript", "file", "blob", "about"}
    return bool(colon and rest and usual and not dangerous and uri.isprintable() and "#" not in uri)


def _application(row: Any) -> Application:
    return Application(
        row.id, row.client_id, row.name, row.website, tuple(row.redirect_uris), tuple(row.scopes.split()),
        row.created_at,
    )  # fmt: skip


def _token(row: Any) -> Token:
    return Token(row.id, row.application_id, row.persona_id, tuple(row.scopes.split()), row.created_at)
