"""Create a tool and call it: with plain functions, coroutine functions, or generators.

All coroutines of a run share one event loop, so that `call` can use a client made by `create`.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from toolshelf_tools.interfaces import Progress, progress
from toolshelf_tools.type_conversion import configuration_type, read_value, wants_argument

if TYPE_CHECKING:
    import asyncio


class Caller:
    """Creates a tool and calls it. A context manager: it closes the event loop."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runner is not None:
            self._runner.close()

    def create_tool(self, factory: Any, configuration: str) -> Any:
        """Create the tool of `factory`.

        Args:
            factory: calls its `create`, which may be a coroutine function.
            configuration: JSON, for a factory whose `create` takes it.

        Raises:
            MisfitError: `configuration` does not match the type that the factory annotates.
            Exception: anything that `create` raises.
        """
        if not wants_argument(factory.create):
            return self._resolve(factory.create())
        value = read_value(configuration, configuration_type(factory), what="configuration")
        return self._resolve(factory.create(value))

    def get_response(self, value: Any) -> Any:
        """The response of a call that returned `value`: a response, an awaitable or a generator.

        The values that a generator yields are reported or logged while it runs.
        """
        value = self._resolve(value)
        if inspect.isgenerator(value):
            return _run_generator(value)
        if inspect.isasyncgen(value):
            return self._run(_run_async_generator(value))
        return value

    def _resolve(self, value: Any) -> Any:
        if inspect.isawaitable(value):
            return self._run(value)
        return value

    def _run(self, awaitable: Any) -> Any:
        import asyncio  # noqa: PLC0415  it takes 50 ms, and only some tools need it

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_wait_for(awaitable))


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable


def _run_generator(generator: Any) -> Any:
    with _GeneratorOutput() as output:
        while True:
            try:
                value = next(generator)
            except StopIteration as end:
                return output.choose_response(end.value)
            output.show(value)


async def _run_async_generator(generator: AsyncIterator[Any]) -> Any:
    with _GeneratorOutput() as output:
        async for value in generator:
            output.show(value)
        return output.choose_response(None)


class _GeneratorOutput:
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

    def choose_response(self, return_value: Any) -> Any:
        """What the generator returned, else the last value that it yielded."""
        if return_value is not None:
            return return_value
        self._is_pending = False
        return self._last

    def _write_pending(self) -> None:
        if self._is_pending:
            self._is_pending = False
            sys.stdout.write(f"{_format_line(self._last)}\n")


def _format_line(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
