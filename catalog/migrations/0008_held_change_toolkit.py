"""Which toolkit a held change belongs to, in the form in which toolkits are compared."""

from django.db import migrations, models

from catalog.search.document import group_key, toolkit_of


def set_toolkit_keys(apps, schema_editor):
    changes = apps.get_model("catalog", "HeldChange").objects.using(schema_editor.connection.alias)
    for tool_id in changes.order_by().values_list("tool_id", flat=True).distinct():
        if key := group_key(toolkit_of(tool_id)):
            changes.filter(tool_id=tool_id).update(toolkit_key=key)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0007_rights")]

    operations = [
        migrations.AddField(
            "heldchange", "toolkit_key", models.CharField(blank=True, default="", max_length=100), False
        ),
        migrations.RunPython(set_toolkit_keys, migrations.RunPython.noop, elidable=True),
    ]
