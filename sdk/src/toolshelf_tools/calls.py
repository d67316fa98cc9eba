"""Call a tool: a function, a coroutine function, or a generator, which reports while it runs.

The same for `create`, which may be a coroutine function. All coroutines of a run share one event
loop, so that a client made by `create` can be used by `call`.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from toolshelf_tools.interfaces import Progress, progress

if TYPE_CHECKING:
    import asyncio


class Caller:
    """Calls functions of a tool and returns what they respond; a context manager, which ends the event loop."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runner is not None:
            self._runner.close()

    def result_of(self, value: Any) -> Any:
        """`value` itself, or what it returns if it is a coroutine or another awaitable."""
        return self._run(value) if inspect.isawaitable(value) else value

    def response_of(self, value: Any) -> Any:
        """The response of a call that returned `value`: also of a generator, whose values are shown meanwhile."""
        value = self.result_of(value)
        if inspect.isgenerator(value):
            return _response_of_generator(value)
        if inspect.isasyncgen(value):
            return self._run(_response_of_async_generator(value))
        return value

    def _run(self, awaitable: Any) -> Any:
        import asyncio  # noqa: PLC0415  it takes 50 ms, and only some tools need it

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_awaited(awaitable))


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


def _response_of_generator(generator: Any) -> Any:
    with _Yielded() as yielded:
        while True:
            try:
                value = next(generator)
            except StopIteration as end:
                return yielded.response(end.value)
            yielded.show(value)


async def _response_of_async_generator(generator: AsyncIterator[Any]) -> Any:
    with _Yielded() as yielded:
        async for value in generator:
            yielded.show(value)
        return yielded.response(None)


class _Yielded:
    """The values that a generator has yielded.

    A value is written to the log once another follows, or the generator fails: the last one may be
    the response.
    """

    def __init__(self) -> None:
        self._last: Any = None
        self._is_pending = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write_pending()

    def show(self, value: Any) -> None:
        self._write_pending()
        if isinstance(value, Progress):
            progress(value.done, value.total, value.message)
        else:
            self._last, self._is_pending = value, True

    def response(self, returned: Any) -> Any:
        """The response of the generator, which has returned this value."""
        if returned is not None:
            return returned
        self._is_pending = False
        return self._last

    def _write_pending(self) -> None:
        if self._is_pending:
            self._is_pending = False
            sys.stdout.write(f"{_line(self._last)}\n")


def _line(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
