"""Share limited resources between people: slots, queues, and turns.

    SharedSlots    a number of slots, some of them reserved for owners who have none
    Turns          numbers for waiting requests: sorted by them, the owners alternate
    may_queue      whether an owner may occupy another position of a queue

An owner is any text: a user's key, or "" for commands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

Key = TypeVar("Key")

OWN_SHARE = (
    "Your share of the queue is full: {waiting:,} of your runs are waiting. "
    "The rest is reserved for others."
)


def reserve_of(slots: int) -> int:
    """How many of `slots` are reserved for owners who have none: a quarter, rounded down."""
    return slots // 4


def may_queue(own: int, free: int) -> bool:
    """Whether an owner with `own` positions of a queue may take one of the `free` ones.

    One owner gets half of an empty queue, the next one half of the rest, and so on, so the queue is
    never full for somebody who has nothing in it, unless very many people use it. Source: Choudhury
    and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", with alpha = 1.
    """
    return own < free


class SharedSlots:
    """A number of slots for all owners together. Threads that share it hold a lock."""

    def __init__(self, slots: int, *, reserve: int) -> None:
        """Create `slots` free slots; `reserve` of them are only for owners who have none."""
        self._slots = slots
        self._reserve = reserve
        self._held: Counter[str] = Counter()
        self._used = 0

    def has_room(self, owner: str) -> bool:
        """Whether `owner` may take a slot."""
        reserve = self._reserve if self._held[owner] else 0
        return self._slots - self._used > reserve

    def take(self, owner: str) -> bool:
        """Take a slot for `owner` and return True, if there is one."""
        if not self.has_room(owner):
            return False
        self.add(owner)
        return True

    def add(self, owner: str) -> None:
        """Count a slot that `owner` already has."""
        self._held[owner] += 1
        self._used += 1

    def release(self, owner: str) -> None:
        self._used -= 1
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]


def list_waiting(
    requests: Iterable[tuple[Key, str, bool]], *, slots: int, reserve: int
) -> list[Key]:
    """The requests that wait for a slot, in the order in which they will start.

    Args:
        requests: a key, the owner, and whether it is known to have a slot, in order of turns.
        slots: of which those without a known slot get one if there is room.
        reserve: see `SharedSlots`.
    """
    slots_in_use = SharedSlots(slots, reserve=reserve)
    candidates = []
    for key, owner, has_slot in requests:
        if has_slot:
            slots_in_use.add(owner)
        else:
            candidates.append((key, owner))
    return [key for key, owner in candidates if not slots_in_use.take(owner)]


class Turns:
    """Turns for waiting requests: in order of turns, then of arrival, their owners alternate.

    An owner's n-th waiting request has a turn n after the current one, however many requests others
    have.

    Source: Goyal, Vin, Cheng, "Start-time fair queueing": a request's turn is its start tag,
    with equal weights.
    """

    def __init__(self) -> None:
        """Begin with turn 0."""
        self._current = 0
        self._latest: dict[str, int] = {}

    def take(self, owner: str) -> int:
        """Take a turn for the owner's next request."""
        turn = max(self._current, self._latest.get(owner, -1) + 1)
        self._latest[owner] = turn
        return turn

    def record_start(self, turn: int) -> None:
        """Record that a request with this turn has started."""
        if turn > self._current:
            self._current = turn
            self._latest = {
                owner: latest for owner, latest in self._latest.items() if latest >= turn
            }
