"""The pages that connect an MCP client, without JavaScript."""

import base64
import json
import re
import shlex
import tomllib
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts.models import ApiToken
from accounts.roles import set_role
from accounts.tokens import find_token
from catalog.organise.metadata import Organisation, organise
from playground.configurations.mcp_choice import chosen_configuration
from playground.configurations.saved import save_configuration
from playground.configurations.secret_members import Configuration
from playground.mcp.clients import Server, snippets
from tests.factories import make_tool, make_user, signed_in

pytestmark = pytest.mark.django_db


def snippets_of(response):
    page = HTMLParser(response.content)
    return {
        node.attributes["id"].removesuffix("-code"): node.text()
        for node in page.css("pre.code-text[id$='-code']")
    }


def text_of(response):
    return " ".join(HTMLParser(response.content).css_first("main").text().split())


def test_a_visitor_sees_the_url_and_a_place_for_a_token(client):
    response = client.get("/connect/")

    assert response.status_code == 200
    found = snippets_of(response)
    assert list(found) == [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vs-code",
        "codex",
        "python-sdk",
        "inspector",
        "other",
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
    assert ("find, read and call the 0 that run here" in text) != is_warned
    assert ("A token lists tools in your name" in text) == is_warned


def test_opening_the_page_makes_no_token(browser):
    browser.get("/connect/")
    browser.get("/connect/?client=cursor")

    assert ApiToken.objects.count() == 0


def test_a_token_made_on_the_page_is_in_the_snippets_once(ada):
    response = signed_in(ada).post("/connect/", {"client": "claude-code"})

    token = ApiToken.objects.get()
    assert (token.user, token.name, token.scopes) == (ada, "Claude Code", ["run"])
    command = shlex.split(snippets_of(response)["claude-code"])
    secret = command[-1].removeprefix("Authorization: Bearer ")
    assert find_token(secret) == token
    assert "no-store" in response["Cache-Control"]
    page = HTMLParser(response.content)
    assert page.css_first(f"form[action='/account/tokens/{token.pk}/revoke/']")
    assert page.css_first("a[aria-selected='true']").attributes["href"] == "#claude-code"
    assert secret not in signed_in(ada).get("/connect/").content.decode()


def test_a_client_that_asks_for_the_token_gets_it_beside_its_configuration(ada):
    response = signed_in(ada).post("/connect/", {"client": "vs-code"})

    secret = HTMLParser(response.content).css_first("#vs-code #new-token").text()
    assert find_token(secret) == ApiToken.objects.get()
    assert secret not in snippets_of(response)["vs-code"]


def test_no_link_that_installs_contains_a_token(ada):
    page = HTMLParser(signed_in(ada).post("/connect/", {"client": "cursor"}).content)

    cursor = page.css_first("a[href^='cursor:']").attributes["href"]
    vs_code = page.css_first("a[href^='vscode:']").attributes["href"]
    query = parse_qs(urlsplit(cursor).query)
    assert query["name"] == ["toolshelf"]
    assert json.loads(base64.b64decode(query["config"][0])) == {
        "url": "http://testserver/mcp",
        "headers": {"Authorization": "Bearer ${env:TOOLSHELF_TOKEN}"},
    }
    assert json.loads(unquote(vs_code.removeprefix("vscode:mcp/install?"))) == {
        "name": "toolshelf",
        "type": "http",
        "url": "http://testserver/mcp",
        "headers": {"Authorization": "Bearer ${input:toolshelf-token}"},
        "inputs": [
            {
                "type": "promptString",
                "id": "toolshelf-token",
                "description": "Toolshelf token",
                "password": True,
            }
        ],
    }


def test_a_press_of_htmx_gets_the_snippets_alone(ada):
    response = signed_in(ada).post("/connect/", {"client": "codex"}, headers={"HX-Request": "true"})

    page = HTMLParser(response.content)
    assert page.css_first("header.bar") is None
    assert page.css_first("[data-copy-now='#codex-code']")
    secret = tomllib.loads(snippets_of(response)["codex"])["mcp_servers"]["toolshelf"]
    assert find_token(secret["http_headers"]["Authorization"].removeprefix("Bearer "))


@pytest.mark.parametrize("header", [{}, {"HX-Request": "true"}])
def test_a_token_needs_a_recent_sign_in(browser, ada, header):
    ada.set_password("correct horse battery staple")
    ada.save()
    browser.force_login(ada)  # at no time that is known

    response = browser.post("/connect/", {"client": "cursor"}, headers=header)

    where = response["HX-Redirect"] if header else response["Location"]
    assert "next=%2Fconnect%2F%23cursor" in where
    assert ApiToken.objects.count() == 0


@pytest.mark.parametrize("header", [{}, {"HX-Request": "true"}])
def test_a_visitor_who_presses_signs_in_first(client, header):
    response = client.post("/connect/", {"client": "cursor"}, headers=header)

    where = response["HX-Redirect"] if header else response["Location"]
    assert where == "/sign-in/?next=%2Fconnect%2F"
    assert ApiToken.objects.count() == 0


def test_a_press_on_a_page_with_any_name_leads_back_to_it(client):
    make_tool("天気.forecast")

    response = client.post(
        "/connect/toolkits/天気/", {"client": "cursor"}, headers={"HX-Request": "true"}
    )

    query = parse_qs(urlsplit(response["HX-Redirect"]).query)
    assert query == {"next": ["/connect/toolkits/天気/"]}


def test_an_unknown_client_gets_no_token(ada):
    assert signed_in(ada).post("/connect/", {"client": "telnet"}).status_code == 422
    assert not ApiToken.objects.exists()


def test_the_page_shows_the_tools_of_an_agent_with_their_tokens(client):
    page = HTMLParser(client.get("/connect/").content)

    tools = [
        (tool.css_first(".served-name").text(), int(tool.css_first(".served-tokens").text()))
        for tool in page.css("#changed li")
    ]
    listed = json.loads(Path("playground/mcp/catalog_tools.json").read_text())
    read = [[tool[member] for member in ("name", "description", "inputSchema")] for tool in listed]
    assert [name for name, _ in tools] == ["search_tools", "describe_tool", "call_tool"]
    for (_, tokens), members in zip(tools, read, strict=True):
        assert 0 < 4 * tokens - len(json.dumps(members)) < 60  # the names of the members
    total = sum(tokens for _, tokens in tools)
    assert f"about {total} tokens in each request, at 4 characters each" in page.text()


def test_a_long_list_is_folded(client):
    for number in range(12):
        make_tool(f"git.push_{number}")

    page = HTMLParser(client.get("/connect/toolkits/git/").content)

    assert len(page.css("#changed > .served > li")) == 10
    assert len(page.css("#changed > details > .served > li")) == 2
    assert page.css_first("#changed > details > summary").text() == "2 more tools"


@pytest.mark.parametrize("header", [{}, {"HX-Request": "true"}])
def test_the_test_shows_the_answer_to_tools_list(client, header):
    make_tool("git.push", name="push")

    response = client.get("/connect/toolkits/git/", {"test": "1"}, headers=header)

    page = HTMLParser(response.content)
    assert "tools/list returns 1 tool" in page.css_first("#trial").text()
    assert "protocol 2026-07-28" in page.css_first("#trial").text()
    lines = [line.text() for line in page.css("#trial-result .json-line")]
    result = json.loads("\n".join(lines))
    assert [tool["name"] for tool in result["tools"]] == ["push"]
    assert (page.css_first("header.bar") is None) == bool(header)


def test_a_visitor_tests_only_what_the_server_accepts_without_a_token(client, settings):
    make_tool("git.push")
    assert "returns" not in text_of(client.get("/connect/?test=1"))
    assert client.get("/connect/toolkits/git/").content.count(b"?test=1") == 2

    settings.ANONYMOUS_BROWSING = False
    assert b"?test=1" not in client.get("/connect/toolkits/git/").content


def test_a_test_without_scripts_does_not_remove_a_new_token(ada):
    response = signed_in(ada).post("/connect/", {"client": "cursor"})

    link = HTMLParser(response.content).css_first("a[href^='?test=1']")
    assert "needs-js" in link.attributes["class"]


def test_the_tokens_of_a_long_list_are_a_lower_bound(client, monkeypatch):
    monkeypatch.setattr("playground.mcp.toolkit_tools.PAGE_SIZE", 2)
    for number in range(3):
        make_tool(f"git.push_{number}")

    text = text_of(client.get("/connect/toolkits/git/?test=1"))

    assert "at least" in text
    assert "tools/list returns 2 tools on its first page" in text


def test_the_page_of_a_tool_says_what_is_changed_about_it_wherever_it_is_listed(
    client, monkeypatch
):
    monkeypatch.setattr("playground.mcp.agent_view.PAGE_SIZE", 1)
    monkeypatch.setattr("playground.mcp.toolkit_tools.PAGE_SIZE", 1)
    make_tool("git.a", name="a")
    make_tool("git.b", name="b", parameters={"type": "array", "items": {"type": "string"}})

    page = HTMLParser(client.get("/connect/tools/git.b/").content)

    names = [name.text() for name in page.css("#changed .served-name")]
    assert names == ["a", "b"]


def test_the_catalogs_page_lists_toolkits_runnable_ones_first(client, builtin, ada):
    organise(builtin("convert_units"), Organisation(toolkit="Measures"), by=ada)
    make_tool("imported.tool")
    make_tool("imported.other")

    page = HTMLParser(client.get("/connect/").content)

    rows = [" ".join(row.text().split()) for row in page.css("[aria-labelledby=toolkits-title] li")]
    assert rows == ["Measures 1 tool that runs", "imported 2 mocks: examples or generated data"]
    assert page.css_first("[aria-labelledby=toolkits-title] li a").attributes["href"] == (
        "/connect/toolkits/measures/"
    )


def test_a_toolkit_has_its_own_address(client, builtin, ada):
    organise(builtin("convert_units"), Organisation(toolkit="Measures & more"), by=ada)
    make_tool("weigh")
    response = client.get("/connect/toolkits/measures-more/")

    (server,) = json.loads(snippets_of(response)["cursor"])["mcpServers"].items()

    assert server[0].startswith("toolshelf-measur")
    path = server[1]["url"].removeprefix("http://testserver")
    assert client.post(path, "{}", content_type="application/json").status_code == 401
    assert "Your agent gets 1 tool that runs here." in text_of(response)


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
    assert ("call_tool" in text_of(response)) == (not toolkit)


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
