"""Assessments: a spec published alone is assessed at once, specs in bulk afterwards, and none is left out."""

from unittest.mock import patch

import pytest
from django.core.management import call_command

from catalog.index import Match, search_index
from catalog.index.boolean_query import AnyOf, Token
from catalog.lint.waivers import waive
from catalog.organise.lifecycle import archive, restore
from catalog.tools import assessments, publishing
from catalog.tools.assessments import (
    Assessor,
    Backlog,
    LockHeld,
    assess_all,
    assess_backlog,
    hold_assessment_lock,
    make_assessment_row,
)
from catalog.tools.lint_models import Assessment, Waiver
from catalog.tools.models import Tool
from catalog.tools.publishing import publish, publish_many
from tests.factories import make_spec, make_tool, properties, real_specs, spec_text
from toolspec.exports import usable_as_it_is
from toolspec.lint import lint, score
from toolspec.lint.assessment import (
    GRADES,
    SpecAssessment,
    WaivedFinding,
    assess,
    grade_of,
    keys_from,
    keys_of,
)
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("own_data_dir")

GOOD = {
    "name": "get_weather",
    "description": "Tell the present weather of a city, not a forecast.",
    "parameters": properties(
        city={"type": "string", "description": "Name of the city, in English."}
    ),
    "returnType": properties(temperature={"type": "number"}),
    "examples": [{"parameters": {"city": "Lisbon"}, "returnValue": {"temperature": 19.5}}],
}


def bulk(*tool_ids, **members):
    publish_many([make_spec(tool_id, **members) for tool_id in tool_ids], by=None)


def found_by(*tokens):
    return set(search_index().find(Match((AnyOf(tuple(map(Token, tokens))),)), limit=1000))


def at_least(lowest):
    return found_by(*keys_from(lowest))


# -- one spec ---------------------------------------------------------------------------------------------------------


def test_a_spec_is_assessed_by_lint_and_by_the_formats_that_accept_it():
    spec = make_spec("a", **GOOD)

    assert assess(spec) == SpecAssessment(score(lint(spec)), usable_as_it_is(spec))
    assert assess(spec).score == 100


def test_waived_findings_do_not_reduce_the_score():
    spec = make_spec("a", **{**GOOD, "name": "Get weather"})

    assert assess(spec).score == 95
    assert assess(spec).findings == (("name-not-portable", 1),)
    assert assess(spec, [WaivedFinding("name-not-portable")]).findings == ()
    assert assess(spec, [WaivedFinding("name-not-portable")]).score == 100
    assert assess(spec, [WaivedFinding("name-not-portable", "/definition/name")]).score == 100
    assert assess(spec, [WaivedFinding("name-not-portable", "/definition/elsewhere")]).score == 95
    assert assess(spec, [WaivedFinding("description-vague")]).score == 95


def test_every_score_has_a_grade_and_is_found_from_every_score_below_on():
    assert [grade_of(number) for number in (100, 90, 89, 70, 69, 0)] == [90, 90, 70, 70, 0, 0]
    for number in range(101):
        assert grade_of(number) in [lowest for lowest, _ in GRADES]
        for lowest in range(101):
            assert bool(set(keys_of(number, ())) & set(keys_from(lowest))) is (number >= lowest)
    assert keys_of(None, ()) == ()


# -- publishing -------------------------------------------------------------------------------------------------------


def values_of(row: Assessment) -> tuple[int, str, str]:
    return row.score, row.usable, row.findings


@pytest.mark.django_db
def test_a_single_published_spec_is_assessed_immediately():
    tool = make_tool("a", **GOOD)

    stored = Tool.objects.get(pk=tool.pk)
    formats = ("mcp", "mcp-2026-07-28", "openai", "anthropic", "gemini", "langchain", "openapi")
    assert (stored.score, stored.usable) == (100, formats)
    assert values_of(Assessment.objects.get()) == values_of(
        make_assessment_row(0, SpecAssessment(100, stored.usable))
    )
    assert found_by("f_usable_openai") == at_least(100) == {tool.pk}
    assert found_by("f_usable_openaistrict") == set()


@pytest.mark.django_db
def test_specs_published_in_bulk_are_not_assessed_yet():
    bulk("a", "b", **GOOD)

    assert {tool.score for tool in Tool.objects.all()} == {None}
    assert not Assessment.objects.exists()
    assert found_by("f_judged") == set()


@pytest.mark.django_db
def test_a_revision_published_in_bulk_removes_the_previous_assessment():
    make_tool("a", **GOOD)

    bulk("a", description="Other words than before, and enough of them.")

    tool = Tool.objects.get()
    assert (tool.score, tool.usable) == (None, ())
    assert found_by("f_judged") == set()
    assert Assessment.objects.count() == 1


@pytest.mark.django_db
def test_a_few_specs_uploaded_together_are_assessed_immediately(browser):
    browser.post("/add/", {"text": f"[{spec_text('a', **GOOD)}, {spec_text('b', **GOOD)}]"})

    assert {tool.score for tool in Tool.objects.all()} == {100}
    assert Assessment.objects.count() == 2


@pytest.mark.django_db
def test_an_unchanged_spec_keeps_its_assessment(browser):
    tool = make_tool("a", **GOOD)

    archive(tool)
    restore(tool)
    call_command("rebuild_index")

    assert Tool.objects.get().score == 100
    assert at_least(100) == {tool.pk}


@pytest.mark.django_db
def test_a_spec_that_cannot_be_assessed_is_published_nevertheless(caplog):
    with patch("catalog.tools.assessments.assess", side_effect=RecursionError):
        tool = make_tool("a")

    assert Tool.objects.get(pk=tool.pk).score is None
    assert "'a' could not be assessed" in caplog.text


# -- the backlog ------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_specs_published_in_bulk_get_the_same_assessment_later():
    texts = real_specs()[:20]
    alone = {}
    for text in texts:
        spec = read_spec(text)
        alone[spec.tool_id] = assess(spec)
    rows = {
        tool_id: values_of(make_assessment_row(0, assessment))
        for tool_id, assessment in alone.items()
    }
    publish_many([read_spec(text) for text in texts], by=None)

    counts = list(assess_all())

    assert counts[-1] == 20
    stored = Assessment.objects.select_related("revision__tool")
    assert {row.revision.tool.tool_id: values_of(row) for row in stored} == rows
    assert any(row.findings for row in stored)
    assert {tool.tool_id: (tool.score, tool.usable) for tool in Tool.objects.all()} == {
        tool_id: (assessment.score, assessment.usable) for tool_id, assessment in alone.items()
    }
    for tool in Tool.objects.all():
        assert (tool.pk in at_least(90)) is (tool.score >= 90)
        assert (tool.pk in found_by("f_usable_gemini")) is ("gemini" in tool.usable)


@pytest.mark.django_db
def test_every_revision_is_assessed_and_the_tool_shows_the_current_assessment():
    bulk("a", **GOOD)
    bulk("a", **{**GOOD, "description": ""})

    list(assess_all())

    tool = Tool.objects.get()
    assert dict(Assessment.objects.values_list("revision__number", "score")) == {1: 100, 2: 70}
    assert tool.score == 70
    assert list(assess_all()) == []  # none is assessed again


@pytest.mark.django_db
def test_a_revision_assessed_by_other_rules_is_assessed_again():
    make_tool("a", **GOOD)
    Assessment.objects.update(assessed_by=assessments.ASSESSED_BY - 1, score=5)
    Tool.objects.update(score=5)

    list(assess_all())

    assert Tool.objects.get().score == Assessment.objects.get().score == 100


@pytest.mark.django_db
def test_a_spec_that_cannot_be_assessed_does_not_stop_the_others():
    bulk("a", "bad", "c")
    real = assessments.assess

    def fails(spec, waived):
        if spec.tool_id == "bad":
            raise RecursionError
        return real(spec, waived)

    with patch("catalog.tools.assessments.assess", fails):
        assert list(assess_all()) == [3]

    assert set(Tool.objects.filter(score=None).values_list("tool_id", flat=True)) == {"bad"}


@pytest.mark.django_db
def test_new_revisions_are_found_later_and_empty_windows_are_skipped():
    backlog = Backlog()
    bulk("a")
    while assess_backlog(backlog):
        pass
    bulk("b", "c")

    with patch("catalog.tools.assessments.WINDOW", 1):
        assert assess_backlog(backlog) + assess_backlog(backlog) == 2

    assert not Tool.objects.filter(score=None).exists()


@pytest.mark.django_db
def test_assessing_stops_at_its_time_limit_and_continues_later():
    bulk(*(f"tool-{number}" for number in range(60)))

    first = list(assess_all(seconds=0))
    with patch("catalog.tools.assessments.time.monotonic", side_effect=range(0, 1000, 1)):
        second = list(assess_all(seconds=3))
    list(assess_all())

    assert first == []
    assert 0 < second[-1] < 60
    assert not Tool.objects.filter(score=None).exists()


@pytest.mark.django_db
def test_a_revision_published_during_an_assessment_stays_unassessed():
    bulk("a", **GOOD)
    real = assessments.assess

    def lands(spec, waived):
        bulk("a", description="Landed meanwhile, in other words.")
        return real(spec, waived)

    with patch("catalog.tools.assessments.assess", lands):
        assess_backlog(backlog := Backlog())

    assert Tool.objects.get().score is None
    assess_backlog(backlog)
    assert Tool.objects.get().score is not None


@pytest.mark.django_db
def test_a_waiver_added_during_an_assessment_counts():
    bulk("a", **{**GOOD, "name": "Get weather"})
    real = assessments.assess
    waivers = []

    def waives(spec, waived):
        if not waivers:
            tool = Tool.objects.get()
            waivers.append(
                Waiver.objects.create(tool=tool, rule="name-not-portable", reason="So be it.")
            )
        return real(spec, waived)

    with patch("catalog.tools.assessments.assess", waives):
        assess_backlog(Backlog())

    assert Tool.objects.get().score == 100


# -- whose turn it is -------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_job_of_the_server_assesses_all_that_is_new_and_pauses_after_each_batch(monkeypatch):
    assessor = Assessor()
    pauses = []
    monkeypatch.setattr(assessments.time, "sleep", pauses.append)
    bulk(*(f"tool-{number}" for number in range(60)))

    assessor.assess()

    assert not Tool.objects.filter(score=None).exists()
    assert len(pauses) == 3
    assert min(pauses) > 0


@pytest.mark.django_db
def test_only_one_process_assesses_at_a_time():
    bulk("a")

    with hold_assessment_lock():
        Assessor().assess()
        with pytest.raises(LockHeld):
            list(assess_all())

    assert not Assessment.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_interrupted_assessment_leaves_the_tool_and_the_index_unchanged():
    bulk("a", **GOOD)

    with (
        patch("catalog.tools.assessments.index", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        assess_backlog(Backlog())

    assert Tool.objects.get().score is None
    assert not Assessment.objects.exists()
    assess_backlog(Backlog())
    assert Tool.objects.get().score == 100


# -- commands ---------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_specs_loaded_by_the_command_are_assessed_unless_a_running_server_does_it(tmp_path, capsys):
    for number in range(6):
        (tmp_path / f"{number}.json").write_text(spec_text(f"tool-{number}", **GOOD))

    with hold_assessment_lock():
        call_command("load_specs", tmp_path)
    left = {tool.score for tool in Tool.objects.all()}
    call_command("load_specs", tmp_path)

    assert left == {None}
    assert {tool.score for tool in Tool.objects.all()} == {100}


@pytest.mark.django_db
def test_a_dry_run_of_the_command_assesses_no_stored_revision(tmp_path, capsys):
    bulk("a")
    (tmp_path / "b.json").write_text(spec_text("b", **GOOD))

    call_command("load_specs", tmp_path, dry_run=True)

    assert Tool.objects.get().score is None


@pytest.mark.django_db
def test_a_waiver_that_lands_while_a_revision_is_published_counts(monkeypatch):
    tool = make_tool("a", description="")
    assess_early = publishing.assess_early

    def overtaken(specs):
        before = assess_early(specs)
        waive(tool, rule="description-empty", reason="So be it.", by=None)
        return before

    with monkeypatch.context() as patched:
        patched.setattr(publishing, "assess_early", overtaken)
        published = publish(make_spec("a", description="", tags=["new"]), by=None)
    assert not Assessment.objects.filter(revision=published.revision).exists()

    for _ in assess_all():
        pass

    tags = ["new"]  # which cost nothing
    unwaived = publish(make_spec("b", description="", tags=tags), by=None).tool.score
    assert Assessment.objects.get(revision=published.revision).score == unwaived + 30
