import json

import pytest

from accounts.tokens import create_token
from catalog.organise.lifecycle import deprecate
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.runs import running
from playground.runs.models import Run
from tests.factories import make_tool, properties
from toolspec.spec import read_spec

pytestmark = pytest.mark.usefixtures("runs")


class Api:
    """A program with a token."""

    def __init__(self, client, user, scopes=("read", "run")):
        self.client = client
        self.headers = {"Authorization": f"Bearer {create_token(user, scopes=scopes)[1]}"}

    def get(self, path):
        return self.client.get(f"/api/v1{path}", headers=self.headers)

    def post(self, path, body=None):
        text = body if isinstance(body, str) else json.dumps(body)
        more = {} if body is None else {"data": text, "content_type": "application/json"}
        return self.client.post(f"/api/v1{path}", headers=self.headers, **more)

    def delete(self, path):
        return self.client.delete(f"/api/v1{path}", headers=self.headers)


@pytest.fixture
def api(client, ada):
    return Api(client, ada)


@pytest.fixture
def eve(client, django_user_model):
    return Api(client, django_user_model.objects.create_user("eve"))


@pytest.fixture
def staff(client, django_user_model):
    return Api(client, django_user_model.objects.create_user("root", is_staff=True))


# -- running ----------------------------------------------------------------------------------------------------------


def test_a_finished_run_answers_201_with_all_of_it(api, builtin):
    builtin("convert_units")

    answer = api.post(
        "/tools/convert_units/runs", {"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}}
    )

    assert answer.status_code == 201
    run = answer.json()
    assert answer["Location"] == f"/api/v1/runs/{run['id']}"
    assert run["tool"] == {"id": "convert_units", "slug": "convert_units", "revision": 1}
    assert (run["mode"], run["outcome"], run["verdict"], run["by"]) == (
        "live",
        "returned",
        "conforms",
        "ada",
    )
    assert run["parameters"] == {"value": 1, "from_unit": "km", "to_unit": "m"}
    assert run["response"]["value"] == 1000
    assert run["logs"]["truncated"] is False
    assert run["error"] is None
    assert run["duration_ms"] > 0
    assert run["started_at"].endswith("Z")


def test_a_violation_has_its_pointer_and_rule(api, builtin):
    builtin("drifting_thermometer")

    run = api.post(
        "/tools/drifting_thermometer/runs", {"parameters": {"hours_since_calibration": 50}}
    ).json()

    assert run["verdict"] == "violates"
    problem = next(
        problem for problem in run["problems"] if problem["pointer"] == "/readings/1/temperature"
    )
    assert problem["keyword"] == "type"
    assert problem["schema_pointer"].endswith("/type")
    assert run["response"]["readings"][1]["temperature"] == "lukewarm"


def test_a_run_that_takes_longer_answers_202_and_where_to_ask(api, builtin):
    builtin("count_slowly")

    answer = api.post(
        "/tools/count_slowly/runs", {"parameters": {"steps": 5, "seconds": 1}, "wait_s": 0}
    )

    assert answer.status_code == 202
    run = Run.objects.get(pk=answer.json()["id"])
    assert running.wait(run, 10).outcome == "returned"
    assert api.get(answer["Location"].removeprefix("/api/v1")).json()["outcome"] == "returned"


def test_parameters_that_do_not_fit_are_a_refused_run(api, builtin):
    builtin("convert_units")

    answer = api.post(
        "/tools/convert_units/runs",
        {"parameters": {"value": "x", "from_unit": "km", "to_unit": "m"}},
    )

    assert answer.status_code == 201
    assert answer.json()["outcome"] == "refused"
    assert [problem["pointer"] for problem in answer.json()["problems"]] == ["/parameters/value"]


def test_exact_numbers_survive_the_way_in_and_out(api, builtin):
    builtin("get-weather")
    numbers = '"a": 12345678901234567890.10, "b": 9223372036854775809, "c": 1.0'
    body = f'{{"mode": "mock", "parameters": {{"location": "x", {numbers}}}}}'

    text = api.post("/tools/get-weather-498ebfb0/runs", body).content.decode()

    assert '"a": 12345678901234567890.10' in text
    assert '"b": 9223372036854775809' in text
    assert '"c": 1.0' in text


def test_a_mock_names_its_source(api, builtin):
    builtin("get-weather")

    run = api.post(
        "/tools/get-weather-498ebfb0/runs", {"mode": "mock", "parameters": {"location": "Wien"}}
    ).json()

    assert (run["mode"], run["factory"], run["mock"]["source"]) == ("mock", None, "nearest")
    assert run["mock"]["differences"] == [{"pointer": "/location", "kind": "changed"}]


def test_an_older_revision_can_be_asked_for(api, builtin):
    tool = builtin("count_slowly")
    publish(read_spec(tool.current.source.replace("How far to count.", "Up to where.")), by=None)

    run = api.post("/tools/count_slowly/runs", {"mode": "mock", "revision": 1}).json()

    assert run["tool"]["revision"] == 1
    assert api.post("/tools/count_slowly/runs", {"revision": 9}).status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 422),
        ('{"parameters": {}, "unknown": 1}', 422),
        ('{"mode": "dry"}', 422),
        ('{"timeout_s": 0}', 422),
        ('{"timeout_s": 1e9}', 422),
        ('{"wait_s": 3600}', 422),
        ('{"wait_s": true}', 422),
        ('{"timeout_s": true}', 422),
        ('{"parameters": {"a": NaN}}', 400),
        ('{"parameters": {"a": 1, "a": 2}}', 400),
        ('{"parameters": {"a": "\\u0000"}}', 400),
        ('{"configuration": {}, "saved_configuration": "work"}', 422),
        ('{"saved_configuration": "there is none"}', 422),
    ],
)
def test_a_body_that_cannot_be_used_is_refused_and_nothing_recorded(api, builtin, body, status):
    builtin("count_slowly")

    answer = api.post("/tools/count_slowly/runs", body)

    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert not Run.objects.exists()


def test_an_unknown_tool_is_404(api):
    assert api.post("/tools/nobody/runs", {}).status_code == 404


def test_a_full_queue_answers_429_with_when_to_try_again(api, builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES, settings.RUN_QUEUE_MAX = 1, 1, 0
    builtin("count_slowly")
    first = api.post("/tools/count_slowly/runs", {"parameters": {"seconds": 30}, "wait_s": 0})

    answer = api.post("/tools/count_slowly/runs", {"wait_s": 0})

    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1
    assert Run.objects.count() == 1
    api.post(f"/runs/{first.json()['id']}/cancel")


# -- reading ----------------------------------------------------------------------------------------------------------


def test_one_sees_ones_own_runs_and_staff_see_all(api, eve, staff, builtin):
    builtin("get-weather")
    mine = api.post("/tools/get-weather-498ebfb0/runs", {"mode": "mock"}).json()["id"]

    assert api.get(f"/runs/{mine}").status_code == 200
    assert staff.get(f"/runs/{mine}").status_code == 200
    assert eve.get(f"/runs/{mine}").status_code == 404
    assert [len(one.get("/runs").json()["items"]) for one in (api, eve, staff)] == [1, 0, 1]


def test_another_users_run_cannot_be_cancelled(api, eve, builtin):
    builtin("count_slowly")
    body = {"parameters": {"seconds": 30}, "wait_s": 0}
    run = api.post("/tools/count_slowly/runs", body).json()["id"]

    assert eve.post(f"/runs/{run}/cancel").status_code == 404
    assert api.post(f"/runs/{run}/cancel").json()["outcome"] == "cancelled"


def test_runs_are_listed_page_by_page_the_latest_first(api, builtin):
    builtin("get-weather")
    made = [
        api.post("/tools/get-weather-498ebfb0/runs", {"mode": "mock"}).json()["id"]
        for _ in range(5)
    ]

    first = api.get("/runs?limit=2").json()
    second = api.get(f"/runs?limit=2&cursor={first['next']}").json()
    last = api.get(f"/runs?limit=2&cursor={second['next']}").json()

    listed = [run["id"] for page in (first, second, last) for run in page["items"]]
    assert listed == sorted(made, reverse=True)
    assert last["next"] is None
    assert "response" not in first["items"][0]


def test_runs_are_filtered(api, builtin):
    builtin("get-weather")
    builtin("drifting_thermometer")
    api.post("/tools/get-weather-498ebfb0/runs", {"mode": "mock"})
    api.post("/tools/get-weather-498ebfb0/runs", {"mode": "mock", "parameters": {"location": 5}})
    api.post("/tools/drifting_thermometer/runs", {"parameters": {"hours_since_calibration": 50}})

    def count(query):
        return len(api.get(f"/runs?{query}").json()["items"])

    assert count("tool=get-weather-498ebfb0") == 2
    assert count("outcome=refused") == 1
    assert count("verdict=violates") == 1
    assert count("mode=live") == 1
    assert count("tool=get-weather-498ebfb0&verdict=conforms") == 1
    assert count("since=2999-01-01") == 0
    assert count("since=0001-01-01") == count("until=9999-12-31") == 3
    assert count("until=0001-01-01") == 0
    assert count("until=2999-01-01") == 3
    assert count("by=nobody") == 0


@pytest.mark.parametrize(
    "query", ["outcome=fine", "limit=0", "limit=1000", "cursor=x", "since=yesterday"]
)
def test_a_filter_that_means_nothing_is_422(api, query):
    assert api.get(f"/runs?{query}").status_code == 422


@pytest.mark.parametrize("run_id", ["0" * 32, "x", "0" * 31, "%00"])
def test_a_run_that_is_not_there(api, run_id):
    assert api.get(f"/runs/{run_id}").status_code in {400, 404, 422}


# -- saved configurations ---------------------------------------------------------------------------------------------


def test_a_saved_configuration_is_used_by_its_name_and_its_secret_never_comes_out(api, builtin):
    builtin("sign_text")
    saved = api.post(
        "/tools/sign_text/configurations",
        {"name": "work", "configuration": {"key": "hunter22-hunter22", "algorithm": "sha1"}},
    )

    run = api.post(
        "/tools/sign_text/runs", {"parameters": {"text": "a"}, "saved_configuration": "work"}
    )

    assert saved.status_code == 201
    assert saved.json()["configuration"] == {"algorithm": "sha1"}
    assert [secret["pointer"] for secret in saved.json()["secrets"]] == ["/key"]
    assert run.json()["outcome"] == "returned"
    assert run.json()["configuration"]["saved_configuration"] == "work"
    listed = api.get("/tools/sign_text/configurations")
    assert [item["name"] for item in listed.json()["items"]] == ["work"]
    for answer in (saved, run, listed):
        assert b"hunter22" not in answer.content


def test_numbers_in_a_saved_configuration_stay_exact(api):
    make_tool("scales", configuration={"type": "object"})
    numbers = '"a": 12345678901234567890.10, "b": 1e300, "c": 1.0'
    path = "/tools/scales/configurations"

    saved = api.post(path, f'{{"name": "work", "configuration": {{{numbers}}}}}')

    assert f'"configuration": {{{numbers}}}' in saved.content.decode()
    assert f'"configuration": {{{numbers}}}' in api.get(path).content.decode()


@pytest.mark.parametrize(
    ("configuration", "pointer", "rule"),
    [
        (
            {"key": "hunter22-hunter22", "algorithm": "md5"},
            "/configuration/algorithm",
            "schema.enum",
        ),
        ({"key": 5, "region": "north"}, "/configuration/key", "schema.type"),
        (
            {"key": "hunter22", "region": "north", "colour": "red"},
            "/configuration/colour",
            "schema.additionalProperties",
        ),
        (
            {"key": "hunter22", "region": "north", "login": {"user": 1}},
            "/configuration/login/user",
            "schema.type",
        ),
    ],
)
def test_a_configuration_that_violates_its_schema_is_not_saved(api, configuration, pointer, rule):
    login = {"type": "object", "properties": {"user": {"type": "string"}}}
    schema = properties(
        key={"type": "string", "writeOnly": True},
        region={"type": "string"},
        algorithm={"enum": ["sha1", "sha256"]},
        login=login,
    )
    make_tool(
        "signs",
        configuration={**schema, "required": ["key", "region"], "additionalProperties": False},
    )

    answer = api.post(
        "/tools/signs/configurations", {"name": "work", "configuration": configuration}
    )

    assert answer.status_code == 422
    assert (pointer, rule) in [
        (error["pointer"], error["rule"]) for error in answer.json()["errors"]
    ]
    assert api.get("/tools/signs/configurations").json()["items"] == []


def test_a_configuration_that_leaves_out_a_stored_secret_is_checked_with_it(api):
    schema = properties(key={"type": "string", "writeOnly": True}, region={"type": "string"})
    make_tool("signs", configuration={**schema, "required": ["key"]})
    path = "/tools/signs/configurations"
    api.post(path, {"name": "work", "configuration": {"key": "hunter22", "region": "north"}})

    retained = api.post(path, {"name": "work", "configuration": {"region": "south"}})
    wrong = api.post(path, {"name": "work", "configuration": {"region": 5}})
    missing = api.post(
        path, {"name": "work", "configuration": {"region": "west"}, "remove_secrets": ["/key"]}
    )

    assert (retained.status_code, retained.json()["configuration"]) == (201, {"region": "south"})
    assert [error["pointer"] for error in wrong.json()["errors"]] == ["/configuration/region"]
    assert (missing.status_code, missing.json()["secrets"]) == (201, [])


def test_saved_configurations_are_ones_own(api, eve, builtin):
    builtin("sign_text")
    api.post(
        "/tools/sign_text/configurations",
        {"name": "work", "configuration": {"key": "hunter22-hunter22"}},
    )

    assert eve.get("/tools/sign_text/configurations").json()["items"] == []
    assert eve.delete("/tools/sign_text/configurations/work").status_code == 404
    assert eve.post("/tools/sign_text/runs", {"saved_configuration": "work"}).status_code == 422


def test_a_saved_configuration_is_removed(api, builtin):
    builtin("sign_text")
    api.post("/tools/sign_text/configurations", {"name": "at work", "configuration": {}})

    assert api.delete("/tools/sign_text/configurations/at%20work").status_code == 204
    assert api.get("/tools/sign_text/configurations").json()["items"] == []


def test_a_configuration_without_its_key_is_reported_as_unusable(api, builtin, settings):
    builtin("sign_text")
    api.post(
        "/tools/sign_text/configurations",
        {"name": "work", "configuration": {"key": "hunter22-hunter22"}},
    )
    settings.CONFIGURATION_KEYS = ["another"]

    answer = api.post(
        "/tools/sign_text/runs", {"parameters": {"text": "a"}, "saved_configuration": "work"}
    )

    assert answer.status_code == 422
    assert "can no longer be decrypted" in answer.json()["detail"]
    assert api.get("/tools/sign_text/configurations").json()["items"][0]["readable"] is False


# -- of a deprecated tool ---------------------------------------------------------------------------------------------

MINUTE = {"parameters": {"value": 1, "from_unit": "min", "to_unit": "s"}}


@pytest.fixture
def deprecated(builtin):
    """A tool that is superseded by another tool."""
    builtin("convert_units")
    builtin("sign_text")
    return deprecate(Tool.objects.get(tool_id="convert_units"), superseded_by="sign_text")


def test_responses_about_runs_of_a_deprecated_tool_have_the_deprecation_headers(api, deprecated):
    made = api.post("/tools/convert_units/runs", MINUTE)
    run = made.json()["id"]

    for answer in (
        made,
        api.post("/tools/convert_units/runs", {**MINUTE, "mode": "mock"}),
        api.post("/tools/convert_units/runs", {"parameters": {}}),
        api.get(f"/runs/{run}"),
        api.post(f"/runs/{run}/cancel"),
        api.get("/tools/convert_units/configurations"),
    ):
        assert answer.status_code in {200, 201}
        assert answer["Deprecation"] == f"@{int(deprecated.deprecated_at.timestamp())}"
        assert answer["Link"] == '</api/v1/tools/sign_text>; rel="successor-version"'


def test_a_response_about_an_active_run_has_the_deprecation_headers_too(api, builtin):
    builtin("count_slowly")
    deprecate(Tool.objects.get(tool_id="count_slowly"), superseded_by="")

    answer = api.post(
        "/tools/count_slowly/runs", {"parameters": {"steps": 5, "seconds": 1}, "wait_s": 0}
    )

    assert answer.status_code == 202
    assert "Deprecation" in answer


def test_answers_about_runs_of_other_tools_do_not(api, deprecated):
    answer = api.post("/tools/sign_text/runs", {"parameters": {}, "mode": "mock"})

    assert "Deprecation" not in answer
    assert "Link" not in answer
