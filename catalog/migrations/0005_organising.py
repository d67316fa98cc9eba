"""Owner, toolkit, tags and deprecation of tools; and how many tools each toolkit and tag has.

The search index is empty after this, because it holds more of each tool: `manage.py rebuild_index` fills it, and the new
columns too, which `manage.py serve` does by itself where it is needed.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

GROUPS = [
    """
    CREATE TABLE tool_group (
        token text{C} NOT NULL PRIMARY KEY, kind text NOT NULL, name text NOT NULL, tools integer NOT NULL
    ){W}
    """,
    "CREATE INDEX tool_group_by_size ON tool_group (kind, tools DESC, token)",
]
EMPTY = [f"DELETE FROM {table}" for table in ("tool_stem", "tool_word", "tool_typo")]  # noqa: S608 - our own names
STATEMENTS = {
    "sqlite": [
        *(statement.format(C="", W=" WITHOUT ROWID") for statement in GROUPS),
        "INSERT INTO tool_search (tool_search) VALUES ('delete-all')",
        "DELETE FROM tool_text",
        *EMPTY,
    ],
    "postgresql": [
        *(statement.format(C=' COLLATE "C"', W="") for statement in GROUPS),
        "DELETE FROM tool_search",
        *EMPTY,
    ],
}


def create(apps, schema_editor):  # noqa: ARG001
    for statement in STATEMENTS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def name_owners(apps, schema_editor):
    """Who published a tool first owns it."""
    first = apps.get_model("catalog", "Revision").objects.filter(tool=models.OuterRef("pk"), number=1)
    tools = apps.get_model("catalog", "Tool").objects.using(schema_editor.connection.alias)
    tools.update(owner=models.Subquery(first.values("created_by")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0004_search_vocabulary"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolTag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=100)),
                ("sort_name", models.CharField(max_length=80)),
            ],
        ),
        migrations.AddField(
            model_name="tool",
            name="added_tags",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="deprecated_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="deprecation_chosen",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="tool",
            name="deprecation_note",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="tool",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="tool",
            name="spec_tags",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="superseded_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="supersedes",
                to="catalog.tool",
            ),
        ),
        migrations.AddField(
            model_name="tool",
            name="toolkit",
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddField(
            model_name="tool",
            name="toolkit_chosen",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="tool",
            name="toolkit_key",
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("deprecated_at__isnull", False)), fields=["sort_name", "id"], name="tool_deprecated"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(fields=["toolkit_key", "sort_name", "id"], name="tool_by_toolkit"),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(fields=["owner", "sort_name", "id"], name="tool_by_owner"),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("superseded_by__isnull", False)), fields=["superseded_by"], name="tool_superseded"
            ),
        ),
        migrations.AddField(
            model_name="tooltag",
            name="tool",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="tag_rows", to="catalog.tool"
            ),
        ),
        migrations.AddIndex(
            model_name="tooltag",
            index=models.Index(fields=["key", "sort_name", "tool"], name="tool_by_tag"),
        ),
        migrations.AddConstraint(
            model_name="tooltag",
            constraint=models.UniqueConstraint(fields=("tool", "key"), name="one_row_per_tag"),
        ),
        migrations.RunPython(create, migrations.RunPython.noop),
        migrations.RunPython(name_owners, migrations.RunPython.noop),
    ]
