"""Whether a site's database is whole: by SQLite's own checks, and by what the catalog promises."""

from __future__ import annotations

from tests.site import Site
from tests.site_accounts import sql

NUMBERS = """
    SELECT t.tool_id, count(r.id), max(r.number), c.number FROM catalog_tool t
    LEFT JOIN catalog_revision r ON r.tool_id = t.id LEFT JOIN catalog_revision c ON c.id = t.current_id
    GROUP BY t.id HAVING count(r.id) IS NOT max(r.number) OR max(r.number) IS NOT c.number
"""
UNINDEXED = """
    SELECT id FROM (SELECT id FROM catalog_tool EXCEPT SELECT tool_id FROM tool_text)
    UNION SELECT tool_id FROM (SELECT tool_id FROM tool_text EXCEPT SELECT id FROM catalog_tool)
"""
# '#' stands for the state of the index
VOCABULARY = (
    "SELECT stem, documents FROM tool_stem WHERE documents != 0 AND stem != '#' ORDER BY stem"
)
TEXTS = "SELECT * FROM tool_text ORDER BY tool_id"


def faults_of(site: Site) -> list[str]:
    """The faults in the database; nothing where it is whole."""
    found = [row[0] for row in sql(site, "PRAGMA integrity_check") if row[0] != "ok"]
    found += [
        f"a row of {row[0]} points to nothing" for row in sql(site, "PRAGMA foreign_key_check")
    ]
    found += [
        f"{name}: {count} revisions up to {last}, now at {now}"
        for name, count, last, now in sql(site, NUMBERS)
    ]
    found += [
        f"tool {pk} is in the catalog or the index, not in both" for (pk,) in sql(site, UNINDEXED)
    ]
    sql(
        site, "INSERT INTO tool_search (tool_search, rank) VALUES ('integrity-check', 1)"
    )  # raises where it is not
    return found


def index_of(site: Site) -> tuple[list[tuple], list[tuple]]:
    """All that the search index knows."""
    return sql(site, VOCABULARY), sql(site, TEXTS)
