"""Parameters that their schema marks as secret: used for the call, and never stored, shown or sent in clear text."""

import json

import pytest

from accounts.models import User
from catalog.tools.publishing import publish
from playground.runs import running
from playground.runs.models import Run
from playground.runs.tasks import execute_message
from tests.playground.history.test_pages import tree_of
from toolshelf_core.encryption import decrypt
from toolspec.spec import read_spec

SECRET = "mrk-5e1f-par-77"
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "password": {"type": "string", "format": "password"},
        "keys": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"pin": {"type": "integer", "x-secret": True}},
            },
        },
    },
}
PARAMETERS = {"text": f"log in with {SECRET}", "password": SECRET, "keys": [{"pin": 8812375}]}


@pytest.fixture
def echoing(transactional_db, runs):
    """The built-in tool that returns the hash of a text, with a spec that marks secrets."""

    def make(**more):
        definition = {
            "id": "query_json",
            "name": "t",
            "description": "d",
            "parameters": {**SCHEMA, **more},
        }
        return publish(read_spec(json.dumps({"definition": definition})), by=None).tool

    return make


def filled_in(page):
    """The values of the fields on a page."""
    fields = tree_of(page).css("form input, form textarea")
    return [(field.attributes.get("value") or field.text()).strip() for field in fields]


def everything(run):
    return json.dumps(
        {name: str(value) for name, value in Run.objects.filter(pk=run.pk).values()[0].items()}
    )


def test_they_are_stored_as_a_mark(echoing):
    tool = echoing()

    run = running.start(tool, tool.current, PARAMETERS, by=None, mode="mock")

    stored = Run.objects.get(pk=run.pk)
    assert stored.parameters["password"] == "[secret]"
    assert stored.parameters["keys"] == [{"pin": "[secret]"}]
    assert stored.parameters["text"] == "log in with [secret]"


def test_responses_do_not_contain_secrets(echoing):
    tool = echoing()

    run = running.start(
        tool, tool.current, {"password": SECRET, "keys": [{"pin": 8812375}]}, by=None, mode="mock"
    )

    assert run.outcome == "returned"  # it echoes what it was sent
    assert SECRET not in everything(run)
    assert "8812375" not in everything(run)


def test_a_refused_run_does_not_contain_secrets(echoing):
    tool = echoing(required=["more"])

    run = running.start(tool, tool.current, {"password": SECRET}, by=None, mode="mock")

    assert run.outcome == "refused"
    assert SECRET not in everything(run)


def test_the_tool_is_called_with_them(builtin, runs):
    tool = builtin("hash_text")
    document = json.loads(tool.current.source)
    document["definition"]["parameters"]["properties"]["text"]["writeOnly"] = True
    tool = publish(read_spec(json.dumps(document)), by=None).tool

    started = running.start(tool, tool.current, {"text": "hello, hello"}, by=None)
    run = running.wait(started, 20)

    assert run.response["bytes_hashed"] == 12
    assert Run.objects.get(pk=run.pk).parameters == {"text": "[secret]"}


def test_workers_get_them_only_in_the_encrypted_message(builtin, runs, settings, monkeypatch):
    settings.RUNNER = "celery"
    messages = []
    monkeypatch.setattr(
        "playground.runs.celery.app.send", lambda *message: messages.append(message)
    )
    document = json.loads(builtin("hash_text").current.source)
    document["definition"]["parameters"]["properties"]["text"]["writeOnly"] = True
    tool = publish(read_spec(json.dumps(document)), by=None).tool

    running.start(tool, tool.current, {"text": SECRET}, by=None)
    execute_message(*messages[-1])

    run = Run.objects.get()
    assert run.response["bytes_hashed"] == len(SECRET)
    assert SECRET not in everything(run) + messages[-1][1]
    assert decrypt(messages[-1][1])["parameters"] == {"text": SECRET}


def test_to_run_again_they_are_to_be_filled_in(echoing, client):
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    tool = echoing()
    run = running.start(tool, tool.current, {"password": SECRET}, by=ada, mode="mock")

    answer = client.post(f"/runs/{run.pk}/again/", follow=True)

    assert answer.redirect_chain[-1][0].startswith(f"/tools/{tool.slug}/try/?run=")
    assert (
        answer.content.decode().count("Secrets among the parameters of that run are not stored.")
        == 1
    )
    assert Run.objects.count() == 1


def test_fields_to_fill_in_again_are_empty(echoing, client):
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    tool = echoing()
    parameters = {"text": "kept", "password": SECRET, "keys": [{"pin": 8812375}]}
    run = running.start(tool, tool.current, parameters, by=ada, mode="mock")

    page = client.get(f"/tools/{tool.slug}/try/?run={run.pk}")

    assert "kept" in filled_in(page)
    assert page.context["trial"].parameters_value == {"text": "kept", "keys": [{}]}


def notice(page):
    """The text of the notice about secrets, and the labels of the fields that it links to."""
    tree = tree_of(page)
    [found] = [one for one in tree.css(".notice") if "Secrets among" in one.text()]
    links = {
        link.text(strip=True): tree.css_first(f'[id="{link.attributes["href"][1:]}"]')
        for link in found.css("a")
    }
    return " ".join(found.text().split()), links


@pytest.fixture
def person(client):
    user = User.objects.create_user("ada")
    client.force_login(user)
    return user


def opened(client, person, tool, parameters):
    run = running.start(tool, tool.current, parameters, by=person, mode="mock")
    return client.get(f"/tools/{tool.slug}/try/?run={run.pk}")


def test_the_page_names_the_fields_that_are_to_be_filled_in_again(echoing, client, person):
    page = opened(client, person, echoing(), PARAMETERS)

    words, links = notice(page)

    assert words.startswith(
        "Secrets among the parameters of that run are not stored. Fill in again: password"
    )
    assert list(links) == ["password", "keys · Item 1 · pin", "text"]
    assert links["password"].attributes["name"].startswith("parameters")
    assert "[secret] replaces a secret in text" in words
    assert all(links.values())


def test_a_list_without_its_secrets_is_named_once(echoing, client, person):
    tool = echoing(
        properties={"words": {"type": "array", "items": {"type": "string", "format": "password"}}}
    )

    page = opened(client, person, tool, {"words": ["abcdefgh-1", "abcdefgh-2"]})

    _, links = notice(page)
    assert list(links) == ["words"]
    assert links["words"] is not None
    assert page.context["trial"].parameters_value == {"words": []}


def test_items_after_a_removed_secret_are_named_by_their_new_index(echoing, client, person):
    kinds = [
        {"type": "string", "writeOnly": True},
        {"type": "string"},
        SCHEMA["properties"]["keys"]["items"],
    ]
    tool = echoing(properties={"mixed": {"type": "array", "prefixItems": kinds}})

    page = opened(client, person, tool, {"mixed": ["abcdefgh-1", "plain", {"pin": 8812375}]})

    _, links = notice(page)
    assert list(links) == ["mixed", "mixed · 1 · pin"]
    assert all(links.values())


def test_if_everything_is_secret_the_whole_value_is_named(echoing, client, person):
    tool = echoing(properties={}, additionalProperties=True, writeOnly=True)

    page = opened(client, person, tool, {"x": "abcdefgh-1"})

    _, links = notice(page)
    assert list(links) == ["Parameters"]
    assert all(links.values())


def test_a_field_that_the_current_revision_lacks_is_still_named(echoing, client, person):
    tool = echoing()
    run = running.start(tool, tool.current, {"password": SECRET}, by=person, mode="mock")
    echoing(properties={"text": {"type": "string"}}, additionalProperties=False)

    words, _ = notice(client.get(f"/tools/{tool.slug}/try/?run={run.pk}"))

    assert "Fill in again: password" in words


def test_a_run_without_secrets_has_no_notice(echoing, client, person):
    page = opened(client, person, echoing(), {"text": "plain"})

    assert b"Secrets among the parameters" not in page.content


def test_a_mark_that_the_user_sent_is_filled_in_again(echoing, client):
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    tool = echoing()
    run = running.start(tool, tool.current, {"text": "[secret]"}, by=ada, mode="mock")

    assert "[secret]" in filled_in(client.get(f"/tools/{tool.slug}/try/?run={run.pk}"))
