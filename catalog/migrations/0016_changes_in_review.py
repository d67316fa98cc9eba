"""The name of the state of changes that nobody has decided about."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0015_what_a_tool_needs")]

    operations = [
        migrations.AlterField(
            "heldchange",
            "state",
            models.CharField(
                choices=[
                    ("held", "In review"),
                    ("approved", "Approved"),
                    ("rejected", "Rejected"),
                    ("replaced", "Replaced by a later change"),
                ],
                default="held",
                max_length=10,
            ),
        )
    ]
