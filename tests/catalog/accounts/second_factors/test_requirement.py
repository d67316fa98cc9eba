"""A second factor can be required: of everyone, or of some roles, before they can do anything else."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from catalog.accounts.models import User
from catalog.accounts.oidc.accounts import provider_id
from catalog.accounts.roles import set_role
from tests.factories import make_token, make_tool, make_user, signed_in

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
SECURITY = "/account/security/"


@pytest.fixture
def ada(settings) -> User:
    settings.SECOND_FACTOR_ROLES = ["administrator"]
    ada = make_user("ada", password=PASSWORD)
    set_role(ada, "administrator")
    return ada


def with_password(name: str = "ada") -> Client:
    client = Client()
    client.post("/sign-in/", {"username": name, "password": PASSWORD})
    return client


def turn_on_app(client: Client) -> None:
    client.post(f"{SECURITY}confirm/", {"password": PASSWORD})
    secret = re.search(
        r'class="qr-key">([A-Z2-7]+)<', client.get(f"{SECURITY}app/").content.decode()
    )[1]
    code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    assert client.post(f"{SECURITY}app/", {"code": code}).status_code == 302


@pytest.mark.parametrize(
    "path", ["/", "/tools/", "/upload/", "/people/", "/account/tokens/", "/admin/", "/runs/"]
)
def test_a_page_leads_to_the_second_factor_first(ada, path):
    answer = with_password().get(path)

    assert (answer.status_code, answer["Location"]) == (302, SECURITY)


@pytest.mark.parametrize("header", ["x", "", "Bearer tsk_x", "Basic YTpi"])
@pytest.mark.parametrize("path", ["/tools/", "/account/tokens/", "/admin/", "/api/v1/docs"])
def test_a_page_cannot_be_opened_without_it_by_a_header_that_pages_ignore(ada, path, header):
    answer = with_password().get(path, headers={"Authorization": header})

    assert (answer.status_code, answer["Location"]) == (302, SECURITY)


def test_a_page_with_a_usable_token_still_asks_for_it(ada):
    header = f"Bearer {make_token(user=ada)}"

    answer = with_password().get("/account/tokens/", headers={"Authorization": header})

    assert (answer.status_code, answer["Location"]) == (302, SECURITY)


@pytest.mark.parametrize("header", ["x", ""])
def test_a_header_without_a_token_changes_nothing(ada, header):
    make_tool("x")
    client = with_password()

    page = client.post("/tools/x/archive/", headers={"Authorization": header})
    api = client.get("/api/v1/tools/x", headers={"Authorization": header})

    assert (page.status_code, api.status_code) == (403, 401)


def test_nothing_can_be_changed_before(ada):
    make_tool("x")
    client = with_password()

    page = client.post("/tools/x/archive/")
    api = client.get("/api/v1/tools/x")

    assert (page.status_code, api.status_code) == (403, 403)
    assert api["Content-Type"] == "application/problem+json"
    assert "Set up a second factor" in api.json()["detail"]


def test_the_page_says_what_to_do_and_everything_opens_afterwards(ada):
    client = with_password()
    asked = client.get(SECURITY).content.decode()

    turn_on_app(client)

    assert "Your role requires a second factor. Turn on an authenticator app" in " ".join(
        asked.split()
    )
    assert client.get("/tools/").status_code == 200
    assert "Your role requires" not in client.get(SECURITY).content.decode()


def test_a_person_who_came_by_a_link_sets_a_password_first(ada):
    ada.set_unusable_password()
    ada.save()
    client = signed_in(ada)
    asked = " ".join(client.get(SECURITY).content.decode().split())

    client.post("/account/password/", {"new_password1": PASSWORD, "new_password2": PASSWORD})
    turn_on_app(client)

    assert "Set a password, and then turn on an authenticator app" in asked
    assert client.get("/tools/").status_code == 200


def test_it_is_required_again_when_the_factor_is_gone(ada):
    client = with_password()
    turn_on_app(client)

    Authenticator.objects.all().delete()

    assert client.get("/tools/")["Location"] == SECURITY


def test_a_passkey_is_enough(ada):
    Authenticator.objects.create(
        user=ada, type="webauthn", data={"name": "Phone", "credential": {}}
    )
    client = Client()
    client.force_login(ada)

    assert client.get("/tools/").status_code == 200


def test_recovery_codes_alone_are_not(ada):
    Authenticator.objects.create(
        user=ada, type="recovery_codes", data={"seed": "x", "used_mask": 0}
    )
    client = Client()
    client.force_login(ada)

    assert client.get("/tools/")["Location"] == SECURITY


@pytest.mark.parametrize(
    ("roles", "role", "is_led"),
    [
        ([], "administrator", False),
        (["administrator"], "publisher", False),
        (["administrator", "publisher"], "publisher", True),
        (["runner"], "runner", True),
        (["reader"], "runner", False),
        (["all"], "reader", True),
    ],
)
def test_it_is_required_of_the_roles_of_the_setting(settings, roles, role, is_led):
    settings.SECOND_FACTOR_ROLES = roles
    bob = make_user("bob", password=PASSWORD)
    set_role(bob, role)

    assert (with_password("bob").get("/tools/").status_code == 302) is is_led


def test_superusers_count_as_administrators(settings):
    settings.SECOND_FACTOR_ROLES = ["administrator"]
    User.objects.create_superuser("root", password=PASSWORD)

    assert with_password("root").get("/tools/")["Location"] == SECURITY


def test_programs_visitors_and_signing_out_are_not_concerned(ada):
    make_tool("x")
    client = with_password()
    program = Client(headers={"Authorization": f"Bearer {make_token(user=ada)}"})

    assert program.get("/api/v1/tools/x").status_code == 200
    assert Client().get("/tools/").status_code == 200
    assert client.post("/sign-out/").status_code == 302


def test_people_of_a_provider_use_the_second_factor_there(ada, settings):
    settings.OIDC_ISSUER = "https://login.example.org"
    ada.set_unusable_password()
    ada.save()
    SocialAccount.objects.create(user=ada, provider=provider_id(), uid="s-1")
    client = Client()
    client.force_login(ada)

    assert client.get("/tools/").status_code == 200
