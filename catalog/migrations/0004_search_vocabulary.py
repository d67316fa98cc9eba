"""The search index anew: tokens made by Toolshelf itself, and the vocabulary beside them.

It is empty after this; `manage.py rebuild_index` fills it, which `manage.py serve` does by itself where it is needed.
"""

from django.db import migrations

VOCABULARY = [
    "CREATE TABLE tool_stem (stem text{C} NOT NULL PRIMARY KEY, documents integer NOT NULL){W}",
    "CREATE TABLE tool_word (word text{C} NOT NULL PRIMARY KEY, stem text{C} NOT NULL){W}",
    "CREATE TABLE tool_typo (slip text{C} NOT NULL, word text{C} NOT NULL, PRIMARY KEY (slip, word)){W}",
]
STATEMENTS = {
    "sqlite": [
        "DROP TABLE tool_search",
        *(statement.format(C="", W=" WITHOUT ROWID") for statement in VOCABULARY),
        """
        CREATE TABLE tool_text (
            tool_id integer NOT NULL PRIMARY KEY,
            names text NOT NULL, about text NOT NULL, takes text NOT NULL, around text NOT NULL, keys text NOT NULL,
            fields text NOT NULL
        )
        """,
        """
        CREATE VIRTUAL TABLE tool_search USING fts5(
            names, about, takes, around, keys,
            content = 'tool_text', content_rowid = 'tool_id', tokenize = 'ascii tokenchars _'
        )
        """,
        "INSERT INTO tool_search (tool_search, rank) VALUES ('rank', 'bm25(6.0, 3.0, 1.0, 0.5, 0.0)')",
    ],
    "postgresql": [
        "DROP TABLE tool_search",
        *(statement.format(C=' COLLATE "C"', W="") for statement in VOCABULARY),
        """
        CREATE TABLE tool_search (
            tool_id bigint PRIMARY KEY,
            tokens tsvector NOT NULL,
            names text NOT NULL, about text NOT NULL, takes text NOT NULL, around text NOT NULL, keys text NOT NULL,
            fields text NOT NULL
        )
        """,
        "CREATE INDEX tool_search_tokens ON tool_search USING gin (tokens)",
    ],
}


def create(apps, schema_editor):  # noqa: ARG001
    for statement in STATEMENTS[schema_editor.connection.vendor]:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_tool_takes")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
