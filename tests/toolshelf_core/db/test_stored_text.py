"""U+0000 is never stored: PostgreSQL refuses it, so both databases get U+FFFD in its place."""

from __future__ import annotations

import pytest

from catalog.tools.models import Tool
from tests.factories import make_tool

pytestmark = pytest.mark.django_db


def test_a_row_is_stored_without_it():
    tool = make_tool("a")

    Tool.objects.filter(pk=tool.pk).update(deprecation_note="before\x00after")

    assert Tool.objects.get().deprecation_note == "before\ufffdafter"


def test_rows_that_are_stored_together_are_stored_without_it():
    tools = [make_tool("a"), make_tool("b")]
    for tool in tools:
        tool.deprecation_note = "\x00"

    Tool.objects.bulk_update(tools, ["deprecation_note"])

    assert {tool.deprecation_note for tool in Tool.objects.all()} == {"\ufffd"}


def test_a_question_with_it_is_answered():
    assert not Tool.objects.filter(tool_id="a\x00b").exists()
