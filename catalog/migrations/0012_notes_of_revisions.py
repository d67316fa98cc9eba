"""Store what people write about a change that they publish or propose."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0011_formats_in_a_column")]

    operations = [
        migrations.AddField(
            "revision", "note", models.CharField(blank=True, max_length=500, null=True)
        ),
        migrations.AddField(
            "heldchange", "note", models.CharField(blank=True, max_length=500, null=True)
        ),
    ]
