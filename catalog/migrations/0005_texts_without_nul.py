"""Replace U+0000 in stored texts by U+FFFD, as for every text that is stored from now on.

Only SQLite stores it. Events of the audit log cannot be changed; in them it is replaced when they are loaded elsewhere.
"""

from django.db import migrations, models
from django.db.migrations.state import StateApps

APPEND_ONLY = "catalog_auditevent"


def replace_nul(apps: StateApps, schema_editor) -> None:
    connection = schema_editor.connection
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        existing = set(connection.introspection.table_names(cursor))
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            columns = [
                field.column
                for field in model._meta.concrete_fields
                if isinstance(field, (models.CharField, models.TextField))
            ]
            if columns and table in existing and table != APPEND_ONLY:
                replace_in(cursor, table, columns)


def replace_in(cursor, table: str, columns: list[str]) -> None:
    names = ", ".join(f'"{name}"' for name in columns)
    found = " OR ".join(f"instr(CAST(\"{name}\" AS BLOB), x'00')" for name in columns)
    cursor.execute(f'SELECT rowid, {names} FROM "{table}" WHERE {found}')  # noqa: S608 - own names
    changes = ", ".join(f'"{name}" = %s' for name in columns)
    for key, *values in cursor.fetchall():
        texts = [value and value.replace("\x00", "\ufffd") for value in values]
        cursor.execute(f'UPDATE "{table}" SET {changes} WHERE rowid = %s', [*texts, key])  # noqa: S608


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitations"),
        ("catalog", "0004_moved_sources"),
        ("playground", "0004_configuration_origins"),
    ]
    operations = [migrations.RunPython(replace_nul, migrations.RunPython.noop)]
