"""Passwords: argon2id."""

import argon2
import pytest

from privapub.accounts import passwords
from privapub.errors import InvalidInput


async def test_a_password_fits_its_hash_and_no_other() -> None:
    kept = await passwords.hash_password("correct horse")
    assert await passwords.check_password(kept, "correct horse")
    assert not await passwords.check_password(kept, "correct horsf")
    assert not await passwords.check_password(kept, "")
    assert kept != await passwords.hash_password("correct horse")


async def test_what_is_kept_is_argon2id_with_the_parameters_we_chose() -> None:
    chosen = argon2.extract_parameters(await passwords.hash_password("correct horse"))
    assert (chosen.type, chosen.memory_cost, chosen.time_cost, chosen.parallelism) == (argon2.Type.ID, 19456, 2, 1)


async def test_for_nobody_the_same_work_is_done_and_nothing_fits() -> None:
    assert not await passwords.check_password(None, "correct horse")
    nobody = argon2.extract_parameters(passwords._NOBODY)
    assert (nobody.type, nobody.memory_cost, nobody.time_cost, nobody.parallelism) == (argon2.Type.ID, 19456, 2, 1)
    with pytest.raises(argon2.exceptions.VerifyMismatchError):
        passwords._hasher.verify(passwords._NOBODY, "correct horse")


async def test_what_is_no_hash_fits_nothing() -> None:
    for kept in ("garbage", "$argon2id$v=19$m=1,t=1,p=1$", "!"):
        assert not await passwords.check_password(kept, "garbage")


@pytest.mark.parametrize("password", ["", "1234567", "x" * 1025])
async def test_too_short_and_too_long_are_refused(password: str) -> None:
    with pytest.raises(InvalidInput):
        await passwords.hash_password(password)
    with pytest.raises(InvalidInput):
        passwords.check_strength(password)


async def test_an_endless_password_costs_no_hashing() -> None:
    kept = await passwords.hash_password("correct horse")
    assert not await passwords.check_password(kept, "x" * 10_000_000)
