"""What a device is given to sign, so that its signature is good once, for minutes, and in one browser alone.

A challenge (WebAuthn, section 13.4.3) is not kept. It carries chance, the time, and the server's signature over these
and over whom it was made for. What is kept is that it was answered, until it would be too old anyway: so strangers who
ask for very many make this server write nothing.
"""

import hashlib
import hmac
from dataclasses import dataclass

from sqlalchemy import delete, select

from privapub import identifiers
from privapub.accounts.tables import challenge_secret, spent_challenge
from privapub.database.transaction import Transaction

ADD, SIGN_IN = "add", "sign-in"
LIVES = 600.0  # seconds
AHEAD = 60.0  # seconds by which the clock of another process may be
_CHANCE, _TIME = 16, 8  # bytes


@dataclass(frozen=True)
class Purpose:
    """For what a challenge is made, and for whose browser (the secret of its cookie) and account (0: any)."""

    what: str
    visitor: str
    account_id: int = 0


def make(secret: str, purpose: Purpose, now: float) -> bytes:
    """A challenge for this purpose; it is another one each time."""
    body = identifiers.octets(_CHANCE) + int(now * 1000).to_bytes(_TIME, "big")
    return body + _signature(secret, purpose, body)


def is_good(secret: str, purpose: Purpose, challenge: bytes, now: float) -> bool:
    """Whether it was made here for this purpose, and not too long ago (pure)."""
    body, signature = challenge[: _CHANCE + _TIME], challenge[_CHANCE + _TIME :]
    if not hmac.compare_digest(_signature(secret, purpose, body), signature):
        return False
    return -AHEAD <= now - int.from_bytes(body[_CHANCE:], "big") / 1000 <= LIVES


async def secret(tx: Transaction) -> str | None:
    """What challenges are signed with; None before `ensure`."""
    found: str | None = await tx.scalar(select(challenge_secret.c.secret))
    return found


async def ensure(tx: Transaction) -> str:
    """The same; where there is none yet it is drawn."""
    await tx.execute(tx.insert(challenge_secret).values(id=1, secret=identifiers.secret()).on_conflict_do_nothing())
    found: str = await tx.scalar(select(challenge_secret.c.secret))
    return found


async def spend(tx: Transaction, challenge: bytes, now: float) -> bool:
    """It is answered; False where it was already."""
    row = {"hash": hashlib.sha256(challenge).hexdigest(), "spent_at": now}
    return bool((await tx.execute(tx.insert(spent_challenge).values(row).on_conflict_do_nothing())).rowcount)


async def prune(tx: Transaction, now: float) -> None:
    """Forget those that would be too old now."""
    await tx.execute(delete(spent_challenge).where(spent_challenge.c.spent_at < now - LIVES - AHEAD))


def _signature(secret: str, purpose: Purpose, body: bytes) -> bytes:
    said = f"{purpose.what} {purpose.account_id} {purpose.visitor}".encode("utf-8", "replace")
    # The body has one length, so that nothing of what follows it can be taken for a part of it.
    return hmac.digest(secret.encode(), body.ljust(_CHANCE + _TIME, b"\0") + said, hashlib.sha256)
