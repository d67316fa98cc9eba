"""Without a token, `?mock=1` answers with mocks of the tools that a visitor sees, and nothing is stored."""

import pytest
from django.test import Client

from accounts.cell_rate import Rate
from catalog.organise.access import Access, change_tool_access
from playground.runs.models import Run
from tests.factories import make_tool
from tests.playground.mcp.agent import LegacyAgent, ModernAgent
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db

EXAMPLE = {"parameters": {}, "returnValue": {"kg": 7}}


@pytest.fixture
def scales():
    """A toolkit with one tool, which no factory serves."""
    document = {"type": "object"}
    return make_tool("kit.weigh", parameters=document, returnType=document, examples=[EXAMPLE])


@pytest.fixture
def agent(scales):
    return ModernAgent(Client(), path="/mcp/kit?mock=1")


def test_a_visitor_lists_and_calls_mocks_and_nothing_is_stored(agent):
    [name] = agent.tool_names()
    events = AuditEvent.objects.count()

    result = agent.call(name)

    assert result["structuredContent"] == {"kg": 7}
    summary = result["_meta"]["toolshelf/run"]
    assert (summary["mode"], "id" in summary, "url" in summary) == ("mock", False, False)
    assert not Run.every.exists()
    assert AuditEvent.objects.count() == events


def test_a_legacy_client_needs_no_session(scales):
    agent = LegacyAgent(Client(), path="/mcp/kit?mock=1")

    response = agent.request(
        "initialize",
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "agent", "version": "1"},
        },
    )

    assert "Mcp-Session-Id" not in response
    assert len(agent.tool_names()) == 1


def test_the_whole_catalog_answers_with_mocks_too(agent):
    arguments = {"tool": "kit.weigh", "arguments": {}}

    result = agent.at("/mcp?mock=1").call("call_tool", arguments)

    assert result["structuredContent"] == {"kg": 7}
    assert not Run.every.exists()


def test_without_mock_a_token_is_needed(agent):
    for path in ("/mcp/kit", "/mcp/kit?mock=0", "/mcp"):
        assert agent.at(path).request("tools/list").status_code == 401


@pytest.mark.parametrize("authorization", ["Bearer wrong", "Bearer", ""])
def test_an_unusable_token_is_refused(agent, authorization):
    assert agent.request("tools/list", Authorization=authorization).status_code == 401


def test_a_site_that_visitors_may_not_browse_needs_a_token(agent, settings):
    settings.ANONYMOUS_BROWSING = False

    assert agent.request("tools/list").status_code == 401


def test_a_tool_that_a_visitor_does_not_see_is_not_offered(agent, scales, ada):
    change_tool_access(scales, Access(visibility="signed-in"), by=None)
    browser = Client()
    browser.force_login(ada)

    assert agent.request("tools/list").status_code == 404
    with_session = ModernAgent(browser, path="/mcp/kit?mock=1")
    assert with_session.request("tools/list").status_code == 404


def test_requests_are_limited_by_address(scales, monkeypatch):
    monkeypatch.setattr("accounts.rate_limits.MOCKS", Rate(1, 60))
    addresses = ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")

    answers = [
        ModernAgent(Client(REMOTE_ADDR=address), path="/mcp/kit?mock=1").request("tools/list")
        for address in addresses
    ]

    assert [answer.status_code for answer in answers] == [200, 429, 200]
