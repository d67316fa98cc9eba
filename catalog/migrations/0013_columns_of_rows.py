"""Replace the names of parameters in a row by their numbers, and add the effect of a tool.

The search index is emptied, since it has new facts; `serve` then rebuilds it and fills the columns.
"""

from django.db import migrations, models

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
    dependencies = [("catalog", "0012_notes_of_revisions")]

    operations = [
        migrations.RemoveField("tool", "takes"),
        migrations.AddField(
            "tool", "parameter_count", models.PositiveIntegerField(blank=True, null=True)
        ),
        migrations.AddField("tool", "required_count", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "tool", "effect", models.CharField(blank=True, default="", max_length=12)
        ),
        migrations.RunPython(empty_search_index, empty_search_index),
    ]
