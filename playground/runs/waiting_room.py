"""The threads of this process that wait for a run.

Each request that waits holds one; pages need threads too.

At most half of the server's threads wait, and some of those are reserved for users who have none.
"""

from __future__ import annotations

import threading
from typing import Final

from django.conf import settings

from toolshelf_core.fairness import SharedSlots, reserve_of

_WAITING: Final = max(1, settings.WEB_THREADS // 2)
_threads = SharedSlots(_WAITING, reserve=reserve_of(_WAITING))
_lock = threading.Lock()


def enter(owner: str) -> bool:
    """Reserve this thread for `owner` (`Run.owner`), who waits for a run.

    False if too many threads wait already.

    After True, call `leave`.
    """
    with _lock:
        return _threads.take(owner)


def leave(owner: str) -> None:
    """Let another thread wait."""
    with _lock:
        _threads.release(owner)
