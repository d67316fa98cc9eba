from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0009_runs_of_visitors"),
    ]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="mode",
            field=models.CharField(
                choices=[
                    ("live", "live"),
                    ("mock", "mock"),
                    ("visitor", "visitor"),
                    ("draft", "draft"),
                ],
                default="live",
                max_length=8,
            ),
        ),
    ]
