"""The admin: who may open it, what it shows, and what cannot be changed there."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from accounts.models import ApiToken, User
from accounts.tokens import create_token, find_token
from catalog.lint.waivers import waive
from catalog.proposals.models import Proposal
from catalog.sources.models import Source
from catalog.uploads.models import Upload
from playground.configurations.models import SavedConfiguration
from playground.examples.models import ExampleCheck
from playground.runs.models import Run
from tests.factories import make_tool, make_user

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough passphrase"
SHOWN = [
    "accounts/user",
    "accounts/apitoken",
    "catalog/tool",
    "catalog/revision",
    "catalog/waiver",
    "catalog/upload",
    "catalog/source",
    "catalog/sourcesync",
    "catalog/proposal",
    "playground/run",
    "playground/examplecheck",
    "playground/savedconfiguration",
]


@pytest.fixture
def root():
    return User.objects.create_superuser("root", password=PASSWORD)


@pytest.fixture
def admin(root):
    client = Client()
    client.force_login(root)
    return client


@pytest.fixture
def rows(root):
    """One row of each table that the admin shows, with values that it must not show."""
    tool = make_tool("greet", description="Says hello.")
    token, _ = create_token(root, scopes=["run"])
    upload = Upload.objects.create(by=root, names="specs.ndjson")
    run = Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=root,
        outcome="returned",
        parameters_json='{"word": "typed-by-ada"}',
        response_json='"returned-to-ada"',
        stdout="printed-by-the-tool",
        configuration_fingerprint="the-fingerprint",
    )
    check = ExampleCheck.objects.create(tool=tool, revision=tool.current)
    saved = SavedConfiguration.objects.create(
        owner=root, tool=tool, name="home", encrypted="the-ciphertext"
    )
    waiver = waive(tool, rule=next(iter(rules())), pointer="", reason="It is so.", by=root)
    source = Source.objects.create(
        name="demo", kind="mcp-http", credentials="the-ciphertext", owner=root
    )
    held = Proposal.objects.create(
        tool_id="demo.add", source=source, text="{}", sha256="", reason="It is breaking."
    )
    return {
        "accounts/user": root,
        "accounts/apitoken": token,
        "catalog/tool": tool,
        "catalog/revision": tool.current,
        "catalog/waiver": waiver,
        "catalog/upload": upload,
        "catalog/source": source,
        "catalog/sourcesync": source.syncs.create(),
        "catalog/proposal": held,
        "playground/run": run,
        "playground/examplecheck": check,
        "playground/savedconfiguration": saved,
    }


def rules():
    from toolspec.lint import RULES

    return RULES


def staff(*permissions):
    user = make_user("eve", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def pages_of(rows):
    for name, row in rows.items():
        app_model = name.replace("/", "_")
        yield reverse(f"admin:{app_model}_changelist")
        yield reverse(f"admin:{app_model}_change", args=[row.pk])
        yield reverse(f"admin:{app_model}_history", args=[row.pk])


def text_of(client, url):
    answer = client.get(url)
    assert answer.status_code == 200, url
    return answer.content.decode()


# -- who may open it --------------------------------------------------------------------------------------------------


def test_a_stranger_is_sent_to_the_sites_own_sign_in_page(client, root):
    answer = client.get("/admin/catalog/tool/", follow=True)

    assert answer.redirect_chain[-1] == ("/sign-in/?next=/admin/catalog/tool/", 302)
    assert "Toolshelf" in answer.content.decode()


def test_a_password_is_not_checked_by_the_admin_itself(client, root):
    answer = client.post("/admin/login/", {"username": "root", "password": PASSWORD})

    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")
    assert "_auth_user_id" not in client.session


def test_the_sign_in_leads_to_no_other_site(client):
    answer = client.get("/admin/login/?next=https://evil.example/")

    assert answer["Location"] == "/sign-in/?next=/admin/"


def test_a_user_who_is_not_staff_is_refused(browser):
    answer = browser.get("/admin/", follow=True)

    assert answer.status_code == 403


@pytest.mark.parametrize("name", SHOWN)
def test_staff_without_rights_are_refused(rows, name):
    client = staff()

    assert client.get(f"/admin/{name}/").status_code == 403
    assert client.get(f"/admin/{name}/{rows[name].pk}/change/").status_code == 403


def test_a_deactivated_administrator_is_refused(admin, root):
    User.objects.filter(pk=root.pk).update(is_active=False)

    assert admin.get("/admin/").status_code == 302


# -- its pages --------------------------------------------------------------------------------------------------------


def test_every_page_fits_the_content_security_policy(admin, rows):
    pages = ["/admin/", *pages_of(rows), "/admin/auth/group/add/"]

    for url in pages:
        answer = admin.get(url)
        page = answer.content.decode()
        assert answer.status_code == 200, url
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page), url
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page)), url


def test_its_files_are_served_with_the_sites_own(admin):
    page = text_of(admin, "/admin/")

    assert re.search(r'href="/static/admin/css/base\.[0-9a-f]{12}\.css"', page)
    assert finders.find("admin/css/base.css")
    assert finders.find("rest_framework/css/default.css") is None


def test_no_secret_is_shown(admin, rows):
    shown = "".join(text_of(admin, url) for url in pages_of(rows))

    for secret in (
        rows["accounts/apitoken"].digest,
        "typed-by-ada",
        "returned-to-ada",
        "printed-by-the-tool",
        "the-fingerprint",
        "the-ciphertext",
    ):
        assert secret not in shown


def test_sign_in_links_and_failed_sign_ins_are_not_there(admin):
    for name in ("signinlink", "failedsignin"):
        assert admin.get(f"/admin/accounts/{name}/").status_code == 404


# -- what cannot be changed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_can_be_deleted(admin, rows, name):
    row = rows[name]

    assert admin.post(f"/admin/{name}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    admin.post(
        f"/admin/{name}/",
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )

    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("name", [name for name in SHOWN if name != "accounts/user"])
def test_only_accounts_can_be_edited(admin, rows, name):
    assert (
        admin.post(f"/admin/{name}/{rows[name].pk}/change/", {"name": "changed"}).status_code == 403
    )


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_can_be_added(admin, name):
    assert admin.get(f"/admin/{name}/add/").status_code == 403


# -- what can be changed ----------------------------------------------------------------------------------------------


def test_an_account_is_disabled_and_enabled(admin):
    ada = make_user("ada")
    page = f"/admin/accounts/user/{ada.pk}/change/"

    admin.post(page, {"username": "other", "is_superuser": "on"})
    disabled = User.objects.get(pk=ada.pk)
    admin.post(page, {"is_active": "on"})

    assert (disabled.is_active, disabled.username, disabled.is_superuser) == (False, "ada", False)
    assert User.objects.get(pk=ada.pk).is_active


def test_only_a_superuser_disables_a_superuser(root):
    client = staff("view_user", "change_user")

    answer = client.post(f"/admin/accounts/user/{root.pk}/change/", {})

    assert answer.status_code == 403
    assert User.objects.get(pk=root.pk).is_active


def test_a_token_is_revoked(admin, root):
    token, secret = create_token(root, scopes=["run"])

    admin.post("/admin/accounts/apitoken/", {"action": "revoke", "_selected_action": [token.pk]})

    assert find_token(secret) is None
    assert ApiToken.objects.get(pk=token.pk).state == "revoked"


def test_a_user_who_may_only_view_tokens_cannot_revoke_them(root):
    token, secret = create_token(root, scopes=["run"])

    staff("view_apitoken").post(
        "/admin/accounts/apitoken/", {"action": "revoke", "_selected_action": [token.pk]}
    )

    assert find_token(secret) == token
