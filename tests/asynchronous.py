"""Run coroutines in tests."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_async(coroutine):
    """The result of `coroutine`, run in a thread: Playwright keeps an event loop in the main thread of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
