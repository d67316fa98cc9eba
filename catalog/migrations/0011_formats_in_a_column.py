"""Store the formats that accept a tool in one column, and no grade, which follows from the score."""

from django.db import migrations, models
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

COLUMNS = {
    "usable_mcp": "mcp",
    "usable_mcp_2026_07_28": "mcp-2026-07-28",
    "usable_openai": "openai",
    "usable_openai_strict": "openai-strict",
    "usable_anthropic": "anthropic",
    "usable_gemini": "gemini",
    "usable_langchain": "langchain",
    "usable_openapi": "openapi",
}
GRADES = (0, 70, 90)


def copy_formats(apps: StateApps, _schema_editor) -> None:
    """Copy them from the assessments of the current revisions, which list them already."""
    assessments = apps.get_model("catalog", "Assessment").objects
    of_current = assessments.filter(revision=OuterRef("current")).values("usable")
    assessed = apps.get_model("catalog", "Tool").objects.exclude(score=None)
    assessed.update(usable_formats=Coalesce(Subquery(of_current), Value("")))


def restore_columns(apps: StateApps, _schema_editor) -> None:
    assessed = apps.get_model("catalog", "Tool").objects.exclude(score=None)
    for text in list(assessed.values_list("usable_formats", flat=True).distinct()):
        keys = text.split()
        accepted = {column: key in keys for column, key in COLUMNS.items()}
        assessed.filter(usable_formats=text).update(**accepted)
    for grade in GRADES:
        assessed.filter(score__gte=grade).update(grade=grade)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0010_checks_in_a_page")]

    operations = [
        migrations.AddField(
            "tool", "usable_formats", models.CharField(blank=True, default="", max_length=200)
        ),
        migrations.RunPython(copy_formats, restore_columns),
        migrations.RemoveField("tool", "grade"),
        *[migrations.RemoveField("tool", column) for column in COLUMNS],
    ]
