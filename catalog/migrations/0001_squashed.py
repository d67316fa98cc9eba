"""All tables of this app. A site to which all replaced migrations were applied counts as migrated."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import catalog.uploads.models
from toolshelf_core.db.append_only import protect, unprotect
from toolshelf_core.db.create_models import CreateModels

# The search index and what it counts: tables without models, because each database has its own kind of full-text index.
# They are empty at first; publishing fills them, and `manage.py rebuild_index` fills them from the stored specs.
PLAIN_TABLES = [
    "CREATE TABLE tool_stem (stem text{C} NOT NULL PRIMARY KEY, documents integer NOT NULL){W}",
    "CREATE TABLE tool_word (word text{C} NOT NULL PRIMARY KEY, stem text{C} NOT NULL){W}",
    "CREATE TABLE tool_typo (misspelling text{C} NOT NULL, word text{C} NOT NULL, PRIMARY KEY (misspelling, word)){W}",
    """
    CREATE TABLE tool_group (
        token text{C} NOT NULL PRIMARY KEY, kind text NOT NULL, name text NOT NULL, tools integer NOT NULL
    ){W}
    """,
    "CREATE INDEX tool_group_by_size ON tool_group (kind, tools DESC, token)",
]
INDEXED_COLUMNS = """
    names text NOT NULL, about text NOT NULL, takes text NOT NULL, around text NOT NULL, keys text NOT NULL,
    fields text NOT NULL
"""
SEARCH_TABLES = {
    "sqlite": [
        *(statement.format(C="", W=" WITHOUT ROWID") for statement in PLAIN_TABLES),
        f"CREATE TABLE tool_text (tool_id integer NOT NULL PRIMARY KEY, {INDEXED_COLUMNS})",
        """
        CREATE VIRTUAL TABLE tool_search USING fts5(
            names, about, takes, around, keys,
            content = 'tool_text', content_rowid = 'tool_id', tokenize = 'ascii tokenchars _'
        )
        """,
        "INSERT INTO tool_search (tool_search, rank) VALUES ('rank', 'bm25(6.0, 3.0, 1.0, 0.5, 0.0)')",
    ],
    "postgresql": [
        *(statement.format(C=' COLLATE "C"', W="") for statement in PLAIN_TABLES),
        f"CREATE TABLE tool_search (tool_id bigint PRIMARY KEY, tokens tsvector NOT NULL, {INDEXED_COLUMNS})",
        "CREATE INDEX tool_search_tokens ON tool_search USING gin (tokens)",
    ],
}
TABLES = {
    "sqlite": ["tool_search", "tool_text", "tool_stem", "tool_word", "tool_typo", "tool_group"],
    "postgresql": ["tool_search", "tool_stem", "tool_word", "tool_typo", "tool_group"],
}


def create_search_tables(apps, schema_editor):  # noqa: ARG001
    for statement in SEARCH_TABLES[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop_search_tables(apps, schema_editor):  # noqa: ARG001
    for table in TABLES[schema_editor.connection.vendor]:
        schema_editor.execute(f"DROP TABLE IF EXISTS {table}")


def append_only(apps, schema_editor):
    protect(schema_editor.connection, apps.get_model("catalog", "AuditEvent")._meta.db_table)


def writable(apps, schema_editor):
    unprotect(schema_editor.connection, apps.get_model("catalog", "AuditEvent")._meta.db_table)


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("catalog", "0001_initial"),
        ("catalog", "0002_revision_origins_and_import_choices"),
        ("catalog", "0003_usable_mcp_2026_07_28"),
        ("catalog", "0004_sources"),
        ("catalog", "0005_audit_log"),
        ("catalog", "0006_webhooks"),
        ("catalog", "0007_rights"),
        ("catalog", "0008_held_change_toolkit"),
        ("catalog", "0009_stars"),
        ("catalog", "0010_upload_reports"),
        ("catalog", "0011_tools_by_score_and_date"),
        ("catalog", "0012_assessment_findings"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name="Revision",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("source", models.TextField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("origin_kind", models.CharField(blank=True, max_length=20, null=True)),
                        ("origin_name", models.CharField(blank=True, max_length=255, null=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="revisions",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tool", "number"),
                                name="one_revision_per_number",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Assessment",
                    fields=[
                        (
                            "revision",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                serialize=False,
                                to="catalog.revision",
                            ),
                        ),
                        ("score", models.PositiveSmallIntegerField()),
                        ("usable", models.CharField(blank=True, max_length=200)),
                        ("findings", models.TextField(blank=True)),
                        ("assessed_by", models.PositiveIntegerField(db_index=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="Audience",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("toolkit_key", models.CharField(blank=True, max_length=100)),
                        ("signed_in", models.BooleanField(default=False)),
                        ("digest", models.CharField(max_length=64, unique=True)),
                        ("groups", models.ManyToManyField(related_name="+", to="auth.group")),
                        (
                            "people",
                            models.ManyToManyField(related_name="+", to=settings.AUTH_USER_MODEL),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="AuditEvent",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("at", models.DateTimeField(db_index=True)),
                        ("action", models.CharField(max_length=30)),
                        ("object_type", models.CharField(max_length=20)),
                        ("object_id", models.CharField(max_length=255)),
                        (
                            "interface",
                            models.CharField(
                                choices=[
                                    ("page", "Page"),
                                    ("api", "API"),
                                    ("mcp", "MCP"),
                                    ("command", "Command"),
                                    ("sync", "Source sync"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("person", models.CharField(blank=True, max_length=150)),
                        ("person_key", models.BigIntegerField(null=True)),
                        ("client", models.CharField(blank=True, max_length=200)),
                        ("address", models.CharField(blank=True, max_length=64)),
                        ("request_id", models.CharField(blank=True, max_length=64)),
                        ("before", models.TextField(blank=True)),
                        ("after", models.TextField(blank=True)),
                    ],
                    options={
                        "ordering": ["-pk"],
                        "indexes": [
                            models.Index(fields=["object_id", "id"], name="audit_of_object"),
                            models.Index(fields=["person", "id"], name="audit_of_person"),
                            models.Index(fields=["action", "id"], name="audit_of_action"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Source",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=40, unique=True)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("mcp-http", "MCP server (HTTP)"),
                                    ("mcp-stdio", "MCP server (command)"),
                                    ("openapi", "OpenAPI document"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("address", models.CharField(blank=True, max_length=2000)),
                        ("document", models.TextField(blank=True)),
                        ("credentials", models.TextField(blank=True)),
                        (
                            "policy",
                            models.CharField(
                                choices=[
                                    ("compatible", "Compatible changes only"),
                                    ("automatic", "All changes"),
                                    ("review", "No changes"),
                                ],
                                default="compatible",
                                max_length=10,
                            ),
                        ),
                        ("every_minutes", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "next_sync_at",
                            models.DateTimeField(blank=True, db_index=True, null=True),
                        ),
                        ("title", models.CharField(blank=True, max_length=200)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="Tool",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("tool_id", models.CharField(max_length=255, unique=True)),
                        ("slug", models.CharField(max_length=120, unique=True)),
                        ("name", models.CharField(max_length=255)),
                        ("sort_name", models.CharField(max_length=80)),
                        ("description", models.TextField(blank=True)),
                        ("takes", models.CharField(blank=True, max_length=160)),
                        ("configurable", models.BooleanField(default=False)),
                        ("has_examples", models.BooleanField(default=False)),
                        ("has_return_type", models.BooleanField(default=False)),
                        ("archived_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "visibility",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("everyone", "Everyone"),
                                    ("signed-in", "Signed-in people"),
                                    ("groups", "Groups, besides the owner and the maintainers"),
                                ],
                                max_length=10,
                                null=True,
                            ),
                        ),
                        ("toolkit", models.CharField(blank=True, max_length=100)),
                        ("toolkit_key", models.CharField(blank=True, max_length=100)),
                        ("toolkit_chosen", models.BooleanField(default=False)),
                        ("spec_tags", models.TextField(blank=True)),
                        ("added_tags", models.TextField(blank=True)),
                        ("deprecated_at", models.DateTimeField(blank=True, null=True)),
                        ("deprecation_chosen", models.BooleanField(default=False)),
                        ("deprecation_note", models.CharField(blank=True, max_length=500)),
                        ("score", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("grade", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("usable_mcp", models.BooleanField(null=True)),
                        ("usable_mcp_2026_07_28", models.BooleanField(null=True)),
                        ("usable_openai", models.BooleanField(null=True)),
                        ("usable_openai_strict", models.BooleanField(null=True)),
                        ("usable_anthropic", models.BooleanField(null=True)),
                        ("usable_gemini", models.BooleanField(null=True)),
                        ("usable_langchain", models.BooleanField(null=True)),
                        ("usable_openapi", models.BooleanField(null=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "audience",
                            models.ForeignKey(
                                blank=True,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tools",
                                to="catalog.audience",
                            ),
                        ),
                        (
                            "current",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="catalog.revision",
                            ),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "maintainer_groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "maintainers",
                            models.ManyToManyField(
                                blank=True,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "superseded_by",
                            models.ForeignKey(
                                blank=True,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="supersedes",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("archived_at", None)),
                                fields=["sort_name", "id"],
                                name="tool_by_name",
                            ),
                            models.Index(
                                condition=models.Q(("archived_at__isnull", False)),
                                fields=["sort_name", "id"],
                                name="tool_archived",
                            ),
                            models.Index(
                                fields=["toolkit_key", "sort_name", "id"], name="tool_by_toolkit"
                            ),
                            models.Index(fields=["owner", "sort_name", "id"], name="tool_by_owner"),
                            models.Index(
                                condition=models.Q(("superseded_by__isnull", False)),
                                fields=["superseded_by"],
                                name="tool_superseded",
                            ),
                            models.Index(
                                condition=models.Q(("audience__isnull", False)),
                                fields=["audience"],
                                name="tool_restricted",
                            ),
                            models.Index(
                                condition=models.Q(("score", None)),
                                fields=["id"],
                                name="tool_unassessed",
                            ),
                            models.Index(
                                condition=models.Q(("score__isnull", False)),
                                fields=["-score", "sort_name", "id"],
                                name="tool_by_score",
                            ),
                            models.Index(fields=["-updated_at", "-id"], name="tool_by_date"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Star",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "user",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="stars",
                                related_query_name="star",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at", "-pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("user", "tool"), name="one_star_per_person"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SourceTool",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("tool_id", models.CharField(max_length=255)),
                        ("remote_name", models.CharField(max_length=255)),
                        ("listed_sha256", models.CharField(max_length=64)),
                        ("published_sha256", models.CharField(blank=True, max_length=64)),
                        ("gone_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "source",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tools",
                                to="catalog.source",
                            ),
                        ),
                        (
                            "catalog_tool",
                            models.OneToOneField(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="source_tool",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["tool_id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("source", "tool_id"),
                                name="one_row_per_source_tool",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Toolkit",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.CharField(max_length=100, unique=True)),
                        ("name", models.CharField(max_length=100)),
                        (
                            "visibility",
                            models.CharField(
                                choices=[
                                    ("everyone", "Everyone"),
                                    ("signed-in", "Signed-in people"),
                                    ("groups", "Groups, besides the owner and the maintainers"),
                                ],
                                default="everyone",
                                max_length=10,
                            ),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "maintainer_groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "maintainers",
                            models.ManyToManyField(
                                blank=True,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["key"],
                    },
                ),
                migrations.CreateModel(
                    name="ToolTag",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("key", models.CharField(max_length=100)),
                        ("sort_name", models.CharField(max_length=80)),
                        (
                            "tool",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tag_rows",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["key", "sort_name", "tool"], name="tool_by_tag")
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("tool", "key"), name="one_row_per_tag"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Upload",
                    fields=[
                        (
                            "id",
                            models.CharField(
                                default=catalog.uploads.models.new_upload_id,
                                editable=False,
                                max_length=32,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("names", models.TextField()),
                        ("dry_run", models.BooleanField(default=False)),
                        ("prefix", models.CharField(blank=True, max_length=255, null=True)),
                        ("replace", models.BooleanField(default=False)),
                        (
                            "created_at",
                            models.DateTimeField(db_index=True, default=django.utils.timezone.now),
                        ),
                        ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "lease_id",
                            models.CharField(
                                default=catalog.uploads.models.new_upload_id,
                                editable=False,
                                max_length=32,
                            ),
                        ),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("failed", models.BooleanField(default=False)),
                        ("total", models.PositiveIntegerField(blank=True, null=True)),
                        ("read", models.PositiveIntegerField(default=0)),
                        ("created", models.PositiveIntegerField(default=0)),
                        ("revised", models.PositiveIntegerField(default=0)),
                        ("unchanged", models.PositiveIntegerField(default=0)),
                        ("held", models.PositiveIntegerField(default=0)),
                        ("rejected", models.PositiveIntegerField(default=0)),
                        ("breaking", models.PositiveIntegerField(default=0)),
                        ("warned", models.PositiveIntegerField(default=0)),
                        (
                            "by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="uploads",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="UploadedSpec",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        ("source", models.TextField()),
                        ("line", models.PositiveIntegerField()),
                        ("outcome", models.CharField(max_length=10)),
                        ("tool_id", models.CharField(blank=True, max_length=255)),
                        ("name", models.CharField(blank=True, max_length=255)),
                        ("slug", models.CharField(blank=True, max_length=120)),
                        ("revision", models.PositiveIntegerField(default=0)),
                        ("archived", models.BooleanField(default=False)),
                        ("rank", models.PositiveSmallIntegerField(default=5)),
                        ("warnings", models.PositiveSmallIntegerField(default=0)),
                        ("details_json", models.TextField(blank=True)),
                        ("text", models.TextField(blank=True)),
                        (
                            "upload",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="specs",
                                to="catalog.upload",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                fields=["upload", "outcome", "position"],
                                name="uploaded_by_outcome",
                            ),
                            models.Index(
                                fields=["upload", "rank", "position"], name="uploaded_by_rank"
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("upload", "position"),
                                name="one_spec_per_position",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Waiver",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("rule", models.CharField(max_length=60)),
                        ("pointer", models.CharField(blank=True, max_length=500)),
                        ("reason", models.CharField(max_length=500)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "created_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="waivers",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("tool", "rule", "pointer"),
                                name="one_waiver_per_pointer",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Webhook",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("url", models.CharField(max_length=2000)),
                        ("events", models.JSONField(default=list)),
                        ("toolkits", models.JSONField(default=list)),
                        ("toolkit_keys", models.JSONField(default=list)),
                        ("is_active", models.BooleanField(default=True)),
                        ("inactive_reason", models.CharField(blank=True, max_length=200)),
                        ("secret", models.TextField()),
                        ("old_secret", models.TextField(blank=True)),
                        ("old_secret_until", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "created_by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                    },
                ),
                migrations.CreateModel(
                    name="WebhookDelivery",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("message_id", models.CharField(max_length=40)),
                        ("event", models.CharField(max_length=20)),
                        ("data_json", models.TextField()),
                        ("body", models.TextField(blank=True)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("delivered", "Delivered"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        ("next_at", models.DateTimeField(blank=True, null=True)),
                        ("status", models.PositiveIntegerField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, max_length=500)),
                        ("duration_ms", models.FloatField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("last_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "webhook",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="deliveries",
                                to="catalog.webhook",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-pk"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "waiting")),
                                fields=["next_at"],
                                name="delivery_due",
                            ),
                            models.Index(fields=["created_at"], name="delivery_by_age"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="HeldChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("tool_id", models.CharField(db_index=True, max_length=255)),
                        ("toolkit_key", models.CharField(blank=True, max_length=100)),
                        ("text", models.TextField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("definition_sha256", models.CharField(blank=True, max_length=64)),
                        ("origin_kind", models.CharField(max_length=20)),
                        ("origin_name", models.CharField(blank=True, max_length=255)),
                        ("verdict", models.CharField(blank=True, max_length=10)),
                        ("reason", models.CharField(max_length=200)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("held", "Waiting for approval"),
                                    ("approved", "Approved"),
                                    ("rejected", "Rejected"),
                                    ("replaced", "Replaced by a later change"),
                                ],
                                default="held",
                                max_length=10,
                            ),
                        ),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "base",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="catalog.revision",
                            ),
                        ),
                        (
                            "decided_by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "proposed_by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="held_changes",
                                to="catalog.source",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created_at", "-pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("state", "held")),
                                fields=("tool_id", "source"),
                                name="one_held_change_per_source_tool",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SourceSync",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("started_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("error", models.TextField(blank=True)),
                        ("listed", models.PositiveIntegerField(default=0)),
                        ("created", models.PositiveIntegerField(default=0)),
                        ("revised", models.PositiveIntegerField(default=0)),
                        ("unchanged", models.PositiveIntegerField(default=0)),
                        ("held", models.PositiveIntegerField(default=0)),
                        ("refused", models.PositiveIntegerField(default=0)),
                        ("gone", models.PositiveIntegerField(default=0)),
                        ("returned", models.PositiveIntegerField(default=0)),
                        ("changes_json", models.TextField(blank=True)),
                        (
                            "by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="syncs",
                                to="catalog.source",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-started_at", "-pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at", None)),
                                fields=("source",),
                                name="one_sync_per_source",
                            ),
                        ],
                    },
                ),
            ]
        ),
        migrations.RunPython(create_search_tables, drop_search_tables),
        migrations.RunPython(append_only, writable),
    ]
