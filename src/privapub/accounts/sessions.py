"""Who is at the pages: a session begins with a password, and ends by itself after a month without a visit.

What is kept of a session is the hash of its secret, its account and the day of the last visit. Nothing tells from where
somebody came, or with what.
"""

import hashlib
import hmac
from dataclasses import dataclass

from sqlalchemy import and_, delete, or_, select, update

from privapub import clock, identifiers
from privapub.accounts.tables import session
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction

DAY = 86_400.0
IDLE_DAYS = 30
HALF_LIVES = 600.0  # seconds in which the code must follow the password
MOST = 50  # of one account


@dataclass(frozen=True)
class Session:
    """One that is in force; `half` where the password was right and the code is still to come."""

    hash: str
    account_id: int
    half: bool
    created_at: float
    day: str


async def begin(tx: Transaction, account_id: int, now: float, *, half: bool = False) -> str:
    """A new session's secret, which only the cookie keeps. Of very many of an account the oldest end."""
    secret = identifiers.secret()
    row = {"hash": _hash(secret), "account_id": account_id, "half": half, "created_at": now, "day": clock.iso_day(now)}
    await tx.execute(session.insert().values(row))
    await keep_newest(tx, session, session.c.created_at, MOST, session.c.account_id == account_id)
    return secret


async def find(tx: Transaction, secret: str, now: float) -> Session | None:
    """The session that this is, unless it is over."""
    row = await tx.first(select(session).where(session.c.hash == _hash(secret)))
    if row is None or row.day < _oldest_day(now) or (row.half and row.created_at < now - HALF_LIVES):
        return None
    return Session(row.hash, row.account_id, row.half, row.created_at, row.day)


async def used(tx: Transaction, found: Session, now: float) -> None:
    """It was used today."""
    await tx.execute(update(session).where(session.c.hash == found.hash).values(day=clock.iso_day(now)))


async def end(tx: Transaction, found: Session) -> None:
    """It is over."""
    await tx.execute(delete(session).where(session.c.hash == found.hash))


async def end_all(tx: Transaction, account_id: int, but: Session | None = None) -> None:
    """All of an account are over, or all but this one."""
    others = [] if but is None else [session.c.hash != but.hash]
    await tx.execute(delete(session).where(session.c.account_id == account_id, *others))


async def prune(tx: Transaction, now: float) -> None:
    """Forget those that are over."""
    no_code_came = and_(session.c.half, session.c.created_at < now - HALF_LIVES)
    await tx.execute(delete(session).where(or_(session.c.day < _oldest_day(now), no_code_came)))


def form_token(secret: str) -> str:
    """What a form carries to show that it stood on a page of ours, shown to whom this cookie was given (pure)."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def is_form_token(secret: str, shown: str) -> bool:
    """Whether it is the one (pure)."""
    return hmac.compare_digest(form_token(secret).encode(), shown.encode("utf-8", "replace"))


def _oldest_day(now: float) -> str:
    return clock.iso_day(now - IDLE_DAYS * DAY)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
