import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from catalog.management.queries import tools_of_query
from catalog.tools.models import Revision, Tool
from catalog.tools.publishing import publish, publish_many
from tests.factories import GET_WEATHER, make_spec, make_tool, properties, real_specs
from toolshelf_core.errors import RevisionConflict
from toolspec.errors import SpecError
from toolspec.spec import read_spec

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def test_a_new_spec_makes_a_tool_with_one_revision(ada):
    publication = publish(make_spec("greet", name="Greet"), by=ada)

    assert publication.outcome == "created"
    assert (publication.tool.tool_id, publication.tool.name) == ("greet", "Greet")
    assert (publication.revision.number, publication.revision.created_by) == (1, ada)
    assert Tool.objects.get().current == Revision.objects.get() == publication.revision


def test_the_text_is_stored_byte_for_byte():
    text = GET_WEATHER.read_bytes()

    revision = publish(read_spec(text), by=None).revision

    revision.refresh_from_db()
    assert revision.source.encode() == text
    assert revision.sha256 == hashlib.sha256(text).hexdigest()


def test_a_spec_uploaded_twice_makes_one_revision():
    publish(make_spec("greet"), by=None)

    again = publish(make_spec("greet"), by=None)

    assert again.outcome == "unchanged"
    assert Revision.objects.count() == 1


def test_a_changed_spec_is_the_next_revision():
    publish(make_spec("greet", description="Says hello."), by=None)

    revised = publish(make_spec("greet", description="Says good-bye."), by=None)

    assert (revised.outcome, revised.revision.number) == ("revised", 2)
    assert Tool.objects.get().description == "Says good-bye."
    assert [revision.number for revision in revised.tool.revisions.all()] == [2, 1]
    back = publish(make_spec("greet", description="Says hello."), by=None)
    assert (back.outcome, back.revision.number) == ("revised", 3)


def test_the_columns_of_a_tool_mirror_its_current_spec():
    rich = {
        "parameters": properties(city={"type": "string"}, days={"type": "integer"}),
        "returnType": {"type": "object"},
        "examples": [{"description": "Paris"}],
    }

    tool = make_tool("weather", configuration={"type": "object"}, **rich)
    mirrored = (tool.configurable, tool.has_examples, tool.has_return_type)
    assert mirrored == (True, True, True)

    publish(make_spec("weather"), by=None)
    tool.refresh_from_db()
    mirrored = (tool.configurable, tool.has_examples, tool.has_return_type)
    assert mirrored == (False, False, False)


@pytest.mark.parametrize(
    ("parameters", "numbers"),
    [
        ({**properties(city={}, days={}), "required": ["city"]}, (2, 1)),
        (properties(city={}), (1, 0)),
        ({"type": "object"}, (0, 0)),
        ({"oneOf": [properties(city={}), properties(place={})]}, (None, 0)),
    ],
)
def test_a_tool_has_the_numbers_of_its_parameters_and_of_the_required_ones(parameters, numbers):
    tool = make_tool("weather", parameters=parameters)

    assert (tool.parameter_count, tool.required_count) == numbers


@pytest.mark.parametrize(
    ("declared", "effect"),
    [
        ({"x-mcp": {"annotations": {"readOnlyHint": True, "destructiveHint": True}}}, "read-only"),
        ({"x-mcp": {"annotations": {"destructiveHint": True}}}, "destructive"),
        ({"x-mcp": {"annotations": {"readOnlyHint": "yes"}}}, ""),
        ({"x-mcp": []}, ""),
        ({"x-openapi": {"method": "GET", "path": "/"}}, "read-only"),
        ({"x-openapi": {"method": "DELETE", "path": "/"}}, "destructive"),
        ({"x-openapi": {"method": ["POST"], "path": "/"}}, ""),
        ({}, ""),
    ],
)
def test_the_effect_of_a_tool_is_what_its_server_or_its_request_declares(declared, effect):
    document = json.dumps({"definition": {"name": "files", "description": "Files."}, **declared})

    tool = publish(read_spec(document), by=None).tool

    assert tool.effect == effect


def test_an_upload_on_top_of_another_revision_than_the_one_seen_is_refused():
    publish(make_spec("greet", description="one"), by=None)
    publish(make_spec("greet", description="two"), by=None)

    with pytest.raises(RevisionConflict, match="you saw revision 1, but there is revision 2 now"):
        publish(make_spec("greet", description="three"), by=None, expected=1)
    with pytest.raises(RevisionConflict, match="you saw no such tool"):
        publish(make_spec("greet", description="three"), by=None, expected=0)

    assert Revision.objects.count() == 2


def test_an_archived_tool_takes_revisions_and_stays_archived():
    tool = make_tool("greet", archived=True)

    publication = publish(make_spec("greet", description="Says more."), by=None)

    assert publication.outcome == "revised"
    assert publication.tool.archived
    assert not Tool.objects.available().exists()
    tool.refresh_from_db()
    assert tool.archived


def test_two_ids_that_lead_to_one_address_are_not_both_stored():
    make_tool("Get weather")
    slug_in_use = Tool.objects.get().slug

    with pytest.raises(SpecError) as refusal:
        publish(make_spec(slug_in_use), by=None)

    [problem] = refusal.value.problems
    assert (problem.pointer, problem.rule) == ("/definition/id", "publish.address-taken")
    assert "The tool 'Get weather' already has the URL" in problem.message
    assert Tool.objects.count() == 1


def test_of_many_specs_each_has_its_own_outcome():
    make_tool("Get weather")
    publish(make_spec("old", description="one"), by=None)
    same = make_spec("same")
    publish(same, by=None)
    slug_in_use = make_spec(Tool.objects.get(tool_id="Get weather").slug)

    created, revised, unchanged, refused = publish_many(
        [make_spec("new"), make_spec("old", description="two"), same, slug_in_use], by=None
    )

    outcomes = [created.outcome, revised.outcome, unchanged.outcome]
    assert outcomes == ["created", "revised", "unchanged"]
    assert isinstance(refused, SpecError)
    assert Tool.objects.count() == 4


def test_an_id_that_comes_twice_in_one_batch_becomes_two_revisions_in_order():
    specs = [make_spec("greet", description=text) for text in ("one", "two", "two", "three")]

    outcomes = publish_many(specs, by=None)

    found = [outcome.outcome for outcome in outcomes]
    assert found == ["created", "revised", "unchanged", "revised"]
    assert [outcome.revision.number for outcome in outcomes] == [1, 2, 2, 3]
    assert Tool.objects.get().description == "three"


def test_a_dry_run_reports_the_outcome_and_stores_nothing():
    publish(make_spec("old", description="one"), by=None)

    outcomes = publish_many(
        [make_spec("new"), make_spec("old", description="two")], by=None, dry_run=True
    )

    assert [outcome.outcome for outcome in outcomes] == ["created", "revised"]
    assert Tool.objects.get().description == "one"
    assert not tools_of_query("new").exists()


def test_a_long_id_gets_an_address_of_a_hundred_characters():
    tool = make_tool(("long id " * 25).strip())

    assert len(tool.slug) <= 100
    assert tool.slug.startswith("long-id-long-id-")


def test_a_stored_spec_is_read_without_checking_todays_rules(monkeypatch):
    tool = make_tool("greet")
    monkeypatch.setattr("toolspec.spec.spec_problems", lambda document: pytest.fail("asked"))

    tool = Tool.objects.with_current().get()

    assert tool.current.spec.tool_id == "greet"


def test_names_differ_by_case():
    make_tool("greet")
    make_tool("Greet")

    assert Tool.objects.count() == 2


@pytest.mark.corpora
@pytest.mark.parametrize("source", ["specs_mcp", "specs_bfcl", "specs_metatool", "specs_taubench"])
def test_all_real_specs_are_stored_and_found_by_their_own_name(source):
    specs = [read_spec(text) for text in real_specs(source)]

    outcomes = publish_many(specs, by=None)

    assert {outcome.outcome for outcome in outcomes} == {"created"}
    for spec in specs[::100]:
        assert spec.tool_id in tools_of_query(spec.name).values_list("tool_id", flat=True)


def test_sixteen_concurrent_publications_of_an_id_make_sixteen_revisions(transactional_db):
    start = Barrier(16)

    def upload(number):
        start.wait()
        try:
            return publish(make_spec("greet", description=f"by {number}"), by=None)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(16) as pool:
        publications = list(pool.map(upload, range(16)))

    assert sorted(publication.revision.number for publication in publications) == list(range(1, 17))
    assert [publication.outcome for publication in publications].count("created") == 1
    tool = Tool.objects.get()
    assert tool.current.number == 16
    assert tool.description == tool.current.spec.description


def test_the_index_equals_the_tables_after_many_concurrent_publications(transactional_db):
    def upload(number):
        try:
            publish_many(
                [make_spec(f"tool{index}", description=f"word{number}") for index in range(20)],
                by=None,
            )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(upload, range(8)))

    assert Tool.objects.count() == 20
    for tool in Tool.objects.all():
        assert tool in tools_of_query(tool.description)
    assert sum(tools_of_query(f"word{number}").count() for number in range(8)) == 20


@pytest.fixture
def damaged():
    """A tool whose next revision would have the number of one that is there."""
    for description in ("A", "B"):
        tool = publish(make_spec("damaged", description=description), by=None).tool
    Tool.objects.filter(pk=tool.pk).update(current=tool.revisions.get(number=1))
    return tool


def test_of_many_specs_those_that_the_database_never_takes_are_refused_alone(damaged):
    specs = [
        make_spec("first"),
        make_spec("damaged", description="C"),
        make_spec("last"),
        make_spec("first", x=1),
    ]

    outcomes = publish_many(specs, by=None)

    found = [getattr(one, "outcome", "refused") for one in outcomes]
    assert found == ["created", "refused", "created", "revised"]
    assert outcomes[1].problems[0].rule == "publish.not-stored"
    assert damaged.revisions.count() == 2


def test_one_spec_that_the_database_never_takes_is_refused(damaged):
    with pytest.raises(SpecError, match="The database rejects this spec"):
        publish(make_spec("damaged", description="C"), by=None)
