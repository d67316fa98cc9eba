"""The page Connect: one press copies a configuration with a new token, and a test keeps it on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts.tokens import TOKEN_PREFIX
from tests.browser.pages import copy_with_token


@pytest.mark.parametrize("client", ["claude-code", "vs-code"])
def test_one_press_copies_what_the_client_needs_with_a_new_token(signed_in: Page, client):
    signed_in.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.goto(f"/connect/#{client}")

    copy_with_token(signed_in)

    expect(signed_in.locator(".copy.is-done")).to_be_focused()
    copied = str(signed_in.evaluate("navigator.clipboard.readText()"))
    assert TOKEN_PREFIX in copied
    assert copied.startswith("claude mcp add" if client == "claude-code" else TOKEN_PREFIX)
    panel = signed_in.locator(f"#{client}")
    expect(panel).to_be_visible()
    expect(signed_in.get_by_role("tabpanel")).to_have_count(1)


def test_the_test_keeps_the_token_on_the_page(signed_in: Page):
    signed_in.goto("/connect/")
    copy_with_token(signed_in)

    signed_in.get_by_role("link", name="Test").click()

    expect(signed_in.locator("#trial")).to_contain_text("tools/list returns 3 tools")
    expect(signed_in.locator("#claude-code-code")).to_contain_text(TOKEN_PREFIX)
