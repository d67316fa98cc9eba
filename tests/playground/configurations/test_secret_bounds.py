"""How many secrets a run may have, and how long they may be: on pages, in the API and commands, and saved."""

import json

import pytest
from django.core.management import call_command

from accounts.models import User
from playground.configurations.models import SavedConfiguration
from playground.configurations.secret_members import describe_secrets_in_form, redactor_of
from playground.form.control_names import member_path
from playground.form.secret_search import find_secrets
from playground.runs.models import Run
from tests.factories import make_tool, properties
from toolshelf_core.encryption import encrypt
from toolspec.schema.validation import compile_schema

SECRET = {"properties": {"apiKey": {}}}
MOST_BYTES, MOST = 65_536, 200
LONG = "The secret values have more than 65,536 bytes together. Shorten this one, or leave it out."
MANY = "There are more than 200 secret values. Send at most 200."


def lines(count):
    """A key file; each line has 27 characters with its end."""
    return "\n".join(f"{number:026d}" for number in range(count))


@pytest.fixture
def tool(db):
    return make_tool("t", configuration=SECRET, parameters=properties(pin={"writeOnly": True}))


def run(program, configuration, **more):
    body = {"mode": "mock", "parameters": {}, "configuration": configuration, **more}
    return program.send("POST", "/tools/t/runs", json.dumps(body)).json()


def problem_facts(problems):
    return [(problem["pointer"], problem["message"], problem["rule"]) for problem in problems]


@pytest.mark.parametrize(
    "secret",
    [
        "k" * MOST_BYTES,
        "ü" * (MOST_BYTES // 2),
        lines(2_400),
        [f"secret-{n}" for n in range(MOST)],
        {"a": ["b" * 99] * 9},
    ],
    ids=["characters", "bytes", "lines", "number", "nested"],
)
def test_secrets_up_to_the_limits_are_accepted(tool, program, secret):
    assert run(program, {"apiKey": secret})["outcome"] == "returned"


@pytest.mark.parametrize(
    ("secret", "message", "rule"),
    [
        ("k" * (MOST_BYTES + 1), LONG, "secrets.too-long"),
        ("ü" * (MOST_BYTES // 2 + 1), LONG, "secrets.too-long"),
        (lines(30_000), LONG, "secrets.too-long"),
        ([f"secret-{n}" for n in range(MOST + 1)], MANY, "secrets.too-many"),
        (list(range(1000, 1201)), MANY, "secrets.too-many"),
        ([f"secret-{n}" for n in range(20_000)], MANY, "secrets.too-many"),
    ],
    ids=["characters", "bytes", "lines", "strings", "numbers", "very many"],
)
def test_a_run_with_more_is_refused_at_the_member(tool, program, secret, message, rule):
    refused = run(program, {"apiKey": secret, "city": "Wien"})

    assert refused["outcome"] == "refused"
    assert problem_facts(refused["problems"]) == [("/configuration/apiKey", message, rule)]


def test_the_member_that_goes_beyond_the_bound_is_named(tool, program):
    refused = run(program, {"apiKey": "k" * 60_000, "login": {"password": "p" * 6_000}})

    assert problem_facts(refused["problems"]) == [
        ("/configuration/login/password", LONG, "secrets.too-long")
    ]


def test_secret_parameters_are_limited_too(tool, program):
    refused = run(program, {}, parameters={"pin": lines(30_000)})

    assert problem_facts(refused["problems"]) == [("/parameters/pin", LONG, "secrets.too-long")]
    assert lines(2) not in Run.objects.get().parameters_json


def test_a_refused_run_builds_no_spellings(tool, program, monkeypatch):
    built = []
    monkeypatch.setattr("toolshelf_core.redaction._spell", built.append)

    run(program, {"apiKey": lines(30_000)})

    assert built == []


def test_the_command_refuses_them(tool, tmp_path, capsys):
    file = tmp_path / "configuration.json"
    file.write_text(json.dumps({"apiKey": "k" * (MOST_BYTES + 1)}))

    with pytest.raises(SystemExit) as ended:
        call_command("run_tool", "t", "--mock", "--configuration", f"@{file}")

    assert ended.value.code == 1
    assert problem_facts(json.loads(capsys.readouterr().out)["problems"])[0][:2] == (
        "/configuration/apiKey",
        LONG,
    )


def test_the_page_refuses_them_at_the_field(tool, browser):
    form = {
        "parameters:o:": "",
        f"parameters:t:{member_path('', 'pin')}": "k" * (MOST_BYTES + 1),
        "run": "1",
    }

    page = browser.post("/tools/t/try/", {**form, "mode": "mock"})

    assert page.status_code == 422
    assert f"pin: {LONG}" in page.content.decode()
    assert not Run.objects.exists()


def test_the_form_of_a_configuration_recognises_secret_names_too():
    schema = compile_schema(SECRET)
    value = {"apiKey": ["secret"] * (MOST + 1)}

    result = describe_secrets_in_form(schema.check(value), schema, value, by_name=True)

    assert [(violation.pointer, violation.message) for violation in result.violations] == [
        ("/apiKey", MANY)
    ]
    assert [problem.pointer for problem in result.problems] == ["/apiKey"]


def test_the_api_saves_no_configuration_with_more(tool, program):
    body = {"name": "work", "configuration": {"apiKey": lines(30_000)}}

    answer = program.send("POST", "/tools/t/configurations", json.dumps(body))

    assert answer.status_code == 422
    assert problem_facts(answer.json()["errors"]) == [
        ("/configuration/apiKey", LONG, "secrets.too-long")
    ]
    assert not SavedConfiguration.objects.exists()


def test_the_page_saves_no_configuration_with_more(tool, browser):
    form = {
        "configuration:o:": "",
        f"configuration:t:{member_path('', 'apiKey')}": "k" * (MOST_BYTES + 1),
    }

    page = browser.post(
        "/tools/t/try/", {**form, "parameters:o:": "", "use": "save", "save_as": "work"}
    )

    assert page.status_code == 422
    assert LONG in page.content.decode()
    assert not SavedConfiguration.objects.exists()


@pytest.fixture
def saved_before(tool, program):
    """A configuration that was saved before there was a limit."""

    encrypted = encrypt({"value": {"apiKey": lines(30_000), "city": "Wien"}, "secrets": {}})
    owner = User.objects.get(username="program")
    return SavedConfiguration.objects.create(
        owner=owner, tool=tool, name="old", encrypted=encrypted
    )


def test_a_run_with_one_that_was_saved_before_is_refused(saved_before, program):
    body = {"mode": "mock", "parameters": {}, "saved_configuration": "old"}

    answer = program.send("POST", "/tools/t/runs", json.dumps(body))

    assert answer.status_code == 201
    assert problem_facts(answer.json()["problems"]) == [
        ("/configuration/apiKey", LONG, "secrets.too-long")
    ]


def test_one_that_was_saved_before_is_listed_and_shown_without_its_secrets(
    saved_before, program, client
):
    listed = program.ask("/tools/t/configurations")
    client.force_login(saved_before.owner)

    page = client.get("/tools/t/try/?configuration=old")

    assert listed.json()["items"][0]["configuration"] == {"city": "Wien"}
    assert page.status_code == 200
    assert lines(1) not in page.content.decode()


def test_one_that_was_saved_before_is_not_saved_again(saved_before, program):
    body = {"name": "old", "configuration": {"city": "Graz"}}

    answer = program.send("POST", "/tools/t/configurations", json.dumps(body))

    assert answer.status_code == 422
    assert problem_facts(answer.json()["errors"]) == [
        ("/configuration/apiKey", LONG, "secrets.too-long")
    ]


def test_secrets_of_both_parts_up_to_their_limits_are_redacted():
    both = [f"parameter-{n}" for n in range(MOST)], [f"configured-{n}" for n in range(MOST)]
    schema = compile_schema({"items": {"writeOnly": True}})

    redactor = redactor_of(*(find_secrets(schema, part) for part in both))

    assert redactor.text("parameter-199, configured-199 and more") == "[secret], [secret] and more"
