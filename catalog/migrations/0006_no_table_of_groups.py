"""Drop the stored numbers of tools by toolkit and tag: they are counted from the tools."""

from django.db import migrations

CREATE_EMPTY = [
    """
    CREATE TABLE tool_group (
        token text NOT NULL PRIMARY KEY, kind text NOT NULL, name text NOT NULL, tools integer NOT NULL
    )
    """,
    "CREATE INDEX tool_group_by_size ON tool_group (kind, tools DESC, token)",
]


class Migration(migrations.Migration):
    dependencies = [("catalog", "0005_texts_without_nul")]

    operations = [migrations.RunSQL("DROP TABLE tool_group", CREATE_EMPTY)]
