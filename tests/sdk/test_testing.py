"""Checks of a factory against its spec and its examples."""

import asyncio
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sdk import examples_for_tests as tools
from toolshelf_tools import Definition, File, Progress, tool
from toolshelf_tools.__main__ import main
from toolshelf_tools.testing import CheckFailed, Subject, call, check, examples_of

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests.sdk.examples_for_tests"
SETTINGS = {"key": "k"}
BASE64 = {"type": "string", "contentEncoding": "base64"}
ABC = hashlib.sha256(b"abc").hexdigest()


def problems_of(factory, **options):
    with pytest.raises(CheckFailed) as caught:
        check(factory, **options)
    return [str(problem).partition("\n")[0] for problem in caught.value.problems]


def spec(**members):
    return {"definition": {"name": "wrong", "description": "One.", **members}}


def test_a_tool_that_does_what_its_spec_declares_passes():
    check(tools.weather, configuration=SETTINGS)
    check(f"{HERE}:weather", configuration=SETTINGS)
    check("playground.builtin.hash_text:hash_text")
    check(tools.total)  # without examples, it is not called


@pytest.mark.parametrize("example", examples_of(tools.weather, configuration=SETTINGS), ids=str)
def test_examples_are_parameters_of_a_test(example):
    example.check()

    assert str(example) == "example 1: Oslo in winter"


def test_every_wrong_example_is_reported_and_responses_need_not_be_equal():
    different = 'example 1: The response differs at its root: "A" instead of "B".'
    no_text = (
        "Its `parameters` does not match its schema: at the root: 'text' is a required property."
    )

    assert problems_of(tools.wrong) == [different, f"example 2: {no_text}"]
    assert problems_of(tools.wrong, exactly=False) == [f"example 2: {no_text}"]


def test_members_of_a_response_may_differ():
    document = Subject(tools.weather).spec
    document["definition"]["examples"] = [
        tools.EXAMPLES[0] | {"returnValue": {"temperature": 1, "at": None}}
    ]
    document["definition"]["returnType"] = True

    check(tools.weather, spec=document, configuration=SETTINGS, ignored=["/at", "/temperature"])
    assert problems_of(tools.weather, spec=document, configuration=SETTINGS, ignored=["/at"]) == [
        "example 1: The response differs at /temperature: -3.0 instead of 1."
    ]


def test_numbers_are_compared_by_value_and_true_is_not_one():
    @tool(examples=[{"parameters": {}, "returnValue": [1, 1]}])
    def numbers():
        """Return two."""
        return [1.0, True]

    assert problems_of(numbers) == ["example 1: The response differs at /1: true instead of 1."]


def test_an_exception_of_the_tool_is_reported_with_its_traceback():
    with pytest.raises(CheckFailed) as caught:
        check(tools.divide)

    (problem,) = caught.value.problems
    assert problem.message == "The call raised ZeroDivisionError: float division by zero"
    assert "return a / b" in problem.details


def test_an_error_that_a_tool_reports_is_its_message_alone():
    document = Subject(tools.weather).spec
    document["definition"]["examples"] = [
        {"parameters": {"place": {"city": "Atlantis"}, "at": "2026-01-01T00:00:00Z"}}
    ]

    assert problems_of(tools.weather, spec=document, configuration=SETTINGS) == [
        "example 1: There is no weather in Atlantis."
    ]


def test_a_configuration_that_does_not_match_is_reported():
    assert problems_of(tools.weather) == [
        (
            "configuration: The configuration to check with (`{}` by default) does not match its schema: "
            "at the root: 'key' is a required property."
        )
    ]


def test_a_response_that_breaks_the_spec_is_reported():
    document = spec(returnType={"type": "object"}, examples=[{"parameters": {"text": "a"}}])

    assert problems_of(tools.wrong, spec=document) == [
        "example 1: The response does not match its schema: at the root: 'A' is not of type 'object'."
    ]


def test_parameters_that_the_code_does_not_accept_are_reported():
    document = spec(examples=[{"parameters": {"txt": "a"}}])

    (problem,) = problems_of(tools.wrong, spec=document)

    assert problem.startswith(
        "example 1: The parameters do not match the tool's own type WrongParameters: /text: "
    )


def test_a_response_that_is_not_json_is_reported():
    @tool(examples=[{"parameters": {}}])
    def odd():
        """Return a set."""
        return {"a": {1}}

    assert problems_of(odd) == [
        "example 1: The response is not JSON at /a: a set cannot be represented in JSON; return a sorted list."
    ]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "definition: The spec has no `definition`, which is an object."),
        (spec(name=""), "definition: `name` must be a string that is not empty."),
        (
            spec(parameters={"type": "objct"}),
            "definition: `parameters` is not a valid JSON Schema: /type: 'objct' is",
        ),
        (
            spec(returnType=[]),
            "definition: `returnType` is not a valid JSON Schema: it is list, not an object.",
        ),
        (spec(examples={}), "definition: `examples` must be an array."),
        (
            spec(id="right"),
            "definition: The factory's tool_id() is 'wrong', but the id of the spec is 'right'.",
        ),
        (
            spec() | {"configuration": {"type": 1}},
            "configuration: It is not a valid JSON Schema: /type: 1 is not",
        ),
        (spec(examples=[3]), "example 1: It must be an object."),
    ],
)
def test_a_wrong_spec_is_reported(document, problem):
    assert problems_of(tools.wrong, spec=document)[0].startswith(problem)


# The command


@pytest.fixture
def run(capsys):
    """Run the command; what it writes, after it has ended with the expected code."""

    def run_command(*arguments, exit_code):
        try:
            ended = main(arguments)
        except SystemExit as end:
            ended = end.code
        written = capsys.readouterr()
        assert ended == exit_code, written
        return written.out if exit_code < 2 else written.err

    return run_command


def test_the_command_checks_a_factory():
    words = ["check", f"{HERE}:weather", "--configuration", '{"key": "k"}']
    ended = subprocess.run(
        [sys.executable, "-m", "toolshelf_tools", *words],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert ended.stdout == (
        "get_weather\n  ok    definition\n  ok    example 1: Oslo in winter\n2 passed, 0 failed.\n"
    )


def test_the_command_lists_what_fails(run, tmp_path):
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(spec(id="other")))

    text = run("check", f"{HERE}:wrong", exit_code=1)
    by_file = run("check", f"{HERE}:wrong", "--spec", str(file), exit_code=1)

    assert text.splitlines()[2:] == [
        "  FAIL  example 1",
        '          The response differs at its root: "A" instead of "B".',
        "  FAIL  example 2: no text",
        "          Its `parameters` does not match its schema: at the root: 'text' is a required property.",
        "1 passed, 2 failed.",
    ]
    assert "the id of the spec is 'other'" in by_file


def test_the_command_prints_the_spec(run):
    text = run("spec", f"{HERE}:count", exit_code=0)

    assert json.loads(text)["definition"]["parameters"]["required"] == ["end"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere:factory"], "nowhere:factory cannot be imported: ModuleNotFoundError"),
        (["check", f"{HERE}:nothing"], "has no attribute 'nothing'"),
        (
            ["check", f"{HERE}:wrong", "--spec", "no-file.json"],
            "No such file or directory: 'no-file.json'",
        ),
        (["check", f"{HERE}:wrong", "--spec", str(ROOT / "Makefile")], "Makefile: Expecting value"),
        (["check", f"{HERE}:wrong", "--configuration", "{"], "it is not JSON"),
        (["spec", f"{HERE}:EXAMPLES"], "is list, which has no tool_id()"),
        (["tell"], "invalid choice"),
    ],
)
def test_the_command_says_why_there_is_nothing_to_check(run, arguments, message):
    assert message in run(*arguments, exit_code=2)


# -- coroutines, generators and files ---------------------------------------------------------------------------------


class Responds:
    """Responds with what it is given."""

    def __init__(self, response, **definition):
        self.definition = Definition(
            name="responds", description="Responds.", examples=({"parameters": {}},), **definition
        )
        self.call = lambda request: response()

    def tool_id(self):
        return "responds"

    def create(self):
        return self


async def _numbers():
    yield Progress(1)
    yield 1
    yield 2


@pytest.mark.parametrize(
    ("response", "returned"),
    [
        (_numbers, 2),
        (lambda: asyncio.sleep(0, "done"), "done"),
        (
            lambda: b"abc",
            {"name": "response.txt", "mediaType": "text/plain", "size": 3, "sha256": ABC},
        ),
    ],
)
def test_a_call_responds_as_in_the_playground(response, returned):
    assert call(Responds(response), {}) == returned


def test_a_file_is_checked_as_the_spec_declares_it():
    declared = {"$ref": "#/$defs/report", "$defs": {"report": {"properties": {"chart": BASE64}}}}

    check(Responds(lambda: {"chart": File(b"abc")}, return_type_schema=declared))
    with pytest.raises(CheckFailed, match="is not of type 'integer'"):
        check(Responds(lambda: b"abc", return_type_schema={"type": "integer"}))


def test_a_path_outside_the_working_folder_is_a_problem():
    with pytest.raises(CheckFailed, match="is not in the working folder"):
        check(Responds(lambda: Path("/etc/hostname")))
