"""Passwords: argon2id (RFC 9106) with 19 MiB, two passes and one lane, in threads, two at a time."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import argon2

from privapub.errors import InvalidInput

SHORTEST, LONGEST = 8, 1024

_hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=argon2.Type.ID)
_two_at_a_time = ThreadPoolExecutor(max_workers=2, thread_name_prefix="password")
# What a password is compared with where there is no account, so that both take as long. No password fits it.
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$YXJlIHRoZXJlIG5vbmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def check_strength(password: str) -> None:
    """InvalidInput for a password that is too short or too long (pure)."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(f"A password has {SHORTEST} to {LONGEST} characters.", "Choose another one.")


async def hash_password(password: str) -> str:
    """What is kept of a password; InvalidInput as `check_strength`."""
    check_strength(password)
    return await asyncio.get_running_loop().run_in_executor(_two_at_a_time, _hasher.hash, password)


async def check_password(kept: str | None, password: str) -> bool:
    """Whether this is the password; with None (there is no such account) False, after the same work."""
    fits = await asyncio.get_running_loop().run_in_executor(_two_at_a_time, _verify, kept or _NOBODY, password)
    return fits and kept is not None


def _verify(kept: str, password: str) -> bool:
    if len(password) > LONGEST:
        return False
    try:
        return _hasher.verify(kept, password)
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return False
