from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("playground", "0003_run_volume")]

    operations = [
        migrations.AddField(
            model_name="savedconfiguration",
            name="origins",
            field=models.TextField(blank=True, default=""),
        ),
    ]
