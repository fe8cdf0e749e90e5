"""Turns: whoever floods delays itself alone."""

from privapub.limits.turns import AHEAD, STEP, Turns


def order(*sent: tuple[str, float]) -> list[str]:
    """Who is next, of what was sent at these moments."""
    turns = Turns()
    due = [(turns.next(host, now), place, host) for place, (host, now) in enumerate(sent)]
    return [host for _, _, host in sorted(due)]


def test_the_first_of_another_is_next_behind_a_flood() -> None:
    flood = [("loud", 5000.0 + number / 1000) for number in range(2000)]
    assert order(*flood, ("quiet", 5002.0))[:30].count("quiet") == 1


def test_two_floods_take_turns() -> None:
    found = order(*[("loud", 5000.0)] * 1000, *[("late", 5000.0)] * 1000)
    assert 450 < found[:1000].count("late") < 550


def test_what_one_host_sends_keeps_its_order_and_is_never_due_later_than_now() -> None:
    turns = Turns()
    moments = [5000.0 + number / 100 for number in range(20_000)]
    found = [turns.next("loud", now) for now in moments]
    assert found == sorted(found)
    assert all(due <= now for due, now in zip(found, moments, strict=True))
    assert found[0] == moments[0] - AHEAD
    assert found[-1] == moments[-1]


def test_who_sends_slowly_is_always_ahead() -> None:
    turns = Turns()
    assert all(
        turns.next("slow", 5000.0 + 2 * STEP * number) == 5000.0 + 2 * STEP * number - AHEAD for number in range(1000)
    )


def test_few_hosts_are_known_and_none_that_sent_long_ago() -> None:
    turns = Turns(most=50)
    for number in range(100_000):
        turns.next(f"host{number}.test", 5000.0)
    assert len(turns) == 50
    turns.next("late", 5000.0 + AHEAD)
    assert len(turns) == 1
