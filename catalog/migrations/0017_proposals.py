"""Rename the model HeldChange to Proposal. The table keeps its name, so nothing is copied."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0016_changes_in_review")]

    operations = [
        migrations.AlterModelTable("heldchange", "catalog_heldchange"),
        migrations.RenameModel("HeldChange", "Proposal"),
        migrations.AlterField(
            "proposal",
            "source",
            models.ForeignKey(
                null=True,
                on_delete=models.CASCADE,
                related_name="proposals",
                to="catalog.source",
            ),
        ),
    ]
