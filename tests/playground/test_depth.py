"""Tools whose schemas lead deep into a value, through every page, operation and command that concerns a tool."""

import io
import json
from contextlib import suppress

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from selectolax.lexbor import LexborHTMLParser

from catalog.tools.publishing import publish
from tests.conftest import Program
from tests.factories import make_token
from toolspec.errors import SpecError
from toolspec.exports import FORMATS
from toolspec.spec import read_spec, stored_spec

pytestmark = pytest.mark.deep

LINKS = {
    "properties": lambda inner: {
        "type": "object",
        "properties": {"next": inner},
        "required": ["next"],
    },
    "items": lambda inner: {"type": "array", "items": inner, "minItems": 1},
    "anyOf": lambda inner: {
        "type": "object",
        "properties": {"next": {"anyOf": [inner, {"type": "null"}]}},
    },
    "map": lambda inner: {"type": "object", "additionalProperties": inner},
    "then": lambda inner: {"if": {"type": "object"}, "then": {"properties": {"next": inner}}},
    "array": lambda inner: {"type": "array", "prefixItems": [inner], "minItems": 1},
    "contains": lambda inner: {"type": "array", "contains": inner},
}
MIXED = tuple(LINKS.values())


def schema_of(length, *links, back_to=None, hops=0):
    """Definitions that refer on to each other through `links`, each by as many `hops` in place; maybe in a circle."""
    names = {}
    for number in range(length):
        following = number + 1 if number + 1 < length or back_to is None else back_to
        for hop in range(hops):
            names[f"d{number}_{hop}"] = {"allOf": [{"$ref": f"#/$defs/d{number}_{hop + 1}"}]}
        names[f"d{number}_{hops}"] = links[number % len(links)]({"$ref": f"#/$defs/d{following}_0"})
    names |= {} if back_to is not None else {f"d{length}_0": {"type": "object"}}
    return {"type": "object", "properties": {"start": {"$ref": "#/$defs/d0_0"}}, "$defs": names}


def value_of(depth, *links):
    """A value that goes as deep, for `schema_of` with the same links."""
    value = {}
    for number in reversed(range(depth)):
        is_array = links[number % len(links)] in (LINKS["items"], LINKS["array"], LINKS["contains"])
        value = [value] if is_array else {"next": value}
    return {"start": value}


def text_of(schema, value, **members):
    definition = {
        "id": "deep",
        "name": "deep",
        "description": "d",
        "parameters": schema,
        "returnType": schema,
    }
    definition |= {"examples": [{"parameters": value, "returnValue": value}], **members}
    return json.dumps({"definition": definition, "configuration": schema})


# (schema, value, whether it is accepted today; the others were stored before the gate counted depth through references)
CASES = {
    "of all kinds": (schema_of(58, *MIXED), value_of(58, *MIXED), True),
    "with references in place": (
        schema_of(58, LINKS["anyOf"], hops=4),
        value_of(58, LINKS["anyOf"]),
        True,
    ),
    "a circle": (
        schema_of(400, LINKS["properties"], back_to=0),
        value_of(58, LINKS["properties"]),
        True,
    ),
    "400 definitions of all kinds": (schema_of(400, *MIXED), value_of(58, *MIXED), False),
}
PAGES = (
    "/", "/tools/", "/tools/?q=deep", "/tools/deep/", "/tools/deep/try/", "/tools/deep/try/?example=1",
    "/tools/deep/lint/",
    "/tools/deep/similar/", "/tools/deep/changes/", "/tools/deep/changes/1..2/", "/tools/deep/tests/",
    "/tools/deep/changes/1/restore/",
)  # fmt: skip
OPERATIONS = (
    "/tools?q=deep", "/tools/deep", "/tools/deep/spec", "/tools/deep/revisions",
    "/tools/deep/revisions/1/spec", "/tools/deep/diff?from=1&to=2", "/tools/deep/similar", "/tools/deep/lint",
    *(f"/tools/deep/export/{key}" for key in FORMATS),
)  # fmt: skip
COMMANDS = (
    ("check_specs", "SPEC"),
    ("check_specs", "SPEC", "--format", "json"),
    ("check_specs", "SPEC", "--format", "sarif"),
    ("load_specs", "SPEC"),
    ("export_catalog", "CATALOG"),
    ("load_specs", "CATALOG"),
    ("rebuild_index",),
    ("run_tool", "deep", "--mock"),
)


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


@pytest.fixture
def deep(case, db):
    """The tool, in two revisions of which the second asks for more at the deepest place."""
    schema, value, is_accepted = case
    changed = json.loads(json.dumps(schema))
    [*_, last] = changed["$defs"].values()
    last["minProperties"] = 1
    read = read_spec if is_accepted else stored_spec
    publish(read(text_of(schema, value)), by=None)
    return publish(read(text_of(changed, value, description="Another.")), by=None).tool


def form_data(page):
    """The data that a browser would send from the form on the playground's page."""
    data = {}
    for control in LexborHTMLParser(page).css_first("form#trial").css("input, textarea, select"):
        name, attributes = control.attributes.get("name"), control.attributes
        if not name or (
            attributes.get("type") in {"checkbox", "radio"} and "checked" not in attributes
        ):
            continue
        chosen = control.css_first("option[selected]") or control.css_first("option")
        text = (
            control.text()
            if control.tag == "textarea"
            else (chosen or control).attributes.get("value")
        )
        data.setdefault(name, []).append(text or "")
    return data


def buttons_of(page):
    return [
        button.attributes["value"]
        for button in LexborHTMLParser(page).css('form#trial button[name="op"]')
    ]


def answered(answers):
    """Those of `answers`, by what was asked for, that are not as they should be."""
    return {
        what: answer.status_code
        for what, answer in answers.items()
        if answer.status_code not in {200, 201, 302}
    }


def test_every_page_of_a_deep_tool_and_every_operation_on_it_is_answered(deep, browser, program):
    assert answered({page: browser.get(page) for page in PAGES}) == {}
    assert answered({path: program.get(f"/api/v1{path}") for path in OPERATIONS}) == {}


def test_a_deep_value_is_filled_in_every_press_is_answered_and_runs_are_shown(
    case, deep, runs, browser, ada
):
    answer_presses(browser, case[1])
    show_runs(browser, Program(make_token(user=ada)), case[1])


def answer_presses(browser, value):
    address, value = "/tools/deep/try/", json.dumps(value)
    page = browser.get(address, query_params={"parameters": value}).content.decode()
    data, buttons = form_data(page), buttons_of(page)

    answers = {op: browser.post(address, data | {"op": op}) for op in (*buttons[:4], *buttons[-2:])}
    answers["example"] = browser.post(address, data | {"use": "example", "example": "1"})
    answers["save"] = browser.post(address, data | {"use": "save", "save_as": "mine"})

    assert buttons
    assert answered(answers) == {}


def show_runs(browser, program, value):
    for parameters in (value, {}, {"start": {"next": 5}}):
        body = json.dumps({"mode": "mock", "parameters": parameters})
        run = program.send("POST", "/tools/deep/runs", body)
        assert run.status_code == 201
        key = run.json()["id"]
        answers = [
            f"/runs/{key}/run.json",
            f"/tools/deep/try/?run={key}",
            f"/api/v1/runs/{key}",
        ]
        assert answered({page: browser.get(page) for page in answers}) == {}


def test_a_deep_spec_is_checked_uploaded_and_fixed_or_refused_with_a_reason(case, deep, program):
    schema, value, is_accepted = case
    text = text_of(schema, value)
    configuration = json.dumps({"name": "mine", "value": value})

    assert program.send("POST", "/specs/check", text).status_code == 200
    assert program.send("POST", "/uploads?dry_run=1", text).status_code == 200
    assert program.send("POST", "/tools", text).status_code == (201 if is_accepted else 422)
    assert program.send("POST", "/tools/deep/lint/fixes", "{}").status_code in {200, 409, 422}
    assert program.send("POST", "/tools/deep/configurations", configuration).status_code in {
        201,
        422,
    }
    restored = program.send("POST", "/tools/deep/revisions/1/restore", "{}", **{"If-Match": '"2"'})
    assert restored.status_code in {200, 201, 412, 422}


def test_every_command_ends_on_a_deep_tool(case, deep, runs, tmp_path):
    spec, catalog = tmp_path / "deep.json", tmp_path / "catalog.ndjson"
    spec.write_text(text_of(case[0], case[1]))

    for command in COMMANDS:
        words = [str({"SPEC": spec, "CATALOG": catalog}.get(word, word)) for word in command]
        with suppress(SystemExit, CommandError):  # refused, with its reason
            call_command(*words, stdout=io.StringIO(), stderr=io.StringIO())

    assert len(catalog.read_text().splitlines()) >= 1


def test_a_chain_of_63_references_is_accepted_and_one_of_150_is_refused_with_its_pointer(program):
    chains = [text_of(schema_of(length, LINKS["properties"]), {}) for length in (63, 150)]

    accepted, answer = (program.send("POST", "/tools", chain) for chain in chains)

    assert accepted.status_code == 201
    assert answer.status_code == 422
    assert {(error["pointer"], error["rule"]) for error in answer.json()["errors"]} == {
        ("/definition/parameters/$defs/d64_0", "gate.depth"),
        ("/definition/returnType/$defs/d64_0", "gate.depth"),
        ("/configuration/$defs/d64_0", "gate.depth"),
    }


def test_a_stored_spec_is_read_with_the_limits_of_its_time():
    text = text_of(schema_of(150, LINKS["properties"]), {})

    with pytest.raises(SpecError):
        read_spec(text)
    assert stored_spec(text).tool_id == "deep"
