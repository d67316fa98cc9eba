"""U+0000 is never stored: PostgreSQL refuses it in texts. U+FFFD takes its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper

NUL: Final = "\x00"
REPLACEMENT: Final = "\ufffd"


def protect_texts(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Replace U+0000 in the parameters of every statement of a new connection."""
    if _execute not in connection.execute_wrappers:
        connection.execute_wrappers.append(_execute)


def _execute(
    execute: Callable[..., Any],
    sql: str,
    params: Any,
    many: bool,
    context: dict[str, Any],
) -> Any:
    if many:
        params = [_without_nul(row) for row in params]
    elif params:
        params = _without_nul(params)
    return execute(sql, params, many, context)


def _without_nul(params: Any) -> Any:
    if not isinstance(params, Sequence):  # named parameters, which no statement of the site has
        return params
    for value in params:  # a generator would take twice as long, for each of the rows of an upload
        if isinstance(value, str) and NUL in value:
            return [_replace_nul(each) for each in params]
    return params


def _replace_nul(value: Any) -> Any:
    return value.replace(NUL, REPLACEMENT) if isinstance(value, str) else value
