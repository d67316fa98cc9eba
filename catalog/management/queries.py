"""Find the tools that a command names with a query."""

from __future__ import annotations

from django.core.management.base import CommandError

from catalog.index.parser import Query
from catalog.index.visibility import ALL_TOOLS
from catalog.search.catalog_search import CatalogSearch
from catalog.tools.models import ToolQuerySet


def tools_of_query(text: str) -> ToolQuerySet:
    """The tools that match a query of the catalog's page, including archived ones.

    Raises:
        CommandError: the query is empty, has a fault, or depends on the person.
    """
    query = Query.from_text(text)
    if query.problems or query.personal or not query:
        why = " ".join(problem.message for problem in query.problems) or (
            "`is:starred` and `owner:me` do not work in commands."
            if query.personal
            else "It is empty."
        )
        raise CommandError(
            f"The query is not valid and might match the wrong tools. {why}", returncode=2
        )
    return CatalogSearch(words=text, archived=True, visibility=ALL_TOOLS).matching_all()
