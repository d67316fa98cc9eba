"""Answers about the whole catalog that are dear and asked again and again, kept until the catalog changes.

Each process keeps its own, and but the newest of them. Who asks says what the answer depends on: on the index by the
number that is another one after each change of it (`vocabulary.state_and_size`). Requests for the same answer at the
same time compute it once: otherwise, sixty clients that request one large page would occupy every thread for half a
minute.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Final, Generic, TypeVar

MAX_KEPT: Final = 200
MAX_CHARACTERS: Final = 8 * 1024 * 1024  # of drawn answers of one kind
MAX_ANSWERS: Final = 1_000  # of one kind, however light: what they depend on takes room as well

Answer = TypeVar("Answer")


class VersionedCache(Generic[Answer]):
    """Answers by what they depend on, as many as weigh `most` together, and never more than `MAX_ANSWERS`.

    Each weighs 1 unless `weigh` says otherwise.
    """

    def __init__(self, *, most: int = MAX_KEPT, weigh: Callable[[Answer], int] = lambda _: 1) -> None:
        self._most = most
        self._weigh = weigh
        self._weight = 0
        self._kept: OrderedDict[Hashable, Answer] = OrderedDict()
        self._computing: dict[Hashable, Future[Answer | None]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Answer | None:
        with self._lock:
            return self._get(key)

    def _get(self, key: Hashable) -> Answer | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def ask(self, key: Hashable, find_out: Callable[[], Answer]) -> Answer:
        """The cached answer, or else the result of `find_out`, here or in the thread that is already computing it."""
        with self._lock:
            known = self._get(key)
            if known is not None:
                return known
            others = self._computing.get(key)
            if others is None:
                mine = self._computing[key] = Future[Answer | None]()
        if others is not None:
            answer = others.result()
            return find_out() if answer is None else answer  # None: it failed there
        answer = None
        try:
            answer = find_out()
            self._keep(key, answer)
            return answer
        finally:
            with self._lock:
                del self._computing[key]
            mine.set_result(answer)

    def _keep(self, key: Hashable, answer: Answer) -> None:
        with self._lock:
            self._kept[key] = answer
            self._weight += self._weigh(answer)
            while self._weight > self._most or len(self._kept) > MAX_ANSWERS:
                _, oldest = self._kept.popitem(last=False)
                self._weight -= self._weigh(oldest)
