"""The typed client: what it sends, and what each outcome of a run becomes."""

import inspect
import json

import pytest
from pydantic import ValidationError

from catalog.code_generation import generate_project
from catalog.specs.spec import read_spec
from tests.catalog.code_generation.modules import imported
from tests.corpora import GET_WEATHER
from tests.factories import make_spec, properties
from tests.http_server import local_server

RUN = {"id": "r1", "outcome": "returned", "verdict": "conforms", "problems": [], "error": None,
       "response": {"condition": "Sunny", "temperature": 28, "temperatureUnit": "C"}}  # fmt: skip


def client_of(spec):
    [source] = [
        text
        for path, text in generate_project(spec, "python-client").items()
        if path.endswith(".py")
    ]
    return imported(source, "client")


@pytest.fixture(scope="module")
def weather():
    client = client_of(read_spec(GET_WEATHER.read_bytes()))
    client._PAUSE_S = 0.01
    return client


class Site:
    """Answers with the given responses, one after another: (status, JSON)."""

    def __init__(self, *answers, headers=()):
        self.answers = list(answers)
        self.headers = dict(headers)
        self.bodies = []

    def __call__(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        self.bodies.append(json.loads(request.rfile.read(length)) if length else None)
        status, document = self.answers.pop(0)
        data = json.dumps(document).encode()
        request.send_response(status)
        for name, value in self.headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)


def options(client, server, **others):
    return client.Options(url=server.url, token="secret", **others)


def test_it_sends_the_arguments_and_returns_the_typed_response(weather):
    site = Site((201, RUN))

    with local_server(site) as server:
        response = weather.get_weather(location="New York", options=options(weather, server))

    assert isinstance(response, weather.Response)
    assert (response.condition, response.temperature) == ("Sunny", 28.0)
    assert site.bodies == [{"parameters": {"location": "New York"}, "mode": "live", "wait_s": 30.0}]
    [(method, path, headers)] = server.requests
    assert (method, path) == ("POST", "/api/v1/tools/get-weather-498ebfb0/runs")
    assert headers["authorization"] == "Bearer secret"


def test_the_address_and_the_token_come_from_the_environment(weather, monkeypatch):
    with local_server(Site((201, RUN))) as server:
        monkeypatch.setenv("TOOLSHELF_URL", f"{server.url}/")
        monkeypatch.setenv("TOOLSHELF_TOKEN", "other")
        weather.get_weather()

    assert server.requests[0][2]["authorization"] == "Bearer other"


def test_without_address_or_token_it_says_what_to_set(weather, monkeypatch):
    monkeypatch.delenv("TOOLSHELF_URL", raising=False)
    monkeypatch.delenv("TOOLSHELF_TOKEN", raising=False)

    with pytest.raises(weather.RequestFailed, match="TOOLSHELF_URL"):
        weather.get_weather()
    with pytest.raises(weather.RequestFailed, match="TOOLSHELF_TOKEN"):
        weather.get_weather(options=weather.Options(url="http://127.0.0.1:1"))


def test_a_configuration_is_sent_if_it_is_given(weather):
    site = Site((201, RUN), (201, RUN))

    with local_server(site) as server:
        configuration = weather.Configuration(temperatureUnit="F")
        weather.get_weather(options=options(weather, server, configuration=configuration))
        weather.get_weather(
            options=options(weather, server, saved_configuration="mine", mode="mock")
        )

    assert site.bodies[0]["configuration"] == {"temperatureUnit": "F"}
    assert (site.bodies[1]["saved_configuration"], site.bodies[1]["mode"]) == ("mine", "mock")


def test_a_run_that_has_not_ended_is_polled(weather):
    site = Site((202, RUN | {"outcome": "queued"}), (200, RUN | {"outcome": "running"}), (200, RUN))

    with local_server(site) as server:
        response = weather.get_weather(options=options(weather, server))

    assert response.condition == "Sunny"
    assert [request[:2] for request in server.requests[1:]] == [("GET", "/api/v1/runs/r1")] * 2


def test_a_run_that_takes_too_long_can_be_waited_for_later(weather):
    running = RUN | {"outcome": "running"}

    with local_server(Site((202, running), (200, running), (200, RUN))) as server:
        with pytest.raises(weather.StillRunning) as raised:
            weather.get_weather(options=options(weather, server, timeout_s=0.0))
        with pytest.raises(weather.StillRunning):
            weather.result_of(raised.value.run["id"], options(weather, server, timeout_s=0.0))
        assert (
            weather.result_of(raised.value.run["id"], options(weather, server)).condition == "Sunny"
        )


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {
                "outcome": "raised",
                "error": "KeyError: no such place\n\nTraceback (most recent call last)",
            },
            "Failed",
            "no such place$",
        ),
        ({"outcome": "timed_out"}, "Failed", "timed_out"),
        (
            {"outcome": "refused", "problems": [{"pointer": "/parameters", "message": "too few"}]},
            "Refused",
            "/parameters: too few",
        ),
        (
            {
                "verdict": "violates",
                "problems": [{"pointer": "/temperature", "message": "not a number"}],
            },
            "Violation",
            "/temperature: not a number",
        ),
        ({"verdict": "unchecked", "response": {"temperature": "hot"}}, "Violation", "temperature"),
    ],
)
def test_an_outcome_without_a_usable_response_is_an_exception(weather, change, error, message):
    with (
        local_server(Site((201, RUN | change))) as server,
        pytest.raises(getattr(weather, error), match=message) as raised,
    ):
        weather.get_weather(options=options(weather, server))

    assert raised.value.run["id"] == "r1"


def test_a_violation_has_the_response(weather):
    site = Site((201, RUN | {"verdict": "violates", "response": 1}))

    with local_server(site) as server, pytest.raises(weather.Violation) as raised:
        weather.get_weather(options=options(weather, server))

    assert raised.value.response == 1


def test_an_error_of_the_site_has_its_status_and_detail(weather):
    site = Site((403, {"detail": "The token needs the scope `run`."}))

    with (
        local_server(site) as server,
        pytest.raises(weather.RequestFailed, match="403: The token needs") as raised,
    ):
        weather.get_weather(options=options(weather, server))

    assert raised.value.status == 403


def test_it_asks_again_when_the_site_is_busy(weather):
    site = Site(
        (429, {"detail": "Too many runs are waiting."}), (201, RUN), headers={"Retry-After": "1"}
    )

    with local_server(site) as server:
        assert weather.get_weather(options=options(weather, server)).condition == "Sunny"


def test_a_redirect_is_not_followed_with_the_token(weather):
    site = Site((302, {}), headers={"Location": "http://127.0.0.1:1/"})

    with local_server(site) as server, pytest.raises(weather.RequestFailed, match="302"):
        weather.get_weather(options=options(weather, server))

    assert len(server.requests) == 1


def test_the_token_is_not_shown():
    client = client_of(make_spec("greet"))

    assert "secret" not in repr(client.Options(token="secret"))


def test_required_arguments_come_first_and_have_no_default():
    parameters = {
        **properties(a={"type": "string", "default": "x"}, b={"type": "integer"}),
        "required": ["b"],
    }
    client = client_of(make_spec("greet", parameters=parameters))

    arguments = inspect.signature(client.greet).parameters

    assert list(arguments) == ["b", "a", "options"]
    assert arguments["b"].default is inspect.Parameter.empty
    with pytest.raises(ValidationError):
        client.greet(b="many")


def test_members_may_have_the_names_that_the_module_uses():
    names = ("options", "run", "request", "json", "Request", "Options", "time", "self", "dict")
    parameters = {
        **properties(**{name: {"type": "string"} for name in names}),
        "required": list(names),
    }
    client = client_of(make_spec("run", parameters=parameters))
    site = Site((201, RUN | {"response": None}))

    with local_server(site) as server:
        arguments = {
            name: name
            for name in inspect.signature(client.run_2).parameters
            if not name.startswith("options_")
        }
        client.run_2(**arguments, options_2=options(client, server))

    assert set(site.bodies[0]["parameters"]) == set(names)


def test_parameters_that_are_no_object_are_one_argument():
    client = client_of(
        make_spec("total", parameters={"type": "array", "items": {"type": "integer"}})
    )
    site = Site((201, RUN | {"response": 3}))

    with local_server(site) as server:
        assert client.total([1, 2], options=options(client, server)) == 3

    assert site.bodies[0]["parameters"] == [1, 2]
