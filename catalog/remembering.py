"""Answers about the whole catalog that are dear and asked again and again, kept until the catalog changes.

Each process keeps its own, and but the newest of them. Who asks says what the answer depends on: on the index by the
number that is another one after each change of it (`vocabulary.state_and_size`).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

MAX_KEPT: Final = 200
MAX_CHARACTERS: Final = 8 * 1024 * 1024  # of drawn answers of one kind
MAX_ANSWERS: Final = 1_000  # of one kind, however light: what they depend on takes room as well

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers by what they depend on, as many as weigh `most` together, and never more than `MAX_ANSWERS`.

    Each weighs 1 unless `weigh` says otherwise.
    """

    def __init__(self, *, most: int = MAX_KEPT, weigh: Callable[[Answer], int] = lambda _: 1) -> None:
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Answer | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def ask(self, key: Hashable, find_out: Callable[[], Answer]) -> Answer:
        """The answer that is kept, else what `find_out` gives."""
        known = self.get(key)
        if known is not None:
            return known
        answer = find_out()
        with self._lock:
            if key not in self._kept:  # else another thread found it out meanwhile
                self._kept[key] = answer
                self._weight += self._weigh(answer)
            while self._weight > self._most or len(self._kept) > MAX_ANSWERS:
                _, oldest = self._kept.popitem(last=False)
                self._weight -= self._weigh(oldest)
        return answer
