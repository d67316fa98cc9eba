"""The address that the Try page gives for an input: tool, revision and parameters, no configuration and no secret."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from catalog.tools.publishing import publish
from playground.trying.input_links import MAX_CHARACTERS
from tests.playground.history.test_pages import HTMX, control, press, text_of, tree_of
from toolspec.spec import read_spec
from toolspec.text.reader import dumps, loads

pytestmark = pytest.mark.usefixtures("runs")

SECRET = "hunter22-hunter22"


def published(ada, description="Looks things up.", **more):
    parameters = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "pin": {"type": "string", "format": "password"},
            "api_key": {"type": "string"},
            "many": {"type": "array", "items": {"type": "object"}},
            "count": {"type": "integer"},
        },
    }
    definition = {"name": "looker", "description": description, "parameters": parameters}
    return publish(read_spec(dumps({"definition": definition, **more})), by=ada).tool


def address_of(answer):
    node = tree_of(answer).css_first("#input-address")
    return node.attributes["value"] if node else None


def editor(answer):
    """The name of the JSON view of the parameters."""
    page = tree_of(answer)
    return page.css_first("form#trial textarea[name^='parameters:']").attributes["name"]


def shared(browser, value):
    """The answer to *Share*, with `value` in the JSON view."""
    page = browser.get("/tools/looker/try/")
    page = press(browser, page, "op=parameters:view::json")
    return press(browser, page, "use=link", typed={editor(page): dumps(value)})


def query_of(address):
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def test_the_address_opens_the_page_with_the_same_input(browser, ada):
    published(ada)
    value = {"text": 'a "quoted" & ünusual text', "many": [{"n": 1.50}]}

    address = address_of(shared(browser, value))
    page = browser.get(address)

    assert address.startswith("http://testserver/tools/looker/try/?")
    assert query_of(address)["revision"] == "1"
    assert loads(query_of(address)["parameters"]) == value
    assert loads(tree_of(page).css_first("#preview").text()) == value
    assert "was created for revision" not in text_of(page)


def test_it_works_for_visitors_and_with_htmx_only_the_form_is_drawn(ada):
    published(ada)
    visitor = Client()
    page = visitor.get("/tools/looker/try/")

    answer = press(visitor, page, "use=link", typed={control(page, "/.text"): "hello"}, **HTMX)

    assert loads(query_of(address_of(answer))["parameters"]) == {"text": "hello"}
    assert "<html" not in answer.content.decode()


def test_secret_parameters_are_left_out_and_named(browser, ada):
    published(ada)

    answer = shared(
        browser, {"text": f"use {SECRET} now", "pin": SECRET, "api_key": "abcd-efgh-1234"}
    )

    address = address_of(answer)
    assert loads(query_of(address)["parameters"]) == {"text": "use [secret] now"}
    assert "hunter22" not in address
    assert "abcd-efgh" not in address
    words = text_of(answer, "#input-link")
    assert "Secrets are left out" in words
    assert "pin" in words
    assert "api_key" in words


def test_secrets_typed_in_fields_are_left_out_and_stay_in_their_fields(browser, ada):
    published(ada)
    page = browser.get("/tools/looker/try/?parameters=" + dumps({"text": "a", "pin": ""}))

    answer = press(browser, page, "use=link", typed={control(page, "/.pin"): SECRET})
    again = press(browser, answer, "use=link")

    assert loads(query_of(address_of(answer))["parameters"]) == {"text": "a"}
    assert loads(query_of(address_of(again))["parameters"]) == {"text": "a"}
    assert "pin" in text_of(again, "#input-link")
    assert "hunter22" not in answer.content.decode()


def test_no_configuration_is_in_it_and_its_secrets_are_marked_in_the_parameters(browser, ada):
    configuration = {
        "type": "object",
        "properties": {"key": {"type": "string", "x-secret": True}, "region": {}},
    }
    configuration["required"] = ["key"]
    published(ada, configuration=configuration)
    page = browser.get("/tools/looker/try/")
    typed = {control(page, "/.key"): SECRET, control(page, "/.text"): f"key={SECRET}"}

    answer = press(browser, page, "use=link", typed=typed)

    assert set(query_of(address_of(answer))) == {"revision", "parameters"}
    assert loads(query_of(address_of(answer))["parameters"]) == {"text": "key=[secret]"}


def test_a_long_input_is_offered_as_json_without_its_secrets(browser, ada):
    published(ada)
    value = {"text": "x" * MAX_CHARACTERS, "pin": SECRET}

    answer = shared(browser, value)

    assert address_of(answer) is None
    assert "too long for a link" in text_of(answer, "#input-link")
    text = tree_of(answer).css_first("#input-text").text()
    assert loads(text) == {"text": value["text"]}


def test_an_address_is_never_longer_than_the_bound(browser, ada):
    published(ada)
    room = (
        MAX_CHARACTERS
        - len(urlsplit(address_of(shared(browser, {"text": ""}))).query)
        - len("/tools/looker/try/?")
    )

    longest = address_of(shared(browser, {"text": "x" * room}))

    parts = urlsplit(longest)
    assert len(f"{parts.path}?{parts.query}") == MAX_CHARACTERS
    assert address_of(shared(browser, {"text": "x" * (room + 1)})) is None


def test_text_that_is_not_json_cannot_be_shared(browser, ada):
    published(ada)
    page = press(browser, browser.get("/tools/looker/try/"), "op=parameters:view::json")

    answer = press(browser, page, "use=link", typed={editor(page): '{"text": '})

    assert address_of(answer) is None
    assert "Fix 1 problem to share" in text_of(answer, ".error-summary")
    assert "The text ends too early" in text_of(answer, ".field-error")


def test_a_number_that_cannot_be_parsed_is_not_left_out_silently(browser, ada):
    published(ada)
    page = browser.get("/tools/looker/try/")
    typed = {tree_of(page).css_first("#trial [name$='count']").attributes["name"]: "1,5"}

    answer = press(browser, page, "use=link", typed=typed)

    assert address_of(answer) is None
    assert "Fix 1 problem to share" in text_of(answer, ".error-summary")
    assert 'value="1,5"' in answer.content.decode()


def test_an_address_of_an_earlier_revision_says_so(browser, ada):
    published(ada)
    address = address_of(shared(browser, {"text": "hello"}))
    published(ada, description="Looks other things up.")

    page = browser.get(address)

    assert "created for revision 1. This page runs revision 2" in text_of(page)
    assert "hello" in text_of(page, "#preview")


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "9" * 5000, "٣"])
def test_a_revision_that_is_no_number_is_ignored(browser, ada, number):
    published(ada)

    page = browser.get("/tools/looker/try/", {"revision": number})

    assert page.status_code == 200
    assert "was created for revision" not in text_of(page)
