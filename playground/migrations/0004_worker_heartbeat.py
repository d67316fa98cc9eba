from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0003_run_tally"),
    ]

    operations = [
        migrations.CreateModel(
            name="WorkerHeartbeat",
            fields=[
                ("host", models.CharField(max_length=60, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
    ]
