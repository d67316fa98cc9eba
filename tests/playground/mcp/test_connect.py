"""The pages that connect an MCP client, without JavaScript."""

import json
import re
import shlex

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.accounts.models import ApiToken
from catalog.accounts.roles import set_role
from catalog.accounts.tokens import token_for
from catalog.metadata import Organisation, organise
from playground.configurations.mcp_choice import chosen_configuration
from playground.configurations.saved import save_configuration
from playground.configurations.secret_members import Configuration
from playground.snippets.mcp_clients import Server, snippets
from tests.factories import make_tool, make_user

pytestmark = pytest.mark.django_db


def snippets_of(response):
    page = HTMLParser(response.content)
    return {
        node.attributes["id"].removesuffix("-code"): node.text()
        for node in page.css("pre.code-text[id$='-code']")
    }


def test_a_visitor_sees_the_address_and_a_place_for_a_token(client):
    response = client.get("/connect/")

    assert response.status_code == 200
    found = snippets_of(response)
    assert list(found) == [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vs-code",
        "inspector",
        "python-sdk",
    ]
    for key, code in found.items():
        assert "http://testserver/mcp" in code
        assert "YOUR_TOKEN" in code or key == "vs-code"
    assert "/sign-in/?next=/connect/" in response.content.decode()


@pytest.mark.parametrize(("role", "is_warned"), [("reader", True), ("runner", False)])
def test_the_page_says_when_the_role_does_not_allow_runs(client, role, is_warned):
    person = make_user("grace")
    set_role(person, role)
    client.force_login(person)

    page = HTMLParser(client.get("/connect/").content)

    text = " ".join(page.css_first("main").text().split())
    assert (
        "With your role, an agent can search the catalog and read specs, but not run tools." in text
    ) == is_warned
    assert ("call every runnable tool" in text) != is_warned


def test_a_token_made_on_the_page_is_in_the_snippets_once(browser, ada):
    response = browser.post("/connect/", {"name": "laptop", "days": "30"})

    token = ApiToken.objects.get()
    assert (token.user, token.name, token.scopes) == (ada, "laptop", ["run"])
    command = shlex.split(snippets_of(response)["claude-code"])
    secret = command[-1].removeprefix("Authorization: Bearer ")
    assert token_for(secret) == token
    assert "no-store" in response["Cache-Control"]
    assert secret not in browser.get("/connect/").content.decode()


def test_a_wrong_number_of_days_creates_nothing(browser):
    response = browser.post("/connect/", {"name": "laptop", "days": "never"})

    assert response.status_code == 422
    assert "Enter a whole number." in response.content.decode()
    assert ApiToken.objects.count() == 0


def test_the_catalogs_page_lists_toolkits_that_run(client, builtin, ada):
    organise(builtin("convert_units"), Organisation(toolkit="Measures"), by=ada)
    make_tool("imported.tool")

    text = client.get("/connect/").content.decode()

    assert '<a href="/connect/toolkits/measur' in text
    assert "imported" not in text


def test_a_toolkit_has_its_own_address(client, builtin, ada):
    organise(builtin("convert_units"), Organisation(toolkit="Measures & more"), by=ada)
    make_tool("weigh")
    response = client.get("/connect/toolkits/measures-more/")

    (server,) = json.loads(snippets_of(response)["cursor"])["mcpServers"].items()

    assert server[0].startswith("toolshelf-measur")
    path = server[1]["url"].removeprefix("http://testserver")
    assert client.post(path, "{}", content_type="application/json").status_code == 401
    assert "lists and calls 1 runnable tool of this toolkit" in response.content.decode()


def test_a_toolkit_that_cannot_run_is_offered_as_mocks(client):
    make_tool("git.push")

    response = client.get("/connect/toolkits/git/")

    assert "http://testserver/mcp/git?mock=1" in snippets_of(response)["claude-code"]
    assert "Mock server: 1 tool answers" in response.content.decode()


def test_an_unknown_toolkit_or_tool_is_not_found(client):
    assert client.get("/connect/toolkits/nothing/").status_code == 404
    assert client.get("/connect/tools/nothing/").status_code == 404


@pytest.mark.parametrize("toolkit", ["", "Measures"])
def test_a_tool_leads_to_the_address_that_offers_it(client, builtin, ada, toolkit):
    organise(builtin("convert_units"), Organisation(toolkit=toolkit), by=ada)

    response = client.get("/connect/tools/convert_units/")

    address = "http://testserver/mcp" + ("/measur" if toolkit else "")
    assert address in snippets_of(response)["claude-code"]
    assert ("call_tool" in response.content.decode()) == (not toolkit)


def test_the_page_of_a_tool_has_a_snippet_and_a_link(client, builtin):
    builtin("convert_units")

    text = client.get("/tools/convert_units/").content.decode()

    assert "claude mcp add --transport http toolshelf http://testserver/mcp" in text
    assert 'href="/connect/tools/convert_units/"' in text


def test_every_page_links_to_connect(client):
    page = HTMLParser(client.get("/").content)

    assert page.css_first("nav a[href='/connect/']")
    assert page.css_first(".bar-nav a[href='/connect/']")
    assert page.css_first("#palette [data-href='/connect/']")


# -- configurations -----------------------------------------------------------------------------------------------


@pytest.fixture
def sign_text(builtin, ada):
    tool = organise(builtin("sign_text"), Organisation(toolkit="Signing"), by=ada)
    save_configuration(ada, tool, "work", Configuration({"key": "a-secret-key"}), None)
    return tool


def test_the_configuration_of_a_tool_is_chosen_on_its_page(browser, ada, sign_text):
    text = browser.get("/connect/tools/sign_text/").content.decode()
    assert '<option value="work"' in text
    assert "a-secret-key" not in text

    response = browser.post(
        "/connect/tools/sign_text/configuration/", {"saved_configuration": "work"}
    )

    assert response.status_code == 302
    assert response["Location"] == "/connect/tools/sign_text/#configuration"
    assert chosen_configuration(ada, sign_text) == "work"
    page = browser.get("/connect/tools/sign_text/").content.decode()
    assert re.search(r'<option value="work"\s+selected>', page)


def test_a_configuration_that_does_not_exist_cannot_be_chosen(browser, ada, sign_text):
    response = browser.post(
        "/connect/tools/sign_text/configuration/", {"saved_configuration": "home"}
    )

    assert response.status_code == 422
    assert "You have no saved configuration &#x27;home&#x27;" in response.content.decode()
    assert chosen_configuration(ada, sign_text) == ""


# -- snippets -----------------------------------------------------------------------------------------------------


def test_only_an_address_beyond_this_machine_needs_to_allow_http():
    def arguments(url):
        code = next(
            one.code for one in snippets(Server("toolshelf", url)) if one.key == "claude-desktop"
        )
        return json.loads(code)["mcpServers"]["toolshelf"]["args"]

    assert "--allow-http" not in arguments("http://127.0.0.1:8000/mcp")
    assert "--allow-http" not in arguments("https://tools.example.com/mcp")
    assert "--allow-http" in arguments("http://tools.example.com/mcp")


def test_the_configuration_of_vs_code_holds_no_token():
    server = Server("toolshelf", "http://127.0.0.1:8000/mcp", token="tsk_secret")

    for snippet in snippets(server):
        assert ("tsk_secret" in snippet.code) == (snippet.key != "vs-code")
