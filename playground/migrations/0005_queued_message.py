import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0004_worker_heartbeat"),
    ]

    operations = [
        migrations.CreateModel(
            name="QueuedMessage",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="playground.run",
                    ),
                ),
                ("sealed", models.TextField()),
                ("sent_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]
