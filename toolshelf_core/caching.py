"""A cache in memory, shared by the threads of one process, for expensive and frequent results.

Django's cache framework serves results that can be pickled and may expire. This cache serves the
others: compiled schemas, diffs and search results stay the objects that they are, are dropped by
their size, and are computed once even if many requests ask at the same time. Without that, sixty
clients that request one large page would occupy every thread for half a minute.

The cached answers of searches are beside what they answer: `search/api.py`, `search/views.py`, and
`playground/mcp/catalog_tools.py`.

A key names everything that its result depends on. For results about the whole catalog it contains
the number of the index's state, which changes with every change of the catalog
(`vocabulary.state_and_size`); for results about a revision, which never changes, its SHA-256.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Final, Generic, TypeVar

MAX_CHARACTERS: Final = 8 * 1024 * 1024  # of the rendered texts in one cache
MAX_ENTRIES: Final = 1_000  # in one cache, however light: keys occupy memory too
DEFAULT_ENTRIES: Final = 200

Result = TypeVar("Result")


class LRUCache(Generic[Result]):
    """The most recently used results: at most `max_weight` together, and `MAX_ENTRIES`.

    Each result weighs 1, or what `weigh` returns for it.
    """

    def __init__(
        self, *, max_weight: int = DEFAULT_ENTRIES, weigh: Callable[[Result], int] = lambda _: 1
    ) -> None:
        self._max_weight = max_weight
        self._weigh = weigh
        self._weight = 0
        self._results: OrderedDict[Hashable, Result] = OrderedDict()
        self._computing: dict[Hashable, Future[Result | None]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Result | None:
        with self._lock:
            return self._get(key)

    def _get(self, key: Hashable) -> Result | None:
        if key in self._results:
            self._results.move_to_end(key)
        return self._results.get(key)

    def get_or_compute(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The cached result, or else the result of `compute`.

        It is called here, or in the thread that is computing the result already.
        """
        with self._lock:
            cached = self._get(key)
            if cached is not None:
                return cached
            others = self._computing.get(key)
            if others is None:
                mine = self._computing[key] = Future[Result | None]()
        if others is not None:
            result = others.result()
            if result is None:  # it failed there
                return compute()
            return result
        result = None
        try:
            result = compute()
            self._store(key, result)
            return result
        finally:
            with self._lock:
                del self._computing[key]
            mine.set_result(result)

    def _store(self, key: Hashable, result: Result) -> None:
        with self._lock:
            self._results[key] = result
            self._weight += self._weigh(result)
            while self._weight > self._max_weight or len(self._results) > MAX_ENTRIES:
                _, oldest = self._results.popitem(last=False)
                self._weight -= self._weigh(oldest)
