import io
import json

import pytest
from django.core.management import CommandError, call_command

from playground.runs.models import Run
from tests.terminal import Terminal

pytestmark = pytest.mark.usefixtures("runs")


def run_tool(*words):
    """The run that the command printed, and its exit code."""
    out = io.StringIO()
    try:
        call_command("run_tool", *words, stdout=out)
    except SystemExit as ending:
        return json.loads(out.getvalue()), ending.code
    return json.loads(out.getvalue()), 0


def test_a_run_that_conforms_exits_with_zero(builtin):
    builtin("convert_units")

    run, code = run_tool(
        "convert_units", "--parameters", '{"value": 1, "from_unit": "km", "to_unit": "m"}'
    )

    assert (run["outcome"], run["verdict"], code) == ("returned", "conforms", 0)
    assert Run.objects.get(pk=run["id"]).by is None


def run_on_a_terminal(*words):
    """(exit code, stdout, stderr) of the command on a terminal."""
    out, err, code = Terminal(), Terminal(), 0
    try:
        call_command("run_tool", *words, stdout=out, stderr=err)
    except SystemExit as ending:
        code = ending.code
    return code, out.getvalue(), err.getvalue()


def test_a_terminal_shows_the_response_and_how_the_run_ended(builtin):
    builtin("convert_units")

    code, out, err = run_on_a_terminal(
        "convert_units", "--parameters", '{"value": 1, "from_unit": "km", "to_unit": "m"}'
    )

    assert code == 0
    assert json.loads(out)["value"] == 1000
    assert out.startswith("{\n  ")
    assert err.startswith("The tool responded after ")
    assert "The response matches its return type." in err


def test_a_terminal_shows_why_a_run_failed(builtin):
    builtin("count_slowly")
    builtin("drifting_thermometer")

    raised = run_on_a_terminal(
        "count_slowly", "--parameters", '{"steps": 1, "seconds": 0, "fail_at": 1}'
    )
    refused = run_on_a_terminal("count_slowly", "--parameters", '{"steps": "x"}')
    violates = run_on_a_terminal(
        "drifting_thermometer", "--parameters", '{"hours_since_calibration": 50}'
    )

    assert [code for code, _, _ in (raised, refused, violates)] == [1, 1, 1]
    assert raised[1] == refused[1] == ""
    assert raised[2].startswith("The tool failed after ")
    assert refused[2].startswith("The tool was not called.\n  /parameters/steps: must be")
    assert "The response does not match its return type:\n  /" in violates[2]
    assert json.loads(violates[1])["place"] == "garden"


def test_a_terminal_gets_json_if_asked(builtin):
    builtin("get-weather")

    code, out, _ = run_on_a_terminal(
        "Get weather", "--parameters", '{"location": "New York"}', "--mock", "--json"
    )

    assert (code, json.loads(out)["mode"]) == (0, "mock")


def test_a_response_cannot_control_the_terminal(builtin):
    builtin("encode_text")
    parameters = {"text": "a\x1b[2J\u009bb\u202e", "steps": [{"step": "encode", "scheme": "rot13"}]}

    code, out, err = run_on_a_terminal("encode_text", "--parameters", json.dumps(parameters))

    assert code == 0
    assert not {"\x1b", "\u009b", "\u202e"} & set(out + err)


def test_a_response_that_breaks_its_schema_exits_with_one_and_is_printed(builtin):
    builtin("drifting_thermometer")

    run, code = run_tool("drifting_thermometer", "--parameters", '{"hours_since_calibration": 50}')

    assert (run["verdict"], code) == ("violates", 1)
    assert run["response"]["place"] == "garden"


@pytest.mark.parametrize(
    ("parameters", "outcome"),
    [('{"steps": 1, "seconds": 0, "fail_at": 1}', "raised"), ('{"steps": "x"}', "refused")],
)
def test_a_run_that_does_not_return_exits_with_1(builtin, parameters, outcome):
    builtin("count_slowly")

    run, code = run_tool("count_slowly", "--parameters", parameters)

    assert (run["outcome"], code) == (outcome, 1)


def test_a_mock_needs_no_factory(builtin):
    builtin("get-weather")

    run, code = run_tool("Get weather", "--parameters", '{"location": "New York"}', "--mock")

    assert (run["mode"], run["response"]["condition"], code) == ("mock", "Sunny", 0)


def test_a_tool_is_found_by_its_slug_as_well(builtin):
    builtin("get-weather")

    assert run_tool("get-weather-498ebfb0", "--mock")[1] == 0


def test_a_configuration_is_read_from_a_file_and_not_printed(builtin, tmp_path):
    builtin("sign_text")
    path = tmp_path / "configuration.json"
    path.write_text('{"key": "hunter22-hunter22"}')

    run, code = run_tool(
        "sign_text", "--parameters", '{"text": "a"}', "--configuration", f"@{path}"
    )

    assert (run["outcome"], code) == ("returned", 0)
    assert "hunter22" not in json.dumps(run)


def test_a_run_can_have_an_owner(builtin, ada):
    builtin("get-weather")

    run, _ = run_tool("Get weather", "--mock", "--user", "ada")

    assert Run.objects.get(pk=run["id"]).by == ada


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nobody"], "no tool with the id"),
        (["Get weather", "--parameters", "{bad"], "--parameters: "),
        (["Get weather", "--parameters", "@/nowhere.json"], "No such file"),
        (["Get weather", "--configuration", '{"a": NaN}'], "--configuration: "),
        (["Get weather", "--timeout-s", "0"], "--timeout-s"),
        (["Get weather", "--user", "nobody"], "no user"),
    ],
)
def test_a_command_that_is_not_understood_exits_with_two_and_runs_nothing(builtin, words, says):
    builtin("get-weather")

    with pytest.raises(CommandError, match=says) as caught:
        run_tool(*words)

    assert caught.value.returncode == 2
    assert not Run.objects.exists()
