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

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """Answers by what they depend on, at most `most`."""

    def __init__(self, *, most: int = MAX_KEPT) -> None:
        self._most = most
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
            self._kept[key] = answer
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer
