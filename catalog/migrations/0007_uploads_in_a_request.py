"""End unfinished uploads, which no thread resumes any more, and drop their leases and heartbeats.

Stored specs and reports stay. `total` was the number of texts in the files; now it is the number of specs, and unknown
for an upload that has stopped.
"""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.state import StateApps


def end_uploads(apps: StateApps, schema_editor) -> None:
    uploads = apps.get_model("catalog", "Upload").objects.using(schema_editor.connection.alias)
    stopped = models.Q(ended_at=None) | models.Q(failed=True)
    for key in uploads.filter(stopped).values_list("pk", flat=True):
        shutil.rmtree(Path(settings.DATA_DIR) / "uploads" / key, ignore_errors=True)
    outcomes = ("created", "revised", "unchanged", "held", "rejected")
    reported = sum((models.F(outcome) for outcome in outcomes), models.Value(0))
    uploads.exclude(stopped).update(total=reported)
    uploads.filter(stopped).update(total=None)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0006_no_table_of_groups")]
    operations = [
        migrations.RunPython(end_uploads, migrations.RunPython.noop),
        migrations.RemoveField("upload", "seen_at"),
        migrations.RemoveField("upload", "lease_id"),
        migrations.RemoveField("upload", "ended_at"),
        migrations.RemoveField("upload", "failed"),
        migrations.RemoveField("upload", "read"),
    ]
