"""Sources that are documents without a connection."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0013_columns_of_rows")]

    operations = [
        migrations.AlterField(
            "source",
            "kind",
            models.CharField(
                choices=[
                    ("mcp-http", "MCP server (HTTP)"),
                    ("mcp-stdio", "MCP server (command)"),
                    ("openapi", "OpenAPI document"),
                    ("document", "Document without a connection"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddField(
            "source", "prefix", models.CharField(blank=True, max_length=100, null=True)
        ),
        migrations.AddField("source", "left_out", models.JSONField(blank=True, default=list)),
    ]
