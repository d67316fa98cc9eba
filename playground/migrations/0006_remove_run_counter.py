from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("playground", "0005_remove_factory_rescan")]

    operations = [migrations.DeleteModel(name="RunCounter")]
