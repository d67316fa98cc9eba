"""Replace the flag of tools that need a configuration by what they need."""

import json

from django.db import migrations, models


def find_needs(apps, schema_editor):  # noqa: ARG001
    """Set the new column of the tools that are stored: it follows from their current specs."""
    tools = apps.get_model("catalog", "Tool").objects.filter(needs_configuration=True)
    for tool in tools.only("pk", "current__source").select_related("current").iterator(200):
        schema = json.loads(tool.current.source)["configuration"] if tool.current else {}
        tool.needs = _first_title(schema) or "configuration"
        tool.save(update_fields=["needs"])


def _first_title(schema):
    names = schema.get("required") if isinstance(schema, dict) else None
    if not isinstance(names, list) or not names or not isinstance(names[0], str):
        return ""
    properties = schema.get("properties")
    member = properties.get(names[0]) if isinstance(properties, dict) else None
    title = member.get("title") if isinstance(member, dict) else None
    words = title if isinstance(title, str) else names[0]
    return " ".join(words.split())[:60]


class Migration(migrations.Migration):
    dependencies = [("catalog", "0014_sources_without_connection")]

    operations = [
        migrations.AddField(
            "tool", "needs", models.CharField(blank=True, default="", max_length=60)
        ),
        migrations.RunPython(find_needs, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField("tool", "needs_configuration"),
    ]
