import time

import pytest

from playground.builtin.shipped import SPECS
from tests.playground.builtin.calls import call_tool
from toolshelf_tools import listen_to_progress
from toolspec.schema.validation import compile_schema
from toolspec.spec import read_spec


def weather(location, **configuration):
    return call_tool("Get weather", {"location": location}, configuration=configuration)


def test_the_weather_can_be_in_fahrenheit():
    assert weather("New York", temperatureUnit="F") == {
        "condition": "Sunny",
        "temperature": 82.4,
        "temperatureUnit": "F",
    }


def test_a_place_has_the_same_weather_for_ever_and_in_any_spelling():
    assert weather("Reykjavík") == weather("  REYKJAVÍK ")
    assert len({str(weather(place)) for place in ("Oslo", "Lima", "Cairo", "Perth")}) > 1


def test_the_weather_without_a_place_is_some_weather():
    assert call_tool("Get weather", {}).keys() == {"condition", "temperature", "temperatureUnit"}


def test_the_log_says_that_the_weather_is_fake(capsys):
    weather("New\nYork")

    assert capsys.readouterr().out == "FAKE weather for 'New\\nYork': it is made up.\n"


@pytest.fixture
def reports():
    """The progress reported during the test."""
    reports = []
    listen_to_progress(lambda done, total, message: reports.append((done, total, message)))
    yield reports
    listen_to_progress(None)


def test_counting_takes_its_time_logs_and_reports_progress(reports, capsys):
    begun = time.monotonic()

    call_tool("count_slowly", {"steps": 4, "seconds": 0.2})

    assert time.monotonic() - begun >= 0.2
    assert capsys.readouterr().out == "step 1 of 4\nstep 2 of 4\nstep 3 of 4\nstep 4 of 4\n"
    assert reports == [
        (0, 4, "begun"),
        (1, 4, "step 1"),
        (2, 4, "step 2"),
        (3, 4, "step 3"),
        (4, 4, "step 4"),
    ]


def test_counting_fails_at_the_requested_step(capsys):
    with pytest.raises(RuntimeError, match="Failed at step 3, as requested"):
        call_tool("count_slowly", {"steps": 5, "seconds": 0, "fail_at": 3})

    assert capsys.readouterr().out == "step 1 of 5\nstep 2 of 5\n"


@pytest.mark.parametrize(
    ("hours", "violated"),
    [
        (0, set()),
        (24, set()),
        (25, {("/readings/0/temperature", "maximum")}),
        (
            49,
            {("/readings/0/temperature", "maximum"), ("/readings/1/temperature", "type")},
        ),
        (
            73,
            {
                ("", "required"),
                ("/mood", "additionalProperties"),
                ("/readings/0/temperature", "maximum"),
                ("/readings/1/temperature", "type"),
            },
        ),
    ],
)
def test_the_thermometer_drifts_away_from_its_return_type(hours, violated):
    spec = read_spec((SPECS / "drifting_thermometer.json").read_bytes())

    response = call_tool("drifting_thermometer", {"hours_since_calibration": hours})

    problems = compile_schema(spec.return_type).check(response).problems
    assert {(problem.pointer, problem.keyword) for problem in problems} == violated
