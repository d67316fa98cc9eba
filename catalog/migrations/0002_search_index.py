"""The search index: outside Django's models, because each database has its own."""

from django.db import migrations

SQLITE = [
    """
    CREATE VIRTUAL TABLE tool_search USING fts5(
        tool_id, name, description, parameters, parameter_texts, flags,
        tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    )
    """,
    "INSERT INTO tool_search(tool_search, rank) VALUES ('rank', 'bm25(4.0, 8.0, 3.0, 2.0, 1.0, 0.0)')",
]
POSTGRES = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    """
    CREATE TABLE tool_search (
        tool_id bigint PRIMARY KEY REFERENCES catalog_tool (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        name text NOT NULL,
        words tsvector NOT NULL,
        flags text[] NOT NULL,
        parameters text NOT NULL,
        parameter_texts text NOT NULL
    )
    """,
    "CREATE INDEX tool_search_words ON tool_search USING gin (words)",
    "CREATE INDEX tool_search_name ON tool_search USING gin (name gin_trgm_ops)",
]
STATEMENTS = {"sqlite": SQLITE, "postgresql": POSTGRES}


def create(apps, schema_editor):  # noqa: ARG001
    for statement in STATEMENTS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


def drop(apps, schema_editor):  # noqa: ARG001
    schema_editor.execute("DROP TABLE tool_search")


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]
    operations = [migrations.RunPython(create, drop)]
