"""Drop the stored numbers of tools by toolkit and tag: they are counted from the tools."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("catalog", "0005_texts_without_nul")]

    operations = [migrations.RunSQL("DROP TABLE tool_group", migrations.RunSQL.noop)]
