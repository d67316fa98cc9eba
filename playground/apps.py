from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.apps import AppConfig
from django.db import connection

from catalog.hooks import hooks
from catalog.json_schema.validation import CompiledSchema
from catalog.jsontext.reader import JSON
from playground.factories.registry import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Install the playground's hooks. They compute their values when called, not when the site starts."""
        hooks.runnable_tool_ids = lambda: registry().runnable_ids()
        hooks.tools_with_passing_examples = tools_whose_examples_pass
        hooks.sample_values = values_of


def values_of(schema: CompiledSchema, seed: str) -> Sequence[JSON]:
    from playground.sampling import samples  # noqa: PLC0415 - needed only for comparisons

    return samples(schema, seed)


def tools_whose_examples_pass() -> frozenset[int]:
    """Called for every list, so its SQL is compiled once. It returns the same object while nothing changes."""
    global _known  # noqa: PLW0603 - caches keyed by this set then hold one set, not one per call
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
    from playground.models import ExampleCheck  # noqa: PLC0415 - models are available only once the site has started

    sql, values = ExampleCheck.objects.holding().query.sql_with_params()
    return str(sql), values
