"""Search the catalog: parse a query, find tools, rank them, and explain why they match.

A search takes these steps:

    parser.py                       parse the query
    filters.py                      its filters: `has:examples`
    filter_corrections.py           corrections for a wrong filter
    plan.py                         the meaning of its words in this catalog
    synonyms.py (.txt)              other words that a word may match
    typos.py                        the words that an unknown word may have meant
    verbs.py                        actions of tools, by their verbs
    visibility.py                   the tools that a person may see
    retrieval.py                    find candidates, and order them
    ranking.py                      score a candidate
    explain.py, highlight.py        explain why it matches, and mark the matching words

It reads what indexing wrote:

    document.py, schema_fields.py   the tokens of a tool that are indexed
    tokenizer.py, stemmer.py        split text into tokens
    vocabulary.py                   the words of the catalog and their frequency
    boolean_query.py                expressions of tokens, translated for each database
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
    return _make_index(connection.vendor)


@cache
def _make_index(vendor: str) -> SearchIndex:
    """The index for a database, of which only the module in use is imported."""
    if vendor == "sqlite":
        from catalog.index.sqlite import SQLiteIndex  # noqa: PLC0415

        return SQLiteIndex()
    if vendor == "postgresql":
        from catalog.index.postgres import PostgresIndex  # noqa: PLC0415

        return PostgresIndex()
    raise ImproperlyConfigured(f"Toolshelf searches in SQLite and PostgreSQL, not in {vendor}.")
