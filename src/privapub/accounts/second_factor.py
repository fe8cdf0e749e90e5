"""Codes from a device (RFC 6238), and codes on paper for when it is lost.

A code of the device is taken once: after it only later ones are. Those on paper are kept as hashes, and go when used.
"""

from collections.abc import Sequence

import pyotp
from sqlalchemy import delete, func, select, update

from privapub import identifiers
from privapub.accounts.secrets import hash_of
from privapub.accounts.tables import recovery_code, second_factor
from privapub.database.transaction import Transaction

STEP = 30  # seconds
AROUND = 1  # steps that a clock may be wrong by
ON_PAPER = 10
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"  # of base 32


async def is_asked(tx: Transaction, account_id: int) -> bool:
    """Whether this account asks for a code."""
    confirmed = second_factor.c.account_id == account_id, second_factor.c.confirmed
    return await tx.first(select(second_factor.c.account_id).where(*confirmed)) is not None


async def offer(tx: Transaction, account_id: int) -> str | None:
    """The secret for a device, the same until it is confirmed; None where codes are asked for already."""
    await tx.execute(
        tx.insert(second_factor)
        .values(account_id=account_id, secret=pyotp.random_base32())
        .on_conflict_do_nothing(index_elements=[second_factor.c.account_id])
    )
    row = await tx.first(select(second_factor).where(second_factor.c.account_id == account_id))
    return None if row is None or row.confirmed else str(row.secret)


def address(secret: str, email: str, site: str) -> str:
    """The secret as a device reads it (pure)."""
    return pyotp.TOTP(secret, interval=STEP).provisioning_uri(name=email, issuer_name=site)


async def confirm(tx: Transaction, account_id: int, code: str, now: float) -> Sequence[str] | None:
    """From now on codes are asked for, if this one is right; the codes for paper, which are told this once."""
    row = await tx.first(select(second_factor).where(second_factor.c.account_id == account_id).with_for_update())
    if row is None or row.confirmed or (step := _step(row.secret, row.step, code, now)) is None:
        return None
    here = second_factor.c.account_id == account_id
    await tx.execute(update(second_factor).where(here).values(confirmed=True, step=step))
    return await on_paper(tx, account_id)


async def on_paper(tx: Transaction, account_id: int) -> Sequence[str]:
    """New codes for paper; those there were are void."""
    await tx.execute(delete(recovery_code).where(recovery_code.c.account_id == account_id))
    codes = ["-".join(identifiers.word(_ALPHABET, 4) for _ in range(5)) for _ in range(ON_PAPER)]
    rows = [{"hash": _hash(account_id, code), "account_id": account_id} for code in codes]
    await tx.execute(recovery_code.insert(), rows)
    return codes


async def left_on_paper(tx: Transaction, account_id: int) -> int:
    """How many codes on paper are left."""
    found = await tx.scalar(
        select(func.count()).select_from(recovery_code).where(recovery_code.c.account_id == account_id)
    )
    return int(found)


async def take(tx: Transaction, account_id: int, code: str, now: float) -> bool:
    """Whether this is a code of the account, of the device or on paper; it is not one any more."""
    row = await tx.first(select(second_factor).where(second_factor.c.account_id == account_id).with_for_update())
    if row is None or not row.confirmed:
        return False
    step = _step(row.secret, row.step, code, now)
    if step is not None:
        await tx.execute(update(second_factor).where(second_factor.c.account_id == account_id).values(step=step))
        return True
    used = await tx.execute(delete(recovery_code).where(recovery_code.c.hash == _hash(account_id, code)))
    return bool(used.rowcount)


async def forget(tx: Transaction, account_id: int) -> bool:
    """No code is asked for any more; whether one was."""
    await tx.execute(delete(recovery_code).where(recovery_code.c.account_id == account_id))
    gone = await tx.execute(delete(second_factor).where(second_factor.c.account_id == account_id))
    return bool(gone.rowcount)


def _step(secret: str, last: int, code: str, now: float) -> int | None:
    """The step of which this is the code, if it is near and after the last one that was taken (pure)."""
    digits = code.replace(" ", "")
    if not digits.isascii() or not digits.isdecimal():
        return None
    totp, here = pyotp.TOTP(secret, interval=STEP), int(now // STEP)
    fitting = [
        step
        for step in range(here - AROUND, here + AROUND + 1)
        if pyotp.utils.strings_equal(totp.generate_otp(step), digits)
    ]
    return next((step for step in fitting if step > last), None)


def _hash(account_id: int, code: str) -> str:
    tidy = code.upper().replace("-", "").replace(" ", "")
    return hash_of(f"{account_id} {tidy}")
