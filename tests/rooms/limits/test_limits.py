"""The limits at the doors: what a claim draws, and what a proof gives back."""

from pathlib import Path

import pytest

from privapub.limits.limits import FULL_FOR, LOOK_EVERY, PROVEN, Caller, Limits
from privapub.limits.room import Room
from privapub.settings import Settings

VICTIM = Caller("victim.test", "198.51.100.1")


def limits(**settings: int) -> Limits:
    return Limits(Settings(data=Path("/nowhere"), **settings))  # type: ignore[arg-type]  # each test names whole ones


def let_in(held: Limits, claim: Caller, count: int, now: float = 0.0) -> int:
    return sum(held.knock(claim, now).wait == 0 for _ in range(count))


def test_an_address_is_limited_whatever_it_claims() -> None:
    held = limits(inbox_per_address=10)
    assert sum(let_in(held, Caller(f"host{number}.test", "203.0.113.5"), 1) for number in range(30)) == 10
    assert let_in(held, Caller("", "203.0.113.5"), 1) == 0
    assert let_in(held, Caller("host1.test", "203.0.113.6"), 1) == 1


def test_a_claimed_host_is_limited_wherever_it_is_claimed() -> None:
    held = limits(inbox_claims_per_host=10)
    assert sum(let_in(held, Caller("victim.test", f"203.0.113.{number}"), 1) for number in range(30)) == 10
    assert let_in(held, Caller("other.test", "203.0.113.1"), 1) == 1


def test_a_proof_gives_the_token_back() -> None:
    held = limits(inbox_per_address=5, inbox_claims_per_host=5)
    for _ in range(50):
        turn = held.knock(VICTIM, 0.0)
        assert turn.wait == 0
        turn.give_back(0.0)


def test_who_has_proven_itself_is_not_locked_out_by_who_uses_its_name_or_its_address() -> None:
    held = limits(inbox_per_address=5, inbox_claims_per_host=5)
    held.knock(VICTIM, 0.0).give_back(0.0)
    held.proved(VICTIM, 0.0)
    for number in range(20):
        let_in(held, Caller("victim.test", f"203.0.113.{number}"), 20)
        let_in(held, Caller(f"host{number}.test", VICTIM.sender), 20)
    assert let_in(held, Caller("victim.test", "203.0.113.99"), 1) == 0
    assert let_in(held, Caller("host.test", VICTIM.sender), 1) == 0
    assert let_in(held, VICTIM, 1) == 1
    # It has a bucket, not a pass; and what it proves fills no other's.
    assert let_in(held, VICTIM, 20) == 4
    assert let_in(held, Caller("victim.test", "203.0.113.99"), 1) == 0


def test_a_proof_is_good_for_an_hour() -> None:
    held = limits(inbox_claims_per_host=1)
    held.proved(VICTIM, 0.0)
    assert let_in(held, VICTIM, 1, PROVEN - 1) == 1
    assert let_in(held, Caller("victim.test", "203.0.113.1"), 1, PROVEN + 1) == 1
    assert let_in(held, VICTIM, 1, PROVEN + 1) == 0


def test_where_the_address_is_not_known_only_the_host_counts() -> None:
    held = limits(inbox_per_address=1, inbox_claims_per_host=3)
    assert let_in(held, Caller("victim.test", None), 10) == 3
    assert let_in(held, Caller("", None), 10) == 10


def test_where_the_address_is_not_known_nobody_locks_out_who_is_proven_either() -> None:
    held = limits(inbox_claims_per_host=3)
    proven = Caller("victim.test", None)
    held.proved(proven, 0.0)
    assert let_in(held, proven, 1000) == 1000
    fetched = [held.fetch_key(proven, 0.0).wait == 0 for _ in range(10)]
    assert fetched.count(True) == 1


def test_a_wait_says_when_there_is_a_token() -> None:
    held = limits(inbox_per_address=6, inbox_claims_per_host=2)
    let_in(held, VICTIM, 2)
    assert held.knock(VICTIM, 0.0).wait == pytest.approx(30.0)
    assert held.knock(VICTIM, 29.9).wait > 0
    assert held.knock(VICTIM, 30.0).wait == 0


def test_one_key_a_second_is_fetched_from_a_host_and_a_good_one_gives_back() -> None:
    held = limits()
    seconds = [number / 10 for number in range(100)]
    turns = [(now, held.fetch_key(Caller("victim.test", f"203.0.113.{now * 10}"), now)) for now in seconds]
    assert [now for now, turn in turns if not turn.wait] == [float(number) for number in range(10)]
    for _ in range(50):
        turn = held.fetch_key(Caller("new.test", "203.0.113.1"), 0.0)
        assert turn.wait == 0
        turn.give_back(0.0)


def test_an_address_has_keys_fetched_at_a_rate_whatever_the_hosts() -> None:
    held = limits()
    turns = [held.fetch_key(Caller(f"host{number}.test", "203.0.113.5"), 0.0) for number in range(100)]
    assert [turn.wait for turn in turns].count(0) == 20


def test_a_host_that_floods_with_what_it_signed_is_limited_too() -> None:
    held = limits(inbox_per_host=10)

    def sends(host: str, now: float = 0.0) -> float:
        claim = Caller(host, "203.0.113.1")
        turn = held.knock(claim, now)
        if not turn.wait:
            turn.give_back(now)
            held.proved(claim, now)
        return turn.wait

    assert [sends("loud.test") > 0 for _ in range(12)] == [False] * 10 + [True] * 2
    assert sends("quiet.test") == 0
    held.too_many_wait("quiet.test", 0.0)
    assert sends("quiet.test", 1.0) == FULL_FOR
    assert sends("quiet.test", FULL_FOR + 1) == 0
    assert sends("loud.test", 61.0) == 0


def test_now_and_then_it_is_looked_how_many_wait() -> None:
    held = limits()
    assert [held.proved(VICTIM, 0.0) for _ in range(2 * LOOK_EVERY)].count(True) == 2


def test_a_million_of_any_kind_take_no_more_room() -> None:
    held = limits()
    for number in range(100_000):
        claim = Caller(f"host{number}.test", f"2001:db8:{number:x}::/64")
        held.knock(claim, 0.0)
        held.fetch_key(claim, 0.0)
        held.proved(claim, 0.0)
        held.knock(claim, 0.0)
        held.fetch_key(claim, 0.0)
        held.too_many_wait(claim.host, 0.0)
    tables = [held._proven, held._verified, held._full]
    for those in (held._requests, held._keys):
        tables += [those._address, those._host, those._proven]
    assert [len(table) for table in tables] == [10_000] * len(tables)


def test_room_is_had_at_once_or_not() -> None:
    room = Room(10, 6)
    assert room.take("a", 6)
    assert not room.take("a")
    assert room.take("b", 4)
    assert not room.take("c")
    room.free("a", 6)
    assert room.take("c", 5)
    assert not room.take(None, 2)
    assert room.take(None)
    assert room.taken == 10
    for holder, much in (("b", 4), ("c", 5), (None, 1)):
        room.free(holder, much)
    assert (room.taken, dict(room._of)) == (0, {})
