import json

from django.db import migrations, models


def find_needs(apps, schema_editor):  # noqa: ARG001
    """Set the new column of the tools that are stored: it follows from their current specs."""
    tools = apps.get_model("catalog", "Tool").objects.filter(
        configurable=True, current__isnull=False
    )
    needing = []
    for pk, source in tools.values_list("pk", "current__source").iterator(chunk_size=200):
        configuration = json.loads(source).get("configuration")
        if isinstance(configuration, dict) and configuration.get("required"):
            needing.append(pk)
    for start in range(0, len(needing), 500):
        tools.filter(pk__in=needing[start : start + 500]).update(needs_configuration=True)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0002_search_index_of_names_with_signs")]

    operations = [
        migrations.AddField(
            model_name="tool",
            name="needs_configuration",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(find_needs, migrations.RunPython.noop, elidable=True),
    ]
