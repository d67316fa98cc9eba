"""Search: what the committed questions and queries in the query language find among all committed specs."""

from __future__ import annotations

import json

import pytest

from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of
from catalog.search.results import page_of
from catalog.tools.publishing import publish_many
from tests.golden.expected import Case, check, computed_once, digest
from tests.golden.inputs import rows, specs

pytestmark = pytest.mark.django_db

QUESTIONS_EVERY = 4
FACETS_EVERY = 6
QUERIES = (
    "", "weather", "github", "Get weather", "list pull requests", '"pull request"', "pull -request", "iss*", "redis*",
    "takes:location", "takes:owner:string", "takes:city:number", "returns:temperature", "needs:configuration",
    "has:examples", "-has:examples", "tag:mail", "toolkit:github-mcp-server", "toolkit:metatool weather",
    "is:deprecated", "runnable:yes", "runnable:no get", "usable:openai-strict", "usable:gemini score:90", "score:90",
    "examples:pass", "wether", "githbu issue", "retrive repositry", "travel -flight", "delete OR remove", "get_weather",
    "getWeather", "a", "zzzzzz", "sends mail to the moon", "(", '"', "naïve café", "calculate area of a triangle",
    "takes:", "needs:apiKey", "create update delete", "score:abc", "usable:nothing",
)  # fmt: skip


def queries():
    for query in QUERIES:
        yield f"query {query}", query, True
    for index, row in enumerate(rows("queries")[::QUESTIONS_EVERY]):
        one = json.loads(row)
        yield f"question {one['qid']}", one["query"], index % FACETS_EVERY == 0


@computed_once
def found():
    publish_many(list(specs().values()), by=None, assess=True)
    for name, query, with_facets in queries():
        search = CatalogSearch(words=query, limit=10)
        page = page_of(search)
        facts = {
            "ids": [result.tool.tool_id for result in page.results],
            "count": [page.count, page.counted, page.loosely, page.holding_all],
            "corrections": [list(pair) for pair in page.corrections],
        }
        prose = ""
        if with_facets:
            facets = facets_of(search)
            facts["facets"] = digest(
                [[facts_of(option) for option in facet.options] for facet in facets]
            )
            prose = [
                [facet.label, facet.note, [option.label for option in facet.options]]
                for facet in facets
            ]
        yield Case(name, {name: value for name, value in facts.items() if value}, prose)


def facts_of(option):
    return [option.query, option.count, option.counted, option.chosen]


@pytest.mark.parametrize("field", ["facts", "prose"])
def test_what_a_search_finds_is_as_before(field):
    check("search", field, found())
