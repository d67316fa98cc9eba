from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("playground", "0001_squashed")]

    operations = [
        migrations.RemoveIndex(model_name="run", name="run_active"),
        migrations.AddIndex(
            model_name="run", index=models.Index(fields=["outcome", "host"], name="run_by_outcome")
        ),
    ]
