"""Who is at the pages: a session begins with a password, and ends by itself after a month without a visit.

What is kept of a session is the hash of its secret, its account, the day on which it began and that of the last visit;
of the moment nothing is kept for longer than it is asked about. Nothing tells from where somebody came, or with what.
"""

import hashlib
import hmac
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import BigInteger, and_, cast, delete, or_, select, update

from privapub import clock, identifiers
from privapub.accounts.secrets import hash_of
from privapub.accounts.tables import session
from privapub.database.newest import keep_newest
from privapub.database.transaction import Transaction

DAY = 86_400.0
IDLE_DAYS = 30
HALF_LIVES = 600.0  # seconds in which the code must follow the password
MOST = 50  # of one account
FRESH = 300.0  # seconds for which a sign-in is one that was just made


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
    row = {"hash": hash_of(secret), "account_id": account_id, "half": half, "created_at": now}
    await tx.execute(session.insert().values(**row, day=clock.iso_day(now)))
    await keep_newest(tx, session, session.c.created_at, MOST, session.c.account_id == account_id)
    return secret


async def find(tx: Transaction, secret: str, now: float) -> Session | None:
    """The session that this is, unless it is over."""
    row = await tx.first(select(session).where(session.c.hash == hash_of(secret)))
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
    """Forget those that are over, and of the others at which moment of their day they began."""
    no_code_came = and_(session.c.half, session.c.created_at < now - HALF_LIVES)
    await tx.execute(delete(session).where(or_(session.c.day < _oldest_day(now), no_code_came)))
    # Of those that are left nobody asks any more whether they are younger than that (nor than FRESH).
    has_moment = cast(session.c.created_at, BigInteger) % int(DAY) != 0
    rows = await tx.all(
        select(session.c.hash, session.c.created_at).where(session.c.created_at < now - HALF_LIVES, has_moment)
    )
    for day, some in groupby(sorted((row.created_at // DAY * DAY, row.hash) for row in rows), key=itemgetter(0)):
        hashes = [each for _, each in some]
        await tx.execute(update(session).where(session.c.hash.in_(hashes)).values(created_at=day))


def form_token(secret: str) -> str:
    """What a form carries to show that it stood on a page of ours, shown to whom this cookie was given (pure)."""
    return hmac.new(secret.encode(), b"form", hashlib.sha256).hexdigest()


def is_form_token(secret: str, shown: str) -> bool:
    """Whether it is the one (pure)."""
    return hmac.compare_digest(form_token(secret).encode(), shown.encode("utf-8", "replace"))


def _oldest_day(now: float) -> str:
    return clock.iso_day(now - IDLE_DAYS * DAY)
