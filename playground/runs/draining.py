"""Whether this process is about to end.

It starts no more runs, and active runs have some time to end.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from toolshelf_core.errors import Unreachable

CHECK_S: Final = 0.05
RETRY_AFTER_S: Final = 5

draining: Final = threading.Event()


def refuse_while_draining() -> None:
    """Call this before a run starts.

    Raises:
        Unreachable: this process is about to end.
    """
    if draining.is_set():
        message = (
            "The server is about to stop, so the run was not started. Try again in a few seconds."
        )
        raise Unreachable(message, retry_after_s=RETRY_AFTER_S)


def wait_for_end(ended: threading.Event, timeout_s: float) -> None:
    """Wait for `ended`, at most `timeout_s`, and no longer once this process drains.

    The client is answered then.
    """
    until = time.monotonic() + timeout_s
    while not draining.is_set() and (left_s := until - time.monotonic()) > 0:
        if ended.wait(min(left_s, CHECK_S)):
            return
