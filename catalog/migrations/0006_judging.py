"""How revisions were judged, what of it lists show, and waivers of findings."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0005_organising"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Judgement",
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
                ("judged_by", models.PositiveIntegerField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Waiver",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rule", models.CharField(max_length=60)),
                ("pointer", models.CharField(blank=True, max_length=500)),
                ("reason", models.CharField(max_length=500)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="tool",
            name="grade",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="score",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_anthropic",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_gemini",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_langchain",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_mcp",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_openai",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_openai_strict",
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name="tool",
            name="usable_openapi",
            field=models.BooleanField(null=True),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(condition=models.Q(("score", None)), fields=["id"], name="tool_unjudged"),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("grade__isnull", False)), fields=["grade", "sort_name", "id"], name="tool_by_grade"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_mcp", True)), fields=["sort_name", "id"], name="tool_usable_mcp"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_openai", True)), fields=["sort_name", "id"], name="tool_usable_openai"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_openai_strict", True)),
                fields=["sort_name", "id"],
                name="tool_usable_openai_strict",
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_anthropic", True)), fields=["sort_name", "id"], name="tool_usable_anthropic"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_gemini", True)), fields=["sort_name", "id"], name="tool_usable_gemini"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_langchain", True)), fields=["sort_name", "id"], name="tool_usable_langchain"
            ),
        ),
        migrations.AddIndex(
            model_name="tool",
            index=models.Index(
                condition=models.Q(("usable_openapi", True)), fields=["sort_name", "id"], name="tool_usable_openapi"
            ),
        ),
        migrations.AddField(
            model_name="waiver",
            name="created_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="waiver",
            name="tool",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="waivers", to="catalog.tool"
            ),
        ),
        migrations.AddConstraint(
            model_name="waiver",
            constraint=models.UniqueConstraint(fields=("tool", "rule", "pointer"), name="one_waiver_per_place"),
        ),
    ]
