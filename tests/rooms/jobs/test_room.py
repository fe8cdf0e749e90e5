"""When a process makes room for a job that must run alone."""

from privapub.jobs.room import FIRST, Room


def test_room_is_made_for_a_while_then_not_for_as_long_and_each_while_is_longer() -> None:
    room = Room()
    assert not room.making(0)
    room.wanted(0)
    assert room.making(FIRST - 1)
    assert not room.making(FIRST)
    room.wanted(FIRST + 1)
    assert not room.making(FIRST + 2), "it works as usual for a while"
    room.wanted(2 * FIRST)
    assert room.making(2 * FIRST + 1)
    assert room.making(4 * FIRST - 1), "the second while is twice as long"
    assert not room.making(4 * FIRST)


def test_once_there_was_room_it_starts_anew() -> None:
    room = Room()
    room.wanted(0)
    room.making(FIRST)
    room.had()
    room.wanted(10 * FIRST)
    assert not room.making(11 * FIRST)
