import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("playground", "0007_configuration_of_each_tool")]

    operations = [
        migrations.RemoveConstraint(
            model_name="mcpconfiguration", name="one_mcp_configuration_per_toolkit"
        ),
        migrations.RemoveField(model_name="mcpconfiguration", name="toolkit_key"),
        migrations.AlterField(
            model_name="mcpconfiguration",
            name="tool",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="catalog.tool"
            ),
        ),
    ]
