"""Search the catalog: parse a query, find tools, rank them, and explain why they match.

    tokenizer.py, stemmer.py        split text into tokens
    parser.py                       parse a query
    filters.py                      the filters of a query: `has:examples`
    filter_corrections.py           corrections for a wrong filter
    synonyms.py (.txt)              other words that a word may match
    verbs.py                        actions of tools, by their verbs
    schema_fields.py, document.py   the tokens of a tool that are indexed
    boolean_query.py                expressions of tokens, which each index translates for its database
    highlight.py                    mark the matching words of a text
    ranking.py, explain.py          score a tool, and explain why it matches
    vocabulary.py                   the words of the catalog and their frequency
    typos.py                        the words that an unknown word may have meant
    plan.py                         the meaning of a query's words in this catalog
    retrieval.py                    find candidates, and order them
    index.py                        the index: what both databases share
    sqlite.py                       the index in FTS5
    postgres.py                     the index in a tsvector with GIN

The index has a subclass per database, chosen by the database's vendor. It is written in the same
transaction as its tools. The tool's primary key identifies its row.
"""

from __future__ import annotations

from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from catalog.index.index import Match, SearchIndex

__all__ = ["Match", "SearchIndex", "search_index"]


def search_index() -> SearchIndex:
    """The index of the site's database."""
    return _index_for(connection.vendor)


@cache
def _index_for(vendor: str) -> SearchIndex:
    if vendor == "sqlite":
        from catalog.index.sqlite import SQLiteIndex  # noqa: PLC0415 - import only the backend in use

        return SQLiteIndex()
    if vendor == "postgresql":
        from catalog.index.postgres import PostgresIndex  # noqa: PLC0415

        return PostgresIndex()
    raise ImproperlyConfigured(f"Toolshelf searches in SQLite and PostgreSQL, not in {vendor}.")
