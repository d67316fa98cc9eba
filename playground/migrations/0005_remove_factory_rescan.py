from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("playground", "0004_configuration_origins")]

    operations = [migrations.DeleteModel(name="FactoryRescan")]
