"""Empty the search index, since a few words have another stem now; `serve` then rebuilds it."""

from django.db import migrations

TABLES = {
    "sqlite": ["tool_text", "tool_stem", "tool_word", "tool_typo"],
    "postgresql": ["tool_search", "tool_stem", "tool_word", "tool_typo"],
}


def empty_search_index(apps, schema_editor):  # noqa: ARG001
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        schema_editor.execute("INSERT INTO tool_search (tool_search) VALUES ('delete-all')")
    for table in TABLES[vendor]:
        schema_editor.execute(f"DELETE FROM {table}")  # noqa: S608


class Migration(migrations.Migration):
    dependencies = [("catalog", "0008_indexes_of_lists")]

    operations = [migrations.RunPython(empty_search_index, migrations.RunPython.noop)]
