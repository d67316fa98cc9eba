"""Sharing slots, queues and turns between people."""

import pytest

from toolshelf_core.fairness import SharedSlots, Turns, list_waiting, may_queue, reserve_of


def in_order(requests):
    """Owners in the order in which their requests start, if all arrive before the first starts."""
    turns = Turns()
    numbered = [(turns.take(owner), number, owner) for number, owner in enumerate(requests)]
    return "".join(owner for *_, owner in sorted(numbered))


def test_owners_alternate_however_many_requests_one_of_them_has():
    assert in_order("aaaaaabbc") == "abcabaaaa"


def test_an_owner_who_comes_later_does_not_wait_for_earlier_requests_of_others():
    turns = Turns()
    many = [turns.take("a") for _ in range(60)]
    for turn in many[:10]:
        turns.record_start(turn)

    assert many[9] <= turns.take("b") <= many[10]


def test_an_owner_who_was_away_has_no_advantage_over_those_who_waited():
    turns = Turns()
    for _ in range(100):
        turns.record_start(turns.take("a"))

    late = [turns.take("b") for _ in range(3)]
    others = [turns.take("a") for _ in range(3)]

    assert [turn - late[0] for turn in late] == [0, 1, 2]
    assert [turn - late[0] for turn in others] == [1, 2, 3]


def test_slots_of_the_reserve_are_for_owners_without_any():
    shared = SharedSlots(4, reserve=1)

    assert [shared.take("a") for _ in range(4)] == [True, True, True, False]
    assert shared.take("b")
    assert not shared.take("c")
    shared.release("b")
    assert not shared.take("a")
    assert shared.take("c")


def test_a_released_slot_can_be_used_again():
    shared = SharedSlots(1, reserve=0)
    assert shared.take("a")

    shared.release("a")

    assert shared.take("b")


@pytest.mark.parametrize(("slots", "reserve"), [(1, 0), (3, 0), (4, 1), (8, 2), (16, 4)])
def test_a_quarter_of_the_slots_is_reserved(slots, reserve):
    assert reserve_of(slots) == reserve


def fill(queue, owner, own=0):
    """How many of the free positions one owner gets."""
    while may_queue(own, queue - own):
        own += 1
    return own


@pytest.mark.parametrize(("queue", "share"), [(0, 0), (1, 1), (2, 1), (3, 2), (1000, 500)])
def test_one_owner_gets_half_of_a_queue(queue, share):
    assert fill(queue, "a") == share


def test_waiting_requests_are_known_in_order_from_what_is_stored():
    requests = [(1, "a", True), (2, "a", False), (3, "b", False), (4, "a", False), (5, "b", False)]

    assert list_waiting(requests, slots=4, reserve=1) == [4, 5]
    assert list_waiting(requests, slots=2, reserve=0) == [3, 4, 5]
    assert list_waiting([(number, "a", False) for number in range(6)], slots=4, reserve=1) == [
        3,
        4,
        5,
    ]
