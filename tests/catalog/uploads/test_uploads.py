import io
import json

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.tools.models import Tool
from catalog.uploads.readers import pieces_of
from catalog.uploads.store import upload
from catalog.uploads.summary import summary_of
from tests.factories import make_spec, make_tool, make_user, spec_text

pytestmark = pytest.mark.django_db


def entries(text, name="specs.json", *, by=None, **options):
    return list(upload(pieces_of(name, io.BytesIO(text.encode())), by=by, **options))


def one_line(text):
    return json.dumps(json.loads(text))


def test_each_spec_has_its_outcome_in_order():
    make_tool("old", description="one")
    same = make_tool("same")
    specs = [spec_text("new"), "{}", spec_text("old", description="two"), same.current.spec.source]

    found = entries(f"[{','.join(specs)}]")

    assert [entry.outcome for entry in found] == ["created", "rejected", "revised", "unchanged"]
    assert [entry.revision for entry in found] == [1, None, 2, 1]
    assert summary_of(found).counts == {"created": 1, "revised": 1, "unchanged": 1, "rejected": 1}


def test_the_stored_text_is_exactly_that_of_the_entry():
    text = spec_text("a")

    entries(f"[\n  {text},\n  {one_line(spec_text('b'))}\n]")

    assert Tool.objects.with_current().get(tool_id="a").current.spec.source == text


def test_a_problem_has_its_position_in_the_file_and_the_offending_line():
    text = '[\n  {"definition": {\n    "name": 5, "description": ""}}\n]'

    [entry] = entries(text)

    [fault] = entry.faults
    assert (fault.problem.line, fault.problem.column) == (3, 13)
    assert fault.excerpt[fault.caret] == "5"


def test_the_excerpt_of_a_long_line_is_the_text_around_the_problem():
    text = one_line(spec_text("a", x="y" * 3000)).replace(
        '"description": "Does something."', '"description": 7'
    )

    [entry] = entries(text)

    [fault] = entry.faults
    assert len(fault.excerpt) < 60
    assert (fault.excerpt[0], fault.excerpt[-1]) == ("…", "…")
    assert fault.excerpt[fault.caret] == "7"


def test_the_excerpt_of_the_end_of_a_line_is_cut_at_its_start_alone():
    text = '{"definition": {"name": "a", "description": "' + "y" * 200 + '", "parameters": 7}}'

    [entry] = entries(text)

    [fault] = entry.faults
    assert fault.excerpt.startswith("…")
    assert fault.excerpt.endswith('"parameters": 7}}')
    assert fault.excerpt[fault.caret] == "7"


def test_the_indentation_of_a_long_line_is_cut_first():
    member = '"parameters": {"minProperties": "5"}'
    text = '{"definition": {"name": "a", "description": "b",\n' + " " * 20 + member + "}}"

    [entry] = entries(text)

    [fault] = entry.faults
    assert fault.excerpt == member + "}}"
    assert fault.excerpt[fault.caret :].startswith('"5"')


def test_more_specs_than_a_batch_are_published_batch_by_batch(monkeypatch):
    monkeypatch.setattr("catalog.uploads.store.BATCH", 3)
    lines = "\n".join(one_line(spec_text(f"tool{number}")) for number in range(8))

    found = entries(lines + "\nbad", name="specs.ndjson")

    assert [entry.outcome for entry in found] == ["created"] * 8 + ["rejected"]
    assert [entry.line for entry in found] == list(range(1, 10))


def test_published_specs_stay_when_a_later_batch_cannot_be_read(monkeypatch):
    monkeypatch.setattr("catalog.uploads.store.BATCH", 1)

    def pieces():
        yield from pieces_of("a.json", io.BytesIO(spec_text("a").encode()))
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        list(upload(pieces(), by=None))

    assert Tool.objects.get().tool_id == "a"


def test_an_entry_mentions_that_its_tool_is_archived():
    make_tool("a", archived=True)

    [entry] = entries(spec_text("a", description="More."))

    assert (entry.outcome, entry.archived) == ("revised", True)


def test_a_spec_whose_url_is_in_use_is_rejected_without_stopping_the_rest():
    slug_in_use = make_tool("Get weather").slug

    first, second = entries(f"[{spec_text(slug_in_use)}, {spec_text('other')}]")

    assert (first.outcome, first.faults[0].problem.rule) == ("rejected", "publish.address-taken")
    assert second.outcome == "created"


def test_new_tools_of_many_toolkits_need_no_queries_of_their_own():
    ada = make_user("ada")
    ada.groups.set(Group.objects.filter(name="publisher"))
    numbers = []

    for count in (3, 30):
        text = f"[{','.join(spec_text(f'of{count}_{number}.tool') for number in range(count))}]"
        with CaptureQueriesContext(connection) as queries:
            assert summary_of(entries(text, by=ada)).created == count
        numbers.append(len(queries))

    assert numbers[1] <= numbers[0]


def test_a_dry_run_stores_nothing():
    found = entries(f"[{spec_text('a')}, {spec_text('b')}]", dry_run=True)

    assert [entry.outcome for entry in found] == ["created", "created"]
    assert not Tool.objects.exists()
    assert make_spec("a").tool_id == "a"
