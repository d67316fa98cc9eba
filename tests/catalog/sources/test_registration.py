"""Accepted sources, and one test for each refusal."""

import io

import pytest
from django.core.management import call_command

from catalog.sources.models import Source
from catalog.sources.registration import SourceForm, add_source, remove_source
from catalog.sources.sync import AlreadySyncing, begin, sync
from catalog.tools.models import Tool
from tests.catalog.sources.documents import (
    FORECAST,
    add_document,
    change_settings,
    document,
    store_source,
)
from toolspec.errors import DocumentError

pytestmark = pytest.mark.django_db
DEMO = {"name": "demo", "kind": "mcp-http", "address": "https://tools.example/mcp"}


def refusal(**settings):
    """The pointer and the message of the one problem."""
    with pytest.raises(DocumentError) as refused:
        add_source(SourceForm({**DEMO, **settings}), by=None)
    [problem] = refused.value.problems
    return problem.pointer, problem.message


def test_the_credentials_are_stored_encrypted():
    source = store_source(**DEMO, headers={"Authorization": "Bearer mrk-abc"})

    assert source.headers == {"Authorization": "Bearer mrk-abc"}
    assert source.header_names == ["Authorization"]
    assert "mrk-abc" not in repr(Source.objects.values().get())


def test_a_name_is_used_once():
    store_source(**DEMO)

    assert refusal() == ("/name", "The source 'demo' already exists. Choose another name.")


def test_a_name_that_another_process_has_just_used_is_refused():
    form = SourceForm(DEMO)
    assert form.is_valid()
    store_source(**DEMO)

    with pytest.raises(DocumentError, match="The source 'demo' already exists"):
        add_source(form, by=None)

    assert Source.objects.count() == 1


@pytest.mark.parametrize("name", ["", "Demo", "a.b", "-a", "ä", "a" * 41, "a b", "a\nb"])
def test_a_name_begins_ids_so_it_is_plain(name):
    assert refusal(name=name)[0] == "/name"


def test_an_unknown_kind_is_refused():
    assert refusal(kind="ftp") == (
        "/kind",
        "Choose one of: mcp-http, mcp-stdio, openapi, document.",
    )


def test_a_command_is_refused_except_on_the_command_line():
    pointer, message = refusal(kind="mcp-stdio", address="rm -rf /")

    assert (
        pointer,
        message.startswith("A command can be set only on the server's command line"),
    ) == ("/kind", True)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "Enter a URL that starts with http:// or https://."),
        ("file:///etc/passwd", "Enter a URL that starts with http:// or https://."),
        ("https://", "Enter a URL that starts with http:// or https://."),
        ("https://tools.example:port/", "Enter a URL that starts with http:// or https://."),
        ("https://ada:secret@tools.example/", "Remove the user name and password from the URL"),
        ("https://tools.example/#part", "Remove the part after `#`"),
        ("http://10.0.0.1/", "10.0.0.1 is a private address, which connections may not reach."),
        ("https://tools.example/" + "a" * 2000, "Enter at most 2,000 characters."),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(address, message):
    pointer, refused = refusal(address=address)

    assert (pointer, refused.startswith(message)) == ("/address", True)


def test_loopback_is_refused_if_others_can_reach_the_site(settings):
    settings.LOOPBACK_ONLY = False

    assert "127.0.0.1 is a loopback address" in refusal(address="http://127.0.0.1/")[1]


def test_an_openapi_source_has_an_address_or_a_document():
    message = "Enter the URL of an OpenAPI document, or upload one, but not both."

    assert refusal(kind="openapi", address="") == ("/address", message)
    assert refusal(kind="openapi", document="{}") == ("/address", message)


def test_an_address_replaces_an_uploaded_document():
    source = add_document(document(FORECAST))

    change_settings(source, address="https://tools.example/openapi.json")

    source.refresh_from_db()
    assert (source.address, source.document) == ("https://tools.example/openapi.json", "")


def test_a_document_does_not_stand_in_for_the_address_of_a_server():
    message = "Enter a URL that starts with http:// or https://."

    assert refusal(address="", document="{}") == ("/address", message)
    assert refusal(address="file:///etc/passwd", document="{}") == ("/address", message)


def test_a_document_has_a_limit(settings):
    settings.MAX_DOCUMENT_BYTES = 8 * 2**20

    assert refusal(kind="openapi", address="", document="x" * (8 * 2**20 + 1))[0] == "/document"


def test_an_unknown_policy_is_refused():
    assert refusal(policy="all") == ("/policy", "Choose one of: compatible, automatic, review.")


@pytest.mark.parametrize("minutes", [0, 4, 60 * 24 * 31 + 1])
def test_a_schedule_has_limits(minutes):
    assert refusal(every_minutes=minutes)[0] == "/every_minutes"


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "a\r\nHost: evil"},
        {"Authorization": ""},
        {"Authorization": "Bearer evil "},
        {"Authorization": " Bearer evil"},
        {"Authorization": "ä"},
        {"Host": "tools.example"},
        {"Bad name": "a"},
        {f"X-{number}": "a" for number in range(11)},
    ],
)
def test_headers_that_cannot_be_sent_are_refused_without_their_value(headers):
    pointer, message = refusal(headers=headers)

    assert pointer == "/headers"
    assert "evil" not in message


def test_an_address_on_another_server_removes_the_credentials():
    source = store_source(**DEMO, headers={"Authorization": "Bearer abc"})

    change_settings(source, address="https://tools.example/other")
    assert source.headers == {"Authorization": "Bearer abc"}

    change_settings(source, address="https://evil.example/mcp")
    assert source.headers == {}


def test_name_and_kind_do_not_change():
    source = store_source(**DEMO)

    change_settings(source, name="other", kind="openapi", policy="review")

    source.refresh_from_db()
    assert (source.name, source.kind, source.policy) == ("demo", "mcp-http", "review")


def test_a_command_cannot_be_changed_on_the_site():
    source = store_source("local", "mcp-stdio", "npx server")

    change_settings(source, policy="review")
    with pytest.raises(DocumentError, match="command line"):
        change_settings(source, address="npx other")


def test_a_command_stored_with_spaces_around_it_keeps_its_environment_variables():
    source = store_source("local", "mcp-stdio", "npx server", headers={"KEY": "abc"})
    Source.objects.update(address=" npx server ")
    source.refresh_from_db()

    change_settings(source, policy="review")

    source.refresh_from_db()
    assert (source.policy, source.headers) == ("review", {"KEY": "abc"})


@pytest.mark.parametrize("headers", [{"BASH_ENV": "/tmp/evil"}, {}])
def test_the_environment_of_a_command_cannot_be_changed_on_the_site(headers):
    source = store_source("local", "mcp-stdio", "npx server", headers={"KEY": "abc"})

    with pytest.raises(
        DocumentError, match="can be set only on the server's command line"
    ) as refused:
        change_settings(source, headers=headers)

    assert [problem.pointer for problem in refused.value.problems] == ["/headers"]
    assert Source.objects.get().headers == {"KEY": "abc"}


def test_a_removed_source_leaves_its_tools():
    source = add_document(document(FORECAST))
    sync(source)

    remove_source(source)

    assert Tool.objects.filter(tool_id="weather.forecast").exists()
    assert not Source.objects.exists()


def test_a_source_is_not_removed_while_it_is_synced():
    source = add_document(document(FORECAST))
    begin(source)

    with pytest.raises(AlreadySyncing, match="Remove it when the sync has ended"):
        remove_source(source)


def test_credentials_are_encrypted_again_with_a_new_key(settings):
    source = store_source(**DEMO, headers={"Authorization": "Bearer abc"})
    settings.CONFIGURATION_KEYS = ["new", *settings.CONFIGURATION_KEYS]

    call_command("rotate_configurations", stdout=io.StringIO())
    settings.CONFIGURATION_KEYS = ["new"]

    source.refresh_from_db()
    assert source.headers == {"Authorization": "Bearer abc"}
