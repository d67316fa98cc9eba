"""Drop what stored checks needed: their options, and their files. A page sends the files of its check again."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db import migrations
from django.db.migrations.state import StateApps


def delete_files(_apps: StateApps, _schema_editor) -> None:
    shutil.rmtree(Path(settings.DATA_DIR) / "uploads", ignore_errors=True)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0009_search_index_of_new_stems")]
    operations = [
        migrations.RunPython(delete_files, migrations.RunPython.noop),
        migrations.RemoveField("upload", "prefix"),
        migrations.RemoveField("upload", "replace"),
    ]
