"""The code that pages show is run as it stands there, by a shell and by Python, against a real site."""

import os
import shlex
import subprocess
import sys
import urllib.request

import pytest
from selectolax.lexbor import LexborHTMLParser

from playground.factories.registry import FactoryRegistry
from tests.playground.runners import MarkedRunner
from tests.site import Site
from tests.site_accounts import token
from toolspec.spec import slug_for
from toolspec.text import reader

AWKWARD = 'it\'s "5" $HOME `id` \\n {}\n\tnext line \u2028 ✓ !x'
AWKWARD_ID = 'Zoë\'s "tool" $(id) ✓'
TEXT = {"type": "string"}
PERSON = {"type": "object", "properties": {"name": {**TEXT, "minLength": 3}}, "required": ["name"]}

SPECS = {
    "with an example": {
        "parameters": {
            "type": "object",
            "properties": {"text": TEXT, "more": {}},
            "required": ["text"],
        },
        "returnType": {
            "type": "object",
            "properties": {"length": {"type": "integer"}},
            "required": ["length"],
        },
        "examples": [
            {"description": "First.", "parameters": {"text": AWKWARD, "more": [True, None, 1]}},
            {"description": "Second.", "parameters": {"text": "b"}, "returnValue": {"length": 1}},
        ],
    },
    "without an example": {
        "parameters": PERSON,
        "returnType": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
    "with an example that does not fit": {
        "parameters": PERSON,
        "examples": [
            {"parameters": {"name": "x"}},
            {"parameters": {"name": "Ada"}, "returnValue": {"ok": True}},
        ],
    },
    "with examples that do not fit": {
        "parameters": PERSON,
        "examples": [{"parameters": {"name": "x"}}],
    },
    "with a long example": {
        "parameters": PERSON,
        "examples": [{"parameters": {"name": "x" * 9_000}}],
    },
    "without parameters": {"returnType": {"type": "boolean"}},
    "with a configuration": {"parameters": PERSON, "returnType": TEXT},
    "with numbers that Python rounds": {
        "parameters": {"type": "object", "properties": {"exact": {"type": "number"}}},
        "examples": [{"parameters": {"exact": "NUMBER", "text": AWKWARD}}],
    },
    "with parameters that are not found": {
        "parameters": {
            "type": "object",
            "properties": {"a": {"allOf": [{"const": 1}, {"const": 2}]}},
            "required": ["a"],
        }
    },
    AWKWARD_ID: {"parameters": PERSON, "returnType": TEXT},
    "-dash": {"parameters": PERSON},
}
EXACT = "0.1000000000000000055511151231257827"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("specs")
    for number, (name, members) in enumerate(SPECS.items()):
        document = {"definition": {"id": name, "name": name, "description": "A tool.", **members}}
        if name == "with a configuration":
            document["configuration"] = {
                "type": "object",
                "properties": {"apiKey": TEXT},
                "required": ["apiKey"],
            }
        text = reader.dumps(document).replace('"NUMBER"', EXACT)
        (folder / f"{number}.json").write_text(text, encoding="utf-8")
    site = Site(tmp_path_factory.mktemp("site"))
    site.manage("load_specs", str(folder))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def environment(site):
    """The requirements that the snippets name: a token with the scope `run` alone."""
    return {**os.environ, "TOOLSHELF_TOKEN": token(site, "ada", "run")}


NEW_SESSION = """
from django.conf import settings
from django.contrib import auth
from accounts.session_store import SessionStore
from accounts.models import User
ada, session = User.objects.get(username="ada"), SessionStore()
session[auth.SESSION_KEY] = str(ada.pk)
session[auth.BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[auth.HASH_SESSION_KEY] = ada.get_session_auth_hash()
session.create()
print(f"{settings.SESSION_COOKIE_NAME}={session.session_key}")
"""


@pytest.fixture(scope="module")
def session(site, environment):
    """The cookie of the person whose token it is."""
    return site.manage("shell", "-c", NEW_SESSION).stdout.split()[-1]


def page_of(site, address, session=""):
    request = urllib.request.Request(site.url + address, headers={"Cookie": session})
    with urllib.request.urlopen(request) as answer:
        return LexborHTMLParser(answer.read().decode())


def tool_page(site, tool_id):
    return page_of(site, f"/tools/{slug_for(tool_id)}/")


def run_curl(page, environment):
    """The run that the shown command answers with."""
    command = (
        page.css_first("#use-curl-code").text().replace("curl ", "curl --silent --show-error ", 1)
    )
    done = subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, check=True, timeout=60
    )
    return reader.loads(done.stdout)


def run_python(page, environment):
    """The output of the shown program: outcome, verdict and response."""
    program = page.css_first("#use-python-code").text()
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout


@pytest.mark.parametrize(
    "tool_id",
    [
        "without an example",
        "with a long example",
        "without parameters",
        "with a configuration",
        AWKWARD_ID,
        "-dash",
    ],
)
def test_the_call_shown_for_a_tool_without_a_factory_returns_a_mock(site, environment, tool_id):
    page = tool_page(site, tool_id)
    run = run_curl(page, environment)

    assert (run["outcome"], run["mode"], run["tool"]["id"]) == ("returned", "mock", tool_id)
    assert run["verdict"] == ("conforms" if "returnType" in SPECS[tool_id] else "unchecked")
    assert run_python(page, environment).startswith("returned ")
    notes = page.css_first("#use-curl .usage-notes")
    assert "Mock only: the response comes from the spec." in notes.text()
    assert "create_token NAME --scope run" in notes.text()
    assert page.css_first(".tool-metadata a[href^='/factories/new/?tool=']") is not None
    assert notes.css_first("a[href='/account/tokens/']") is not None


@pytest.mark.parametrize("run_shown", [run_curl, run_python])
def test_the_parameters_shown_arrive_letter_for_letter(site, environment, run_shown):
    run_shown(tool_page(site, "with an example"), environment)

    assert latest_run(site, environment)["parameters"] == {"text": AWKWARD, "more": [True, None, 1]}


@pytest.mark.parametrize("run_shown", [run_curl, run_python])
def test_a_number_that_python_rounds_arrives_as_it_is(site, environment, run_shown):
    run_shown(tool_page(site, "with numbers that Python rounds"), environment)

    parameters = latest_run(site, environment)["parameters"]
    assert parameters["exact"].lexeme == EXACT
    assert parameters["text"] == AWKWARD


def latest_run(site, environment):
    secret = token(site, "ada", "read", "run")
    request = urllib.request.Request(
        f"{site.url}/api/v1/runs", headers={"Authorization": f"Bearer {secret}"}
    )
    with urllib.request.urlopen(request) as answer:
        run_id = reader.loads(answer.read())["items"][0]["id"]
    request = urllib.request.Request(
        f"{site.url}/api/v1/runs/{run_id}", headers={"Authorization": f"Bearer {secret}"}
    )
    with urllib.request.urlopen(request) as answer:
        return reader.loads(answer.read())


def test_an_example_that_does_not_fit_the_schema_is_not_shown(site, environment):
    run = run_curl(tool_page(site, "with an example that does not fit"), environment)

    assert (run["parameters"], run["response"]) == ({"name": "Ada"}, {"ok": True})


@pytest.mark.parametrize(
    ("tool_id", "is_made_up"),
    [
        ("with an example", False),
        ("without parameters", False),
        ("without an example", True),
        ("with examples that do not fit", True),
        ("with a long example", True),
    ],
)
def test_parameters_that_were_made_up_are_called_so(site, tool_id, is_made_up):
    notes = tool_page(site, tool_id).css_first("#use-curl .usage-notes").text()

    assert ("These were generated from the schema" in notes) is is_made_up


def test_parameters_that_cannot_be_made_up_are_left_to_the_reader(site):
    notes = (
        tool_page(site, "with parameters that are not found")
        .css_first("#use-curl .usage-notes")
        .text()
    )

    assert "No valid parameters could be generated" in notes


def test_a_mock_is_asked_for_without_the_configuration_that_the_tool_would_need(site):
    assert (
        "apiKey" not in tool_page(site, "with a configuration").css_first("#use-curl-code").text()
    )


@pytest.mark.parametrize("tool_id", ["convert_units", "sign_text"])
def test_the_call_shown_for_a_tool_that_runs_here_runs_it(site, environment, tool_id):
    page = tool_page(site, tool_id)
    run = run_curl(page, environment)

    assert (run["outcome"], run["mode"], run["verdict"]) == ("returned", "live", "conforms")
    assert run_python(page, environment).startswith("returned conforms ")
    assert "No factory" not in page.css_first("#use-curl .usage-notes").text()


def test_the_command_shown_for_a_run_makes_the_run_again(site, environment, session):
    for tool_id in ("with an example", "-dash", AWKWARD_ID):
        page = tool_page(site, tool_id)
        run = run_curl(page, environment)
        command = page_of(site, f"/runs/{run['id']}/", session).css_first("#snippet-command").text()
        command = command.replace(".venv/bin/python", shlex.quote(sys.executable), 1)
        done = subprocess.run(
            ["sh", "-c", command], env=site.environment, capture_output=True, check=True, timeout=60
        )

        again = reader.loads(done.stdout)
        assert (again["outcome"], again["parameters"]) == ("returned", run["parameters"]), (
            done.stderr
        )


def test_the_factory_shown_on_the_page_for_new_factories_runs_its_tool(site, tmp_path):
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)  # tools run as another user where that is possible
    code = page_of(site, "/factories/new/").css_first("#factory-code").text()
    (tmp_path / "shown_package.py").write_text(code)
    registry = FactoryRegistry(["shown_package:greet"], search_path=[str(tmp_path)])

    runner = MarkedRunner(search_path=[str(tmp_path)])
    try:
        end = runner.run("shown_package:greet", {"name": "Ada"})
    finally:
        runner.close()

    assert registry.for_tool("greet").state == "ok"
    assert (end.outcome, end.response) == ("returned", "Hello, Ada!")
