from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.apps import AppConfig
from django.db import connection

from catalog import holding_examples, runnable
from playground.factories import registry


class PlaygroundConfig(AppConfig):
    name = "playground"

    def ready(self) -> None:
        """Let the catalog know what can be run, and of what the examples hold.

        Looked up when somebody asks, not when the site starts.
        """
        runnable.provide(lambda: registry().runnable_ids())
        holding_examples.provide(tools_whose_examples_hold)


def tools_whose_examples_hold() -> frozenset[int]:
    """Asked with every list: by SQL that is made once."""
    sql, values = _holding()
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return frozenset(key for (key,) in cursor.fetchall())


@cache
def _holding() -> tuple[str, Sequence[Any]]:
    from playground.models import ExampleCheck  # noqa: PLC0415 - models are there only when the site has started

    sql, values = ExampleCheck.objects.holding().query.sql_with_params()
    return str(sql), values
