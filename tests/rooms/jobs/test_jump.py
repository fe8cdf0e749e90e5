"""Whether leases that look expired are taken for it."""

from privapub.jobs.jump import JUMP, PATIENCE, Clocks


def test_after_a_start_and_after_a_jump_nobody_is_taken_for_dead_for_a_while() -> None:
    clocks, seen = Clocks(), []
    for look in range(10):
        jumped = 3600.0 if look >= 5 else 0.0
        seen.append(clocks.may_reap(1e9 + 30 * look + jumped, 30.0 * look))
    assert seen == [False] * PATIENCE + [True] * 3 + [False] * PATIENCE + [True] * 3


def test_a_jump_back_is_one_too() -> None:
    clocks = Clocks(looks=0)
    assert clocks.may_reap(1e9, 0.0)
    assert not clocks.may_reap(1e9 + 30 - 3600, 30.0)


def test_a_clock_that_is_set_right_by_a_little_is_believed() -> None:
    clocks = Clocks(looks=0)
    assert clocks.may_reap(1e9, 0.0)
    assert clocks.may_reap(1e9 + 30 + JUMP / 2, 30.0)


def test_where_leases_end_by_another_clock_this_one_does_not_matter() -> None:
    assert Clocks(patient=False).may_reap(1e9, 0.0)
