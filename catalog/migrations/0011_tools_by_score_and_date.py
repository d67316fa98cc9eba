"""Sort long lists by an index: by score, and by the date of the last change."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("catalog", "0010_upload_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("score__isnull", False)), fields=["-score", "sort_name", "id"], name="tool_by_score"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(fields=["-updated_at", "-id"], name="tool_by_date"),
        ),
    ]
