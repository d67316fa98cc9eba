"""A saved configuration is bound to the origins that it was saved for: a moved address does not get its secrets."""

import json

import pytest

from catalog.sources.models import Source
from catalog.sources.sync import sync
from catalog.tools.models import Revision, Tool
from playground.configurations.models import SavedConfiguration
from playground.runs.models import Run
from tests.catalog.sources.documents import (
    FORECAST,
    add_document,
    change_settings,
    document,
    replace_document,
)
from tests.conftest import Program
from tests.factories import make_token, make_user
from tests.pages import page, text_of

pytestmark = pytest.mark.django_db

OLD, NEW = "https://api.example/v1", "https://moved.example/v1"
SECRET = "hunter22-hunter22"
TRY = "/tools/weather.forecast/try/"


def signed_in(server=OLD, **scheme):
    """A document whose operation needs a key."""
    key = {"type": "apiKey", "in": "header", "name": "X-Key", **scheme}
    changed = {
        "servers": [{"url": server}],
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": key}},
    }
    return json.dumps(json.loads(document(FORECAST)) | changed)


def oauth(token_url):
    flows = {"clientCredentials": {"tokenUrl": token_url, "scopes": {}}}
    return signed_in(type="oauth2", flows=flows)


def add_tool(text, *, address=""):
    """The tool of a source whose changes are published without approval."""
    source = add_document(text, policy="automatic")
    sync(source)
    Source.objects.update(address=address)
    return source


def save(program, remove_secrets=(), **configuration):
    body = json.dumps(
        {"name": "work", "configuration": configuration, "remove_secrets": list(remove_secrets)}
    )
    return program.send("POST", "/tools/weather.forecast/configurations", body)


def refusal(program):
    """The message of a run that is refused for its configuration; None if that is accepted."""
    body = json.dumps(
        {"parameters": {}, "saved_configuration": "work"}
    )  # `city` is missing, so nothing is called
    run = program.send("POST", "/tools/weather.forecast/runs", body).json()
    assert run["outcome"] == "refused"
    return next(
        (each["message"] for each in run["problems"] if each["rule"] == "run.configuration-moved"),
        None,
    )


def secrets_of(program):
    [saved] = program.ask("/tools/weather.forecast/configurations").json()["items"]
    return [secret["pointer"] for secret in saved["secrets"]]


def test_a_moved_server_does_not_get_a_saved_secret(program):
    source = add_tool(signed_in())
    save(program, key=SECRET)
    assert refusal(program) is None

    sync(replace_document(source, signed_in(NEW)))

    assert refusal(program) == (
        "This configuration was saved for https://api.example, but the tool now sends requests to "
        "https://moved.example. Nothing was sent there. To use it with the new URL, enter its secrets again and "
        "save it again."
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (signed_in("https://api.example"), signed_in("http://api.example")),
        (signed_in("https://api.example"), signed_in("https://api.example:8443")),
        (oauth("https://login.example/token"), oauth("https://evil.example/token")),
    ],
    ids=["scheme", "port", "address of tokens"],
)
def test_scheme_port_and_the_address_of_tokens_count(program, before, after):
    source = add_tool(before)
    save(program, key=SECRET)

    sync(replace_document(source, after))

    assert "enter its secrets again" in refusal(program)


def test_an_address_that_is_no_url_is_saved_and_refused_when_it_runs(program):
    add_tool(signed_in())

    saved = save(program, key=SECRET, baseUrl="https://[")

    assert saved.status_code == 201
    assert refusal(program) is None


def test_an_address_of_tokens_that_is_no_url_is_no_internal_error(program):
    add_tool(oauth("https://[login"))

    assert save(program, key=SECRET).status_code == 201


def test_another_path_of_the_same_origin_keeps_the_configuration(program):
    source = add_tool(signed_in())
    save(program, key=SECRET)

    sync(replace_document(source, signed_in("https://api.example/v2")))

    assert refusal(program) is None


def test_an_edited_address_of_the_document_moves_relative_servers(program):
    add_tool(signed_in("/v1"), address="https://api.example/openapi.json")
    save(program, key=SECRET)
    assert refusal(program) is None

    Source.objects.update(address="https://moved.example/openapi.json")

    assert "https://moved.example" in refusal(program)


def test_an_address_in_the_configuration_itself_does_not_move(program):
    source = add_tool(signed_in())
    save(program, key=SECRET, baseUrl="https://mine.example")

    sync(replace_document(source, signed_in(NEW)))

    assert refusal(program) is None


def test_an_older_revision_with_another_address_does_not_get_the_secret(program):
    source = add_tool(signed_in())
    sync(replace_document(source, signed_in(NEW)))
    save(program, key=SECRET)
    assert refusal(program) is None
    tool = Tool.objects.get()
    tool.current = Revision.objects.get(number=1)

    tool.save()

    assert "sends requests to https://api.example." in refusal(program)


def test_saving_again_for_the_new_address_asks_for_the_secret(program):
    source = add_tool(signed_in())
    save(program, key=SECRET)
    sync(replace_document(source, signed_in(NEW)))

    refused = save(program)
    before = secrets_of(program), refusal(program)
    save(program, key="another-secret")

    assert refused.status_code == 422
    assert [problem["pointer"] for problem in refused.json()["errors"]] == ["/configuration/key"]
    assert before[0] == ["/key"]
    assert "enter its secrets again" in before[1]
    assert secrets_of(program) == ["/key"]
    assert refusal(program) is None


def test_another_address_in_the_configuration_asks_for_the_secret_or_its_removal(program):
    add_tool(signed_in())
    save(program, key=SECRET)

    refused = save(program, baseUrl="https://mine.example")
    stored = secrets_of(program)
    removed = save(program, baseUrl="https://mine.example", remove_secrets=["/key"])

    assert (refused.status_code, stored) == (422, ["/key"])
    assert [problem["pointer"] for problem in refused.json()["errors"]] == ["/configuration/key"]
    assert (removed.status_code, secrets_of(program)) == (201, [])


def test_a_configuration_of_an_earlier_version_is_bound_to_the_address_of_its_time(program):
    source = add_tool(signed_in())
    save(program, key=SECRET)
    SavedConfiguration.objects.update(origins="")
    sync(replace_document(source, signed_in(NEW)))

    assert "was saved for https://api.example," in refusal(program)
    assert SavedConfiguration.objects.get().origins == "https://api.example"


@pytest.mark.parametrize(
    "address", ["https://moved.example/openapi.json", "http://api.example/openapi.json"]
)
def test_a_configuration_of_an_earlier_version_is_not_bound_to_an_address_that_the_source_got_later(
    program, address
):
    source = add_tool(signed_in("/v1"), address="https://api.example/openapi.json")
    Source.objects.update(document="")
    save(program, key=SECRET)
    SavedConfiguration.objects.update(origins="")
    source.refresh_from_db()

    change_settings(source, address=address)

    assert "was saved for another URL" in refusal(program)
    assert save(program).status_code == 422


@pytest.mark.parametrize(
    "changed", [{"policy": "review"}, {"address": "https://api.example/v2/openapi.json"}]
)
def test_a_configuration_of_an_earlier_version_stays_usable_after_another_edit_of_the_source(
    program, changed
):
    source = add_tool(signed_in("/v1"), address="https://api.example/openapi.json")
    Source.objects.update(document="")
    save(program, key=SECRET)
    SavedConfiguration.objects.update(origins="")
    source.refresh_from_db()

    change_settings(source, **changed)

    assert refusal(program) is None
    assert SavedConfiguration.objects.get().origins == "https://api.example"


def test_the_form_does_not_fill_in_a_secret_for_a_moved_address(ada, browser):
    source = add_tool(signed_in())
    body = json.dumps({"name": "work", "configuration": {"key": SECRET}})
    browser.post(
        "/api/v1/tools/weather.forecast/configurations", body, content_type="application/json"
    )
    assert SavedConfiguration.objects.get().owner == ada
    sync(replace_document(source, signed_in(NEW)))

    text = text_of(page(browser, f"{TRY}?configuration=work"), "main")

    assert "The saved configuration is not filled in." in text
    assert "enter its secrets again and save it again" in text


def test_a_shared_configuration_says_that_its_owner_has_to_save_it(program):
    source = add_tool(signed_in())
    save(program, key=SECRET)
    SavedConfiguration.objects.update(visibility=SavedConfiguration.EVERYONE)
    sync(replace_document(source, signed_in(NEW)))
    eve = Program(make_token(user=make_user("eve")))

    body = json.dumps({"parameters": {"city": "Oslo"}, "saved_configuration": "program/work"})
    run = eve.send("POST", "/tools/weather.forecast/runs", body).json()

    [problem] = run["problems"]
    assert "Its owner has to enter its secrets again" in problem["message"]
    assert "example" not in problem["message"]
    assert Run.objects.get().outcome == "refused"
