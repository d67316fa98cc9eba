"""All tables of this app. A site to which all replaced migrations were applied counts as migrated."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import playground.models
from toolshelf_core.db.create_models import CreateModels


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("playground", "0001_initial"),
        ("playground", "0002_delete_runs_with_person"),
        ("playground", "0003_mcp_calls"),
        ("playground", "0004_run_turn"),
        ("playground", "0005_factory_rescan"),
        ("playground", "0006_shared_configurations"),
        ("playground", "0007_run_files"),
        ("playground", "0008_rights"),
        ("playground", "0009_check_has_all_runs"),
        ("playground", "0010_run_indexes"),
        ("playground", "0011_saved_inputs"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("catalog", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name="Run",
                    fields=[
                        (
                            "id",
                            models.CharField(
                                default=playground.runs.models.new_run_id,
                                editable=False,
                                max_length=32,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        (
                            "mode",
                            models.CharField(
                                choices=[("live", "live"), ("mock", "mock")],
                                default="live",
                                max_length=8,
                            ),
                        ),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("returned", "returned"),
                                    ("raised", "raised"),
                                    ("timed_out", "timed_out"),
                                    ("cancelled", "cancelled"),
                                    ("crashed", "crashed"),
                                    ("refused", "refused"),
                                ],
                                default="queued",
                                max_length=12,
                            ),
                        ),
                        ("parameters_json", models.TextField()),
                        ("response_json", models.TextField(null=True)),
                        ("response_cut", models.BooleanField(default=False)),
                        ("file_count", models.PositiveSmallIntegerField(default=0)),
                        ("verdict", models.CharField(blank=True, max_length=10)),
                        ("verdict_reason", models.TextField(blank=True)),
                        ("problems_json", models.TextField(default="[]")),
                        ("problems_truncated", models.BooleanField(default=False)),
                        ("error", models.TextField(blank=True)),
                        ("mock_json", models.TextField(blank=True)),
                        ("stdout", models.TextField(blank=True)),
                        ("stderr", models.TextField(blank=True)),
                        ("stdout_dropped", models.PositiveBigIntegerField(default=0)),
                        ("stderr_dropped", models.PositiveBigIntegerField(default=0)),
                        ("factory", models.CharField(blank=True, max_length=200)),
                        ("configuration_fingerprint", models.CharField(blank=True, max_length=64)),
                        ("configuration_name", models.CharField(blank=True, max_length=255)),
                        ("timeout_s", models.FloatField(default=0)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("turn", models.PositiveBigIntegerField(default=0)),
                        ("queue_ms", models.FloatField(null=True)),
                        ("start_ms", models.FloatField(null=True)),
                        ("call_ms", models.FloatField(null=True)),
                        ("check_ms", models.FloatField(null=True)),
                        ("progress_done", models.FloatField(null=True)),
                        ("progress_total", models.FloatField(null=True)),
                        ("progress_message", models.CharField(blank=True, max_length=200)),
                        ("interface", models.CharField(blank=True, max_length=8)),
                        ("mcp_request", models.CharField(blank=True, max_length=64)),
                        ("example_number", models.PositiveSmallIntegerField(null=True)),
                        ("host", models.CharField(blank=True, max_length=60)),
                        ("seen_at", models.DateTimeField(null=True)),
                        ("cancel_requested_at", models.DateTimeField(null=True)),
                        (
                            "by",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="runs",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "example_check",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="runs",
                                to="playground.examplecheck",
                            ),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="runs",
                                to="catalog.revision",
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="runs",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                fields=["-id", "outcome", "verdict", "mode", "call_ms"],
                                name="run_by_time",
                            ),
                            models.Index(
                                fields=["by", "-id", "outcome", "verdict", "mode", "call_ms"],
                                name="run_by_person",
                            ),
                            models.Index(
                                condition=models.Q(("outcome__in", ["queued", "running"])),
                                fields=["host"],
                                name="run_active",
                            ),
                            models.Index(
                                fields=["tool", "-id", "outcome", "verdict", "mode", "call_ms"],
                                name="run_by_tool",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WorkerHeartbeat",
                    fields=[
                        (
                            "host",
                            models.CharField(max_length=60, primary_key=True, serialize=False),
                        ),
                        ("seen_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="ExampleCheck",
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
                        ("exactly", models.BooleanField(default=True)),
                        ("ignored_json", models.TextField(default="[]")),
                        ("factory", models.CharField(blank=True, max_length=200)),
                        ("passed", models.PositiveIntegerField(default=0)),
                        ("failed", models.PositiveIntegerField(default=0)),
                        ("has_all_runs", models.BooleanField(default=False)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("finished_at", models.DateTimeField(null=True)),
                        (
                            "by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="example_checks",
                                to="catalog.revision",
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="example_checks",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["tool", "-id"], name="check_by_tool")],
                    },
                ),
                migrations.CreateModel(
                    name="FactoryRescan",
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
                        ("requested_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="MCPConfiguration",
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
                        ("name", models.CharField(max_length=255)),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("owner", "tool"),
                                name="one_mcp_configuration_per_tool",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("tool", None)),
                                fields=("owner", "toolkit_key"),
                                name="one_mcp_configuration_per_toolkit",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QueuedMessage",
                    fields=[
                        (
                            "run",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="+",
                                serialize=False,
                                to="playground.run",
                            ),
                        ),
                        ("encrypted", models.TextField()),
                        ("sent_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                ),
                migrations.CreateModel(
                    name="RunCounter",
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
                        ("outcome", models.CharField(max_length=12)),
                        ("mode", models.CharField(max_length=8)),
                        ("bucket", models.PositiveSmallIntegerField()),
                        ("count", models.PositiveBigIntegerField(default=0)),
                        ("seconds", models.FloatField(default=0)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("outcome", "mode", "bucket"),
                                name="one_counter_per_bucket",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RunFile",
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
                        ("number", models.PositiveSmallIntegerField()),
                        ("name", models.CharField(max_length=150)),
                        ("media_type", models.CharField(max_length=150)),
                        ("pointer", models.TextField(blank=True)),
                        ("is_whole_response", models.BooleanField(default=False)),
                        ("size", models.PositiveBigIntegerField()),
                        ("sha256", models.CharField(max_length=64)),
                        ("content", models.BinaryField()),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="files",
                                to="playground.run",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "number"),
                                name="one_run_file_per_number",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedConfiguration",
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
                        ("name", models.CharField(max_length=100)),
                        ("encrypted", models.TextField()),
                        (
                            "visibility",
                            models.CharField(
                                choices=[("private", "only its owner"), ("everyone", "everyone")],
                                default="private",
                                max_length=10,
                            ),
                        ),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "groups",
                            models.ManyToManyField(blank=True, related_name="+", to="auth.group"),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="saved_configurations",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="saved_configurations",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("owner", "tool", "name"),
                                name="one_configuration_per_name",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedInput",
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
                        ("name", models.CharField(max_length=100)),
                        ("parameters_json", models.TextField()),
                        ("revision_number", models.PositiveIntegerField()),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="catalog.tool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("owner", "tool", "name"),
                                name="one_saved_input_per_name",
                            ),
                        ],
                    },
                ),
            ]
        ),
    ]
