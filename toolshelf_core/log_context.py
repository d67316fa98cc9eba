"""Facts that belong to every log line of a request or a run: its id, its person, its path.

with log_context.bind(run_id=run.pk):
    log.warning("…")        # the JSON log adds "run_id"; the text log stays as it is
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

Fact = str | int | float | None
Facts = Mapping[str, Fact | Callable[[], Fact]]  # a function is called only when a line is written

_facts: ContextVar[Facts] = ContextVar("log_context", default={})  # noqa: B039 - nobody changes it


def collect_facts() -> dict[str, Fact]:
    """The facts that apply here, without empty ones."""
    values: dict[str, Fact] = {}
    for name, fact in _facts.get().items():
        value = fact() if callable(fact) else fact
        if value not in {None, ""}:
            values[name] = value
    return values


def add(**facts: Fact) -> None:
    """Add facts to those of the request, which end with it; outside a request, nothing is added."""
    if _facts.get():
        _facts.set({**_facts.get(), **facts})


@contextmanager
def bind(**facts: Fact | Callable[[], Fact]) -> Iterator[None]:
    """Add facts for a block."""
    token = _facts.set({**_facts.get(), **facts})
    try:
        yield
    finally:
        _facts.reset(token)
