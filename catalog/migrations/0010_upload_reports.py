"""Reports list errors first: store the rank of each spec, and the numbers of breaking changes and warnings."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

RANKS = {"rejected": 0, "held": 1, "revised": 3, "created": 4}


def rank_stored_specs(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Reports from before do not list breaking changes before the others."""
    specs = apps.get_model("catalog", "UploadedSpec").objects
    for outcome, rank in RANKS.items():
        specs.filter(outcome=outcome).update(rank=rank)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0009_stars")]

    operations = [
        migrations.AddField("upload", "breaking", models.PositiveIntegerField(default=0)),
        migrations.AddField("upload", "warned", models.PositiveIntegerField(default=0)),
        migrations.AddField("uploadedspec", "rank", models.PositiveSmallIntegerField(default=5)),
        migrations.AddField("uploadedspec", "warnings", models.PositiveSmallIntegerField(default=0)),
        migrations.RunPython(rank_stored_specs, migrations.RunPython.noop),
        migrations.AddIndex(
            "uploadedspec", models.Index(fields=["upload", "rank", "position"], name="uploaded_by_rank")
        ),
    ]
