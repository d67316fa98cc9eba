"""The main job, end to end, as programs do it: through the API with a token, and by commands, on a whole real site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.corpora import GET_WEATHER
from tests.site import Site

SLUG = "get-weather-498ebfb0"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(
        tmp_path_factory.mktemp("site"), settings={"PRELOAD_TOOLS": True}
    )  # as it is without settings
    yield site
    site.stop()


@pytest.fixture(scope="module")
def api(site) -> Iterator[httpx.Client]:
    token = site.token("robot", "read", "publish", "run")
    with httpx.Client(
        base_url=f"{site.url}/api/v1", headers={"Authorization": f"Bearer {token}"}, timeout=30
    ) as client:
        yield client


def test_a_program_uploads_finds_runs_and_reads_the_verdict(api):
    stored = api.post(
        "/tools", content=GET_WEATHER.read_bytes(), headers={"Content-Type": "application/json"}
    )
    found = api.get("/tools", params={"q": "weather", "runnable": "true"}).json()
    run = api.post(
        found["items"][0]["slug"].join(["/tools/", "/runs"]),
        json={
            "parameters": {"location": "New York"},
            "configuration": {"temperatureUnit": "C"},
            "mode": "live",
        },
    )

    assert stored.status_code in {200, 201}
    assert found["items"][0]["id"] == "Get weather"
    assert run.status_code == 201
    assert run.json()["outcome"] == "returned"
    assert run.json()["verdict"] == "conforms"
    assert run.json()["response"] == {
        "condition": "Sunny",
        "temperature": 28,
        "temperatureUnit": "C",
    }
    assert api.get(f"/runs/{run.json()['id']}").json() == run.json()


def test_the_uploaded_text_comes_back_byte_for_byte(api):
    api.post(
        "/tools", content=GET_WEATHER.read_bytes(), headers={"Content-Type": "application/json"}
    )

    assert api.get(f"/tools/{SLUG}/spec").content == GET_WEATHER.read_bytes()


def test_a_response_that_breaks_its_schema_comes_with_what_it_breaks(api):
    run = api.post(
        "/tools/drifting_thermometer/runs", json={"parameters": {"hours_since_calibration": 73}}
    ).json()

    assert run["outcome"] == "returned"
    assert run["verdict"] == "violates"
    assert run["response"]["readings"]
    assert "/readings/1/temperature" in {problem["pointer"] for problem in run["problems"]}
    assert all(problem["schema_pointer"] for problem in run["problems"])


def test_parameters_that_do_not_fit_are_refused_before_anything_is_called(api):
    run = api.post("/tools/convert_units/runs", json={"parameters": {"value": "many"}}).json()

    assert run["outcome"] == "refused"
    assert run["problems"]


def test_numbers_stay_what_they_are(api):
    spec = {"definition": {"name": "exact", "description": "", "parameters": {"type": "object"}}}
    api.post("/tools", json=spec)

    run = api.post(
        "/tools/exact/runs",
        content=b'{"mode": "mock", "parameters": {"big": 9223372036854775809, "price": 19.90}}',
        headers={"Content-Type": "application/json"},
    )

    assert b"9223372036854775809" in run.content
    assert b"19.90" in run.content


def test_a_command_runs_a_tool(site):
    ended = site.manage(
        "run_tool",
        "Get weather",
        "--parameters",
        '{"location": "New York"}',
        "--configuration",
        '{"temperatureUnit": "F"}',
    )

    run = json.loads(ended.stdout)
    assert run["verdict"] == "conforms"
    assert run["response"]["temperatureUnit"] == "F"


def test_a_command_fails_where_the_response_does_not_conform(site):
    ended = site.manage(
        "run_tool",
        "drifting_thermometer",
        "--parameters",
        '{"hours_since_calibration": 73}',
        check=False,
    )

    assert ended.returncode == 1
    assert json.loads(ended.stdout)["verdict"] == "violates"


BAD_SPECS = {
    "not JSON": b"{'definition': 1}",
    "a list of numbers": b"[1, 2]",
    "no definition": b"{}",
    "wrong types": b'{"definition": {"name": 1, "description": []}}',
    "a remote reference": b'{"definition":{"name":"x","description":"","parameters":{"$ref":"http://127.0.0.1:1/x.json"}}}',
    "a member twice": b'{"definition":{"name":"x","name":"y","description":""}}',
    "a NUL": b'{"definition":{"name":"x","description":"\\u0000"}}',
    "too large": b'{"definition":{"name":"x","description":"' + b"a" * 10_000_000 + b'"}}',
}


@pytest.mark.parametrize("body", BAD_SPECS.values(), ids=BAD_SPECS.keys())
def test_the_api_refuses_a_bad_spec_and_stores_nothing(api, body):
    before = api.get("/tools").json()["count"]

    answer = api.post("/tools", content=body, headers={"Content-Type": "application/json"})

    assert 400 <= answer.status_code < 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["errors"][0]["message"]
    assert api.get("/tools").json()["count"] == before


def test_the_command_refuses_each_bad_spec_and_stores_nothing(api, site, tmp_path):
    before = api.get("/tools").json()["count"]
    for name, body in BAD_SPECS.items():
        (tmp_path / f"{name}.json").write_bytes(body)

    ended = site.manage("load_specs", str(tmp_path), check=False)

    report = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert {
        Path(spec["source"]).stem: spec["outcome"] for spec in report["specs"]
    } == dict.fromkeys(BAD_SPECS, "rejected")
    assert all(spec["problems"] for spec in report["specs"])
    assert "Traceback" not in ended.stderr
    assert api.get("/tools").json()["count"] == before


def test_without_a_token_one_can_look_but_not_change_or_run(site):
    with httpx.Client(base_url=f"{site.url}/api/v1", timeout=60) as anybody:
        assert anybody.get("/tools").status_code == 200
        assert anybody.get("/tools/convert_units").status_code == 200
        assert anybody.post("/tools", json={}).status_code == 401
        assert anybody.post("/tools/convert_units/runs", json={"parameters": {}}).status_code == 401


def test_a_restart_keeps_everything_and_is_quick(site, api):
    before = api.get("/tools").json()["count"]
    site.stop()

    site.start()

    assert api.get("/tools").json()["count"] == before
