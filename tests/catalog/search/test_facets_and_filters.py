"""Each value of a facet finds as many tools as it counts, and the same tools as its filter in a query."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.http import QueryDict

from catalog.index.visibility import ALL_TOOLS
from catalog.management.queries import tools_of_query
from catalog.organise.lifecycle import archive, deprecate
from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of
from catalog.search.results import page_of
from catalog.search.suggestions import suggest
from catalog.tools.assessments import assess_all
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from catalog.tools.stars import star
from tests.factories import make_spec, make_tool, make_user, properties
from toolspec.exports import FORMATS

pytestmark = pytest.mark.django_db

# Names that share words, or have signs that mean something in a query.
TOOLKITS = [
    "redis",
    "redis-mcp",
    "aws redis",
    "Redis Labs",
    "@scope/redis",
    "c",
    "c api",
    "näive café",
    'the "redis"',
]
TAGS = [
    "mail",
    "e-mail",
    "mail lists",
    "mail:lists",
    "Mail Server",
    ".mail",
    "#mail",
    '"mail"',
    "mail's",
    "“mail” us",
]
# The filter of each value, for the facets with fixed values. Archived tools have none.
FILTERS = {
    "Runs here": "is:runnable",
    "Mock only": "-is:runnable",
    "Below 80": "score:<80",
    "Configuration": "needs:configuration",
    "No configuration": "needs:nothing",
    "Examples": "has:examples",
    "Tests that pass": "examples:pass",
    "Return type": "has:returns",
    "Starred": "is:starred",
    "Owned": "owner:me",
    "Deprecated": "is:deprecated",
    **{one.label: f"usable:{key}" for key, one in FORMATS.items()},
}


@pytest.fixture
def ada(db):
    return make_user("ada")


@pytest.fixture
def catalog(ada, monkeypatch):
    """Two tools of each toolkit and one of each tag, and some in every other state."""
    for number, toolkit in enumerate(TOOLKITS):
        make_tool(f"{toolkit}.one", description="Sends mail to redis.")
        make_tool(f"{toolkit}.two", tags=TAGS[number : number + 2], description="Reads it.")
    for number, tag in enumerate(TAGS):
        make_tool(
            f"tagged{number}",
            tags=[tag],
            parameters=properties(a={"type": "string", "description": "A."}),
        )
    make_tool("configured", configuration=properties(key={"type": "string"}))
    make_tool(
        "returning", returnType=properties(a={"type": "string"}), examples=[{"parameters": {}}]
    )
    publish(make_spec("mine"), by=ada)
    deprecate(make_tool("old"))
    archive(make_tool("archived", tags=["mail"]))
    star(make_tool("liked"), ada)
    passing = frozenset(Tool.objects.filter(tool_id="returning").values_list("pk", flat=True))
    monkeypatch.setattr(hooks, "tools_with_passing_examples", lambda: passing)
    for name in ("runnable_tool_ids", "installed_tool_ids"):
        monkeypatch.setattr(hooks, name, lambda: frozenset({"liked"}))
    list(assess_all())


def ids_of(search: CatalogSearch) -> set[str]:
    return {result.tool.tool_id for result in page_of(replace(search, limit=200)).results}


def filter_of(facet: str, label: str) -> str:
    if facet in {"Toolkit", "Tag"}:
        value = label.translate(dict.fromkeys(map(ord, '"“”'), " "))
        return f'{facet.lower()}:"{value}"'
    return FILTERS[label]


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("words", ["", "redis "])
def test_each_value_of_a_facet_finds_what_it_counts_and_what_its_filter_finds(ada, words):
    facets = facets_of(CatalogSearch(words=words, person=ada))
    options = [
        (facet.label, option)
        for facet in facets
        for option in facet.options
        if option.label != "Include archived"
    ]
    assert len(options) > (20 if not words else 10)

    for facet, option in options:
        chosen = CatalogSearch.from_query(QueryDict(option.query.removeprefix("?")), ada)
        filtered = CatalogSearch(words=f"{words}{filter_of(facet, option.label)}", person=ada)

        assert not filtered.query.problems, option
        assert len(ids_of(chosen)) == option.count, option
        assert ids_of(filtered) == ids_of(chosen), option


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize(("kind", "names"), [("toolkit", TOOLKITS), ("tag", TAGS)])
def test_pages_the_api_and_bulk_commands_select_the_same_tools_by_a_filter(stranger, kind, names):
    for name in names:
        query = filter_of(kind.capitalize(), name)
        listed = ids_of(CatalogSearch(words=query))
        answer = stranger.ask("/tools", q=query, limit="100").json()
        selected = tools_of_query(query).available()

        assert listed == {item["id"] for item in answer["items"]}
        assert listed == {tool.tool_id for tool in selected}
        assert listed == ids_of(CatalogSearch.from_query(QueryDict(urlencode({kind: name})), None))


@pytest.mark.usefixtures("catalog")
def test_a_toolkit_whose_name_is_a_word_of_others_is_organised_alone():
    call_command("organise_tools", "--query", "toolkit:redis", "--add-tag", "changed")

    changed = {tool.tool_id for tool in tools_of_query("tag:changed")}
    assert changed == {"redis.one", "redis.two"}


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("typed", ["toolkit:", "toolkit:r", "toolkit:sc", "tag:", "tag:m", "tag:e"])
def test_a_suggested_filter_finds_the_tools_that_its_note_counts(typed):
    _, suggestions = suggest(typed, ALL_TOOLS)

    assert suggestions
    for suggestion in suggestions:
        found = ids_of(CatalogSearch(words=suggestion.text))
        assert len(found) == int(suggestion.note.split()[0]), suggestion


def test_an_owner_is_found_by_the_whole_name():
    for name in ("ada", "ada.l", "ada@example.org"):
        publish(make_spec(f"of {name}"), by=make_user(name))

    for name in ("ada", "ada.l", "ada@example.org"):
        assert (
            ids_of(CatalogSearch(words=f"owner:{name}"))
            == {f"of {name}"}
            == ids_of(CatalogSearch.from_query(QueryDict(urlencode({"owner": name})), None))
        )
        assert {tool.tool_id for tool in tools_of_query(f"owner:{name}")} == {f"of {name}"}
    assert ids_of(CatalogSearch(words="owner:l")) == set()
