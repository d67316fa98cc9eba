"""Every page of the site and its states: what the accessibility tests check and `make screenshots` shows.

A new page is added here once; a test finds the URLs that are missing. Addresses name values of
`tests.browser.sample_state`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect

from tests.browser.conftest import Complaints
from tests.browser.sample_state import PASSWORD, prepare
from tests.browser.web_vitals import observe_vitals
from tests.site import Site

Act = Callable[[Page], object]


@dataclass(frozen=True)
class PageState:
    """A page as somebody sees it.

    Attributes:
        name: of the state, and of the files of its screenshots.
        address: its path, with "{…}" for the values of `sample_state.prepare`.
        person: who is signed in: "owner" (the administrator), "reader", "newcomer" (a publisher who has done nothing),
            "ada" (who confirms a password), or "" for a visitor.
        act: the actions on the page before it is checked.
        status: of the answer.
        last_status: of the page to which `act` leads, if it is an error.
        is_quick: whether `make test` checks it, rather than only `make test-deep`.
        unreadable: a column of dates, "table.column", whose last one is not a date while the page is requested.
    """

    name: str
    address: str
    person: str = "owner"
    act: Act | None = None
    status: int = 200
    last_status: int = 0
    is_quick: bool = False
    unreadable: str = ""


def type_in_palette(text: str) -> Act:
    def act(page: Page) -> None:
        page.keyboard.press("Control+k")
        with page.expect_response("**/palette/?*"):
            page.keyboard.insert_text(text)

    return act


def select_a_run(page: Page) -> None:
    page.locator(".select-run").first.click()
    expect(page.locator(".compare-bar")).to_be_visible()


def press(key: str) -> Act:
    return lambda page: page.keyboard.press(key)


def run_demonstration(page: Page) -> None:
    """Choose the last stop, which runs the tool at once."""
    page.get_by_label("73", exact=True).check()
    page.get_by_text("4 violations").wait_for()


def run_chart(page: Page) -> None:
    """Run the chart's example as a visitor, and wait for the image."""
    page.locator("[data-run-button]").click()
    page.locator("#run .file-image img").wait_for()


def click(name: str, role: str = "button") -> Act:
    return lambda page: (
        page.get_by_role("main").get_by_role(role, name=name, exact=True).first.click()
    )  # type: ignore[arg-type]


def wait_for_operations(page: Page) -> None:
    page.locator(".opblock-tag").first.wait_for()


def paste(text: str, outcome: str = "rejected") -> Act:
    def act(page: Page) -> None:
        page.locator("json-editor .cm-content").first.click()
        page.keyboard.insert_text(text)
        expect(page.locator(f".entry-{outcome}").first).to_be_visible()

    return act


def paste_source(text: str) -> Act:
    def act(page: Page) -> None:
        page.locator("json-editor .cm-content").first.click()
        page.keyboard.insert_text(text)
        expect(page.locator(".connection")).to_be_visible()

    return act


def check_curl(page: Page) -> None:
    expect(page.locator(".entry")).to_be_visible()


def edit_text(old: str, new: str) -> Act:
    """Replace a part of the spec in the editor, and wait for what the draft means."""

    def act(page: Page) -> None:
        page.locator("json-editor .cm-content").first.wait_for()
        with page.expect_response("**/edit/"):
            page.locator("json-editor").first.evaluate(
                "(editor, [old, now]) => editor.write(editor.textarea.value.replace(old, now))",
                [old, new],
            )

    return act


def break_spec(page: Page) -> None:
    edit_text('"maximum": 15', '"maximum": 9')(page)
    expect(page.locator(".real-calls b").first).to_be_visible()


def run_draft(page: Page) -> None:
    """Change the return type of the thermometer, so that its response violates it, and run it."""
    edit_text('"minItems": 1', '"minItems": 3')(page)
    page.get_by_role("tab", name="Form").click()
    page.get_by_role("button", name="Run with this draft").click()
    expect(page.locator("#draft-response")).to_be_visible()


def check_large_file(page: Page) -> None:
    specs = "\n".join([" ".join(BREAKING.split()), BROKEN, " " * 1_100_000])
    file = {"name": "large.ndjson", "mimeType": "application/json", "buffer": specs.encode()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Check first").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()


def sign_in_wrongly(page: Page) -> None:
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill("not it")
    page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("password")


def sign_in_too_often(page: Page) -> None:
    for _ in range(7):
        page.get_by_label("Username").fill("nobody-here")
        page.get_by_label("Password").fill("not it")
        page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Try again in")


def confirm(page: Page) -> None:
    """Enter the password, where the page asks for it again."""
    if page.get_by_role("button", name="Confirm").count():
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm").click()


def create_token(page: Page) -> None:
    page.get_by_label("Name").fill("Notebook")
    page.get_by_role("button", name="Create").click()
    if page.get_by_role("button", name="Confirm").count():  # the sign-in was minutes ago
        confirm(page)
        page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("tsk_").first).to_be_visible()


def copy_with_token(page: Page) -> None:
    """Press the button of the client that is shown."""
    button = page.get_by_role("button", name="new token")
    made = page.get_by_text("New token inside")
    button.click()
    expect(made.or_(page.get_by_role("button", name="Confirm"))).to_be_visible()
    if not made.count():  # the sign-in was minutes ago
        confirm(page)
        button.click()
    expect(made).to_be_visible()


def add_person(page: Page) -> None:
    page.get_by_label("Username").fill(f"grace-{time.monotonic_ns()}")
    page.get_by_role("button", name="Add and create a sign-in link").click()
    expect(page.get_by_role("alert")).to_contain_text("is added with the role")


def create_group_wrongly(page: Page) -> None:
    page.get_by_label("New group").fill("runner")
    page.get_by_role("button", name="Create group").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter a name")


def run_wrongly(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert").first).to_be_visible()


def run_mock(page: Page) -> None:
    page.get_by_label("Mock", exact=True).check()
    page.locator("[data-run-button]").click()
    expect(page.locator("#run .verdict")).to_be_visible()


def save_configuration(page: Page) -> None:
    page.goto("/tools/sign_text/try/")
    page.locator("#configuration-fold > summary").click()
    page.get_by_label("key").first.fill("hunter22-hunter22")
    page.get_by_text("Save this configuration").click()
    page.get_by_label("Name", exact=True).fill("work")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Saved", exact=True)).to_have_value("work")
    page.goto("/account/")
    page.get_by_text("Remove", exact=True).click()


def show_json(page: Page) -> None:
    page.get_by_role("group", name="How to edit the parameters").get_by_text("JSON").click()
    expect(page.locator("#parameters-form json-editor .cm-content")).to_be_visible()


def run_wrong_json(page: Page) -> None:
    show_json(page)
    page.locator("#parameters-form json-editor .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text('{\n  "value": "many",\n  "from_unit": "m",\n  "to_unit": 5\n}')
    run_wrongly(page)


BROKEN = '{"definition": {"name": "broken", "paramters": {"type": "sting"}}}'
REPEATED = "[" + ", ".join(['{"definition": {"name": "broken", "description": 7}}'] * 4) + "]"
BREAKING = """{"definition": {"id": "billing.send_invoice", "name": "send_invoice", "description": "Send an invoice.",
  "parameters": {"type": "object", "properties": {"c": {"type": "string"}}, "required": ["c"]}}}"""
OPERATIONS = """{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {
  "/api/v1/pets": {"get": {"operationId": "list_pets", "summary": "List the pets."}},
  "/api/v1/pets/{id}": {"get": {"operationId": "get_pet", "summary": "Get one pet.", "parameters": [
    {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}}}}"""
SERVERS = """{"mcpServers": {
  "weather": {"url": "https://tools.example.com/mcp", "headers": {"Authorization": "Bearer 1"}},
  "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]}}}"""
CURL = "curl -H 'X-Api-Key: 1' https://api.example.com/v1/invoices?page=2"
UNION = "workspace-mcp.batch_update_doc"

PAGES = [
    PageState("home", "/", is_quick=True),
    PageState("home-visitor", "/", ""),
    PageState("home-demonstration", "/", "", act=run_demonstration, is_quick=True),
    PageState("home-newcomer", "/", "newcomer"),
    PageState("try-chart", "/tools/draw_chart/try/?example=1", "", act=run_chart),
    PageState("palette", "/factories/", act=press("Control+k"), is_quick=True),
    PageState("palette-typed", "/factories/", act=type_in_palette("time")),
    PageState("palette-filter", "/factories/", act=type_in_palette("convert toolkit:")),
    PageState("keys", "/factories/", act=press("?")),
    PageState("tools", "/tools/", is_quick=True),
    PageState("tools-search", "/tools/?q=weather"),
    PageState("tools-nothing", "/tools/?q=zzzzzz"),
    PageState("tools-filtered", "/tools/?toolkit=billing&owner=owner"),
    PageState("tools-typed-filter", "/tools/?q=toolkit:billing"),
    PageState("tools-unknown-filter", "/tools/?q=has:runnable"),
    PageState("toolkit", "/tools/?toolkit=billing"),
    PageState("toolkit-settings", "/toolkits/billing/settings/"),
    PageState("organise-many", "/organise/?q=convert"),
    PageState("compare-tools", "/tools/convert_units..encode_text/"),
    PageState("tool", "/tools/convert_units/", is_quick=True),
    PageState("tool-visitor", "/tools/convert_units/", ""),
    PageState("tool-configurable", "/tools/sign_text/"),
    PageState("tool-union", f"/tools/{UNION}/"),
    PageState("tool-deprecated", "/tools/billing.mail_invoice/"),
    PageState("tool-archived", "/tools/billing.fax_invoice/"),
    PageState("tool-of-a-source", "/tools/weather.forecast/"),
    PageState("tool-settings", "/tools/billing.send_invoice/settings/"),
    PageState("tool-settings-suggestions", "/tools/convert_units/settings/", act=click("finance")),
    PageState("tool-spec", "/tools/convert_units/formats/spec/"),
    PageState("tool-formats", "/tools/convert_units/formats/"),
    PageState("tool-formats-union", f"/tools/{UNION}/formats/openai-strict/"),
    PageState("tool-export", "/tools/convert_units/formats/openai/"),
    PageState("tool-export-changed", "/tools/convert_units/formats/openai-strict/"),
    PageState("tool-code", "/tools/convert_units/formats/python/"),
    PageState("tool-similar", "/tools/convert_units/similar/"),
    PageState("tool-lint", f"/tools/{UNION}/lint/"),
    PageState("tool-lint-waived", "/tools/billing.send_invoice/lint/"),
    PageState("tool-lint-changes", f"/tools/{UNION}/lint/changes/"),
    PageState("tool-revisions", "/tools/billing.send_invoice/changes/"),
    PageState("tool-revisions-one", "/tools/convert_units/changes/"),
    PageState("tool-diff", "/tools/billing.send_invoice/changes/1..2/"),
    PageState("tool-restore", "/tools/billing.send_invoice/changes/2/restore/"),
    PageState("edit", "/tools/convert_units/edit/"),
    PageState("edit-breaking", "/tools/convert_units/edit/", act=break_spec, is_quick=True),
    PageState("edit-broken", "/tools/convert_units/edit/", act=edit_text('"definition"', "'x'")),
    PageState("edit-lint", f"/tools/{UNION}/edit/#draft-lint"),
    PageState("edit-matching", "/tools/drifting_thermometer/edit/?match={run_violates}"),
    PageState("edit-form", "/tools/convert_units/edit/#draft-form"),
    PageState("edit-run", "/tools/drifting_thermometer/edit/", act=run_draft),
    PageState("edit-docs", "/tools/billing.send_invoice/edit/#draft-docs"),
    PageState("try", "/tools/convert_units/try/", is_quick=True),
    PageState("try-visitor", "/tools/convert_units/try/", ""),
    PageState(
        "try-visitor-mock", "/tools/convert_units/try/?example=1", "", run_mock, is_quick=True
    ),
    PageState("try-errors", "/tools/convert_units/try/", act=run_wrongly),
    PageState("try-json", "/tools/convert_units/try/", act=show_json),
    PageState("try-json-errors", "/tools/convert_units/try/", act=run_wrong_json),
    PageState("try-configurable", "/tools/sign_text/try/"),
    PageState("try-union", f"/tools/{UNION}/try/"),
    PageState("try-mock", "/tools/get-weather-498ebfb0/try/?mode=mock"),
    PageState("try-conforms", "/tools/convert_units/try/?run={run_conforms}"),
    PageState("try-violates", "/tools/drifting_thermometer/try/?run={run_violates}"),
    PageState("examples", "/tools/convert_units/tests/"),
    PageState("examples-checked", "/tools/evaluate_expression/tests/"),
    PageState("runs", "/runs/"),
    PageState("runs-of-a-tool", "/runs/?tool=drifting_thermometer"),
    PageState(
        "runs-chosen-time", "/runs/?tool=drifting_thermometer&since=2026-01-20", act=select_a_run
    ),
    PageState("runs-nothing", "/runs/?tool=zzzz"),
    PageState("runs-newcomer", "/runs/", "newcomer"),
    *(
        PageState(
            f"run-{outcome.replace('_', '-')}",
            f"/runs/{{run_{outcome}}}/",
            is_quick=outcome == "violates",
        )
        for outcome in (
            "conforms",
            "violates",
            "unchecked",
            "failed",
            "timed_out",
            "cancelled",
            "refused",
            "mock",
            "running",
        )
    ),
    PageState("run-comparison", "/runs/{run_violates}..{run_conforms_too}/"),
    PageState("run-save-example", "/runs/{run_conforms_too}/example/"),
    PageState("upload", "/add/", is_quick=True),
    PageState("upload-visitor", "/add/", ""),
    PageState("upload-reader", "/add/", "reader"),
    PageState("upload-preview-problems", "/add/", act=paste(BROKEN)),
    PageState("upload-preview-repeated", "/add/", act=paste(REPEATED)),
    PageState("upload-preview-breaking", "/add/", act=paste(BREAKING, "breaking")),
    PageState("upload-preview-operations", "/add/", "newcomer", paste(OPERATIONS, "created")),
    PageState("upload-report", "/uploads/{upload}/"),
    PageState("upload-report-repeated", "/uploads/{upload_rejected}/"),
    PageState("upload-report-rejected", "/uploads/{upload}/?outcome=rejected"),
    PageState("upload-report-warnings", "/uploads/{upload}/?outcome=warnings"),
    PageState("upload-check", "/add/", act=check_large_file),
    PageState("add-url", "/add/?url=https://api.example.com/openapi.json"),
    PageState("add-url-newcomer", "/add/?url=https://api.example.com/openapi.json", "newcomer"),
    PageState("add-servers", "/add/", act=paste_source(SERVERS)),
    PageState("add-document", "/add/", act=paste_source(OPERATIONS)),
    PageState("add-checked", f"/add/?url={quote(CURL)}", act=check_curl),
    PageState("sources", "/sources/"),
    PageState("source", "/sources/weather/"),
    PageState("source-document", "/sources/reports-mcp/"),
    PageState("source-missing", "/sources/nowhere/", status=404),
    PageState("held-change", "/review/{held_change}/"),
    PageState("changes", "/review/"),
    PageState("changes-newcomer", "/review/", "newcomer"),
    PageState("change", "/review/{proposal}/"),
    PageState("change-calls", "/review/{proposal}/calls/"),
    PageState("revision-calls", "/tools/billing.send_invoice/changes/2/calls/"),
    PageState("audit", "/audit/"),
    PageState("audit-nothing", "/audit/?person=zzzz"),
    PageState("people", "/people/"),
    PageState("people-refused", "/people/", act=create_group_wrongly, last_status=422),
    PageState("person-add", "/people/add/"),
    PageState("person-added", "/people/add/", act=add_person),
    PageState("person", "/people/{person}/"),
    PageState("webhooks", "/webhooks/"),
    PageState("webhook", "/webhooks/{webhook}/"),
    PageState("webhook-delivery", "/webhooks/{webhook}/deliveries/{delivery}/"),
    PageState("lint", "/lint/"),
    PageState("lint-rule", "/lint/name-not-portable/"),
    PageState("lint-severity", "/lint/?severity=warning"),
    PageState("lint-rule-with-fix", "/lint/default-invalid/"),
    PageState("factories", "/factories/", is_quick=True),
    PageState("new-factory", "/factories/new/"),
    PageState("new-factory-of-tool", "/factories/new/?tool=weather.forecast"),
    PageState("factory-spec", "/factories/playground.builtin.calculate_date:calculate_date/spec/"),
    PageState("connect", "/connect/"),
    PageState("connect-token", "/connect/", act=copy_with_token),
    PageState("connect-cursor", "/connect/toolkits/weather/#cursor"),
    PageState("connect-vs-code", "/connect/tools/convert_units/#vs-code", act=copy_with_token),
    PageState("connect-test", "/connect/?test=1"),
    PageState("connect-reader", "/connect/", "reader"),
    PageState("connect-tool", "/connect/tools/sign_text/"),
    PageState("connect-toolkit", "/connect/toolkits/billing/"),
    PageState("connect-toolkit-changed", "/connect/toolkits/bfcl-base/"),
    PageState("account", "/account/"),
    PageState("account-configurations", "/account/", act=save_configuration),
    PageState("account-reader", "/account/", "reader"),
    PageState("tokens", "/account/tokens/"),
    PageState("tokens-newcomer", "/account/tokens/", "newcomer"),
    PageState("tokens-created", "/account/tokens/", "newcomer", create_token),
    PageState("sessions", "/account/sessions/"),
    PageState("password", "/account/password/", "ada"),
    PageState("security", "/account/security/"),
    PageState("security-ada", "/account/security/", "ada"),
    PageState("security-confirm", "/account/security/confirm/", "ada"),
    PageState("security-app", "/account/security/app/", "ada", confirm),
    PageState("security-passkey", "/account/security/passkeys/add/", "ada", confirm),
    PageState("sign-in", "/sign-in/", ""),
    PageState("sign-in-wrong", "/sign-in/?next=/runs/", "", sign_in_wrongly),
    PageState("sign-in-too-often", "/sign-in/", "", sign_in_too_often, last_status=429),
    PageState("sign-in-link", "{link_unused}", ""),
    PageState("sign-in-link-used", "/sign-in/this-link-was-never-valid-or-used/", "", status=410),
    PageState("api", "/api/v1/docs", act=wait_for_operations),
    PageState("help", "/help/"),
    PageState("help-page", "/help/search/"),
    PageState("error-404", "/nothing/here/", status=404),
    PageState("error-404-visitor", "/nothing/here/", "", status=404),
    PageState("error-403", "/audit/", "reader", status=403),
    PageState("error-400", "/tools/?q=%00", status=400),
    PageState("error-405", "/account/sessions/end/", status=405),
    PageState("error-500", "/add/", status=500, unreadable="catalog_upload.created_at"),
]

# URLs that answer GET, but are not in the list, and why.
NOT_SHOWN = {
    **dict.fromkeys(
        (
            "catalog:facets",
            "catalog:palette",
            "catalog:suggestions",
            "playground:completions",
        ),
        "a part of a page",
    ),
    **dict.fromkeys(
        (
            "accounts:audit_export",
            "playground:response_download",
            "playground:run_download",
            "playground:run_file",
            "/api/v1/openapi.json",
            "/favicon.ico",
            "/robots.txt",
            "healthz",
            "metrics",
            "package",
            "readyz",
        ),
        "a file",
    ),
    **dict.fromkeys(
        (
            "account_login",
            "mfa_list_webauthn",
            "playground:tool_runs",
        ),
        "another name of a page",
    ),
    "accounts:sign_in_by_link": "the address of “sign-in-link”, without the secret",
    **dict.fromkeys(
        (
            "mfa_authenticate",
            "mfa_deactivate_totp",
            "mfa_edit_webauthn",
            "mfa_generate_recovery_codes",
            "mfa_login_webauthn",
            "mfa_reauthenticate",
            "mfa_reauthenticate_webauthn",
            "mfa_remove_webauthn",
            "mfa_view_recovery_codes",
        ),
        "needs a second factor: test_second_factors.py looks at it",
    ),
}


def set_theme(page: Page, theme: str) -> None:
    """Switch to "light" or "dark" without a reload and without transitions of colours."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]


class Visitors:
    """Browsers of the people who look at a site's pages, signed in."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser = browser
        self.site = site
        self.values = prepare(site)
        self.complaints = Complaints()
        self._pages: dict[str, Page] = {}

    def open(self, state: PageState) -> Page:
        """The page in this state, on a wide screen, in the theme of the last visit of this person.

        `complaints` are those of this state from now on.
        """
        page = self.page_of(state.person)
        self.complaints.clear()
        page.set_viewport_size({"width": 1280, "height": 900})
        with self._unreadable(state.unreadable):
            response = page.goto(state.address.format_map(self.values))
        assert response is not None
        assert response.status == state.status, (state, response.status)
        if state.act:
            state.act(page)
        return page

    @contextmanager
    def _unreadable(self, name: str) -> Iterator[None]:
        """Store what no date is in the last row of the column meanwhile, if one is named."""
        if not name:
            yield
            return
        table, column = name.split(".")
        with closing(
            sqlite3.connect(self.site.data_dir / "toolshelf.sqlite3", isolation_level=None)
        ) as database:
            row, date = database.execute(
                f"SELECT rowid, {column} FROM {table} ORDER BY rowid DESC"
            ).fetchone()
            update = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"
            database.execute(update, ("0000-00-00 00:00:00", row))
            try:
                yield
            finally:
                database.execute(update, (date, row))

    def new_context(self, cookies: StorageState | None = None) -> BrowserContext:
        """A browser that uses the site as "localhost", since passkeys do not work on addresses."""
        context = self.browser.new_context(
            base_url=f"http://localhost:{self.site.port}",
            viewport={"width": 1280, "height": 900},
            storage_state=cookies,
        )
        observe_vitals(context)
        return context

    def page_of(self, person: str) -> Page:
        if person not in self._pages:
            page = self._pages[person] = self.new_context().new_page()
            page.emulate_media(reduced_motion="reduce")
            self.complaints.listen(page)
            if person == "ada":
                page.goto("/sign-in/")
                page.get_by_label("Username").fill(person)
                page.get_by_label("Password").fill(PASSWORD)
                page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
            elif person:
                page.goto(self.values[f"link_{person}"])
                page.get_by_role("button", name=f"Sign in as {person}").click()
        return self._pages[person]
