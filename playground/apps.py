from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.apps import AppConfig
from django.db import connection

from catalog import holding_examples, runnable
from catalog.json_schema.validation import CompiledSchema
from catalog.jsontext.reader import JSON
from playground.factories.registry import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Let the catalog know what can be run, of what the examples hold, and values that a schema accepts.

        Looked up when somebody asks, not when the site starts.
        """
        runnable.provide(lambda: registry().runnable_ids())
        holding_examples.provide(tools_whose_examples_hold)
        from catalog import revision_diff  # noqa: PLC0415 - it knows models, which are there only now

        revision_diff.provide(values_of)


def values_of(schema: CompiledSchema, seed: str) -> Sequence[JSON]:
    from playground.sampling import samples  # noqa: PLC0415 - only when somebody compares

    return samples(schema, seed)


def tools_whose_examples_hold() -> frozenset[int]:
    """Asked with every list: by SQL that is made once. The same object as before while they are the same tools."""
    global _known  # noqa: PLW0603 - what is remembered by it holds one set, not one for each time it is asked
    sql, values = _holding()
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found = frozenset(key for (key,) in cursor.fetchall())
    if found != _known:
        _known = found
    return _known


_known: frozenset[int] = frozenset()


@cache
def _holding() -> tuple[str, Sequence[Any]]:
    from playground.models import ExampleCheck  # noqa: PLC0415 - models are there only when the site has started

    sql, values = ExampleCheck.objects.holding().query.sql_with_params()
    return str(sql), values
