"""Empty the search index, since `C++`, `C#` and `.NET` are words of their own now; `serve` then rebuilds it."""

from django.db import migrations

TABLES = {
    "sqlite": ["tool_text", "tool_stem", "tool_word", "tool_typo", "tool_group"],
    "postgresql": ["tool_search", "tool_stem", "tool_word", "tool_typo", "tool_group"],
}


def empty_search_index(apps, schema_editor):  # noqa: ARG001
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        schema_editor.execute("INSERT INTO tool_search (tool_search) VALUES ('delete-all')")
    for table in TABLES[vendor]:
        schema_editor.execute(f"DELETE FROM {table}")  # noqa: S608


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_squashed")]

    operations = [migrations.RunPython(empty_search_index, migrations.RunPython.noop)]
