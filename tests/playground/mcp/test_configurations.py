"""The configurations that MCP calls use: chosen by a person, never sent by a client, never returned."""

import json

import pytest
from django.test import Client

from catalog.organise.metadata import Organisation, organise
from playground.configurations.mcp_choice import choose_configuration
from playground.configurations.models import MCPConfiguration, SavedConfiguration
from playground.configurations.saved import save_configuration
from playground.configurations.secret_members import Configuration
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_token, make_user
from tests.playground.mcp.agent import ModernAgent

pytestmark = pytest.mark.usefixtures("runs")

SECRET = "a-key-that-nobody-may-see"


@pytest.fixture
def sign_text(builtin, ada):
    """A tool that takes a key, in the toolkit *Signing*."""
    return organise(builtin("sign_text"), Organisation(toolkit="Signing"), by=ada)


def save(user, tool, name, key=SECRET):
    return save_configuration(user, tool, name, Configuration({"key": key}), None)


def sign(agent):
    return agent.call("call_tool", {"tool": "sign_text", "arguments": {"text": "hello"}})


def test_without_a_choice_the_call_has_no_configuration(modern, sign_text, ada):
    save(ada, sign_text, "work")

    sign(modern)

    assert Run.objects.get().configuration_fingerprint == ""


def test_the_configuration_chosen_for_a_tool_is_used(modern, sign_text, ada):
    save(ada, sign_text, "work")
    choose_configuration(ada, sign_text, "work")

    result = sign(modern)

    assert result["isError"] is False
    assert Run.objects.get().configuration_name == "work"
    assert SECRET not in json.dumps(result)


def test_a_choice_applies_only_to_its_user(sign_text, ada, db):
    save(ada, sign_text, "work")
    choose_configuration(ada, sign_text, "work")
    eve = ModernAgent(Client(), make_token("run", user=make_user("eve")))

    sign(eve)

    assert Run.objects.get().configuration_fingerprint == ""


def test_a_chosen_configuration_that_was_deleted_is_explained(modern, sign_text, ada):
    save(ada, sign_text, "work")
    choose_configuration(ada, sign_text, "work")
    SavedConfiguration.objects.all().delete()

    result = sign(modern)

    assert result["isError"] is True
    assert result["content"][0]["text"].startswith(
        "The saved configuration 'work', which its user chose"
    )
    assert Run.objects.count() == 0


def test_a_configuration_that_cannot_be_decrypted_is_explained(modern, sign_text, ada):
    save(ada, sign_text, "work")
    choose_configuration(ada, sign_text, "work")
    SavedConfiguration.objects.update(encrypted="broken")

    assert "can no longer be decrypted" in sign(modern)["content"][0]["text"]


def test_a_mock_uses_no_configuration(modern, sign_text, ada):
    save(ada, sign_text, "work")
    choose_configuration(ada, sign_text, "work")

    sign(modern.at("/mcp?mock=1"))

    assert Run.objects.get().configuration_fingerprint == ""


def test_an_argument_named_like_a_configuration_is_only_an_argument(modern, sign_text):
    arguments = {"tool": "sign_text", "arguments": {"text": "hello"}, "configuration": {"key": "x"}}

    result = modern.call("call_tool", arguments)

    assert result["isError"] is True
    assert "configuration" in result["content"][0]["text"]
    assert Run.objects.count() == 0


# -- the API ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def api(ada):
    return Program(make_token("run", user=ada))


def test_the_api_stores_and_removes_a_choice(api, sign_text, ada):
    path = "/tools/sign_text/mcp-configuration"
    save(ada, sign_text, "work")

    assert api.ask(path).json() == {"saved_configuration": None}
    assert api.send("PUT", path, '{"saved_configuration": "work"}').json() == {
        "saved_configuration": "work"
    }
    assert api.send("PUT", path, '{"saved_configuration": "work"}').status_code == 200
    assert api.ask(path).json() == {"saved_configuration": "work"}
    assert api.send("PUT", path, '{"saved_configuration": null}').json() == {
        "saved_configuration": None
    }
    assert MCPConfiguration.objects.count() == 0


def test_the_api_refuses_a_configuration_that_does_not_exist(api, sign_text):
    path = "/tools/sign_text/mcp-configuration"

    answer = api.send("PUT", path, '{"saved_configuration": "work"}')

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/saved_configuration"


def test_the_api_knows_no_choice_for_what_does_not_exist(api):
    path = "/tools/none/mcp-configuration"

    assert api.ask(path).status_code == 404
    assert api.send("PUT", path, '{"saved_configuration": null}').status_code == 404
