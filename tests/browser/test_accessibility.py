"""axe-core finds nothing on any page, in both themes, at a wide and at a narrow width."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
PAGES = [
    "/",
    "/tools/",
    "/tools/?q=weather",
    "/tools/?q=zzzzzz",
    "/tools/?toolkit=toolshelf&owner=owner",
    "/toolkits/",
    "/tags/",
    "/lint/",
    "/lint/name-not-portable/",
    "/tools/convert_units/compatibility/",
    "/tools/convert_units/exports/openai/",
    "/tools/convert_units/code/python/",
    "/tools/convert_units/spec/",
    "/tools/workspace-mcp.batch_update_doc/lint/",
    "/tools/workspace-mcp.batch_update_doc/lint/changes/",
    "/upload/",
    "/runs/",
    "/factories/",
    "/connect/",
    "/connect/tools/sign_text/",
    "/account/",
    "/account/tokens/",
    "/help/",
    "/help/search/",
    "/api/v1/docs",
    "/sign-in/",
    "/account/security/",
]
FIND = """async () => (await axe.run()).violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(", ")}`)"""


def violations(page: Page) -> list[str]:
    page.evaluate(AXE)
    found: list[str] = page.evaluate(FIND)
    return found


@pytest.mark.parametrize(
    ("width", "theme"),
    [
        (1280, "light"),
        pytest.param(360, "dark", marks=pytest.mark.deep),
        pytest.param(360, "light", marks=pytest.mark.deep),
        pytest.param(1280, "dark", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize("address", PAGES)
def test_a_page_has_no_barrier(signed_in: Page, address: str, width: int, theme: str):
    signed_in.set_viewport_size({"width": width, "height": 900})
    signed_in.emulate_media(color_scheme=theme, reduced_motion="reduce")

    signed_in.goto(address)

    assert violations(signed_in) == []


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.deep)])
@pytest.mark.parametrize("page", ["", "try/", "organise/", "revisions/", "lint/", "similar/"])
def test_the_pages_of_a_tool_have_no_barrier(signed_in: Page, page: str, theme: str):
    signed_in.emulate_media(color_scheme=theme, reduced_motion="reduce")
    signed_in.goto("/tools/?q=weather")
    tool = signed_in.locator(".result-name a").first.get_attribute("href")

    signed_in.goto(f"{tool}{page}")

    assert violations(signed_in) == []


@pytest.mark.parametrize("key", ["Control+k", "?"])
def test_the_dialogs_have_no_barrier(signed_in: Page, key: str):
    signed_in.goto("/factories/")

    signed_in.keyboard.press(key)

    assert violations(signed_in) == []
