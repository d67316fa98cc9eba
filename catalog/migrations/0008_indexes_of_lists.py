"""Drop indexes that only sites of earlier versions have: facets are counted in one pass."""

from django.db import migrations

INDEXES = [
    "tool_configurable",
    "tool_with_examples",
    "tool_with_return_type",
    "tool_deprecated",
    "tool_by_grade",
    "tool_usable_mcp",
    "tool_usable_mcp_2026_07_28",
    "tool_usable_openai",
    "tool_usable_openai_strict",
    "tool_usable_anthropic",
    "tool_usable_gemini",
    "tool_usable_langchain",
    "tool_usable_openapi",
]


class Migration(migrations.Migration):
    dependencies = [("catalog", "0007_uploads_in_a_request")]

    operations = [
        migrations.RunSQL(
            [f"DROP INDEX IF EXISTS {index}" for index in INDEXES], migrations.RunSQL.noop
        )
    ]
