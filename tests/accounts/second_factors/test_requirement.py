"""A second factor can be required: of everyone, or of some roles, before they can do anything else."""

from __future__ import annotations

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from accounts.models import User
from accounts.oidc.accounts import provider_id
from accounts.roles import set_role
from tests.accounts.browsers import PASSWORD, SECURITY, confirm, turn_on_app, with_password
from tests.factories import make_token, make_tool, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(ada, settings) -> User:
    settings.SECOND_FACTOR_ROLES = ["administrator"]
    set_role(ada, "administrator")
    return ada


@pytest.mark.parametrize("header", [None, "x", "", "Bearer tsk_x", "Basic YTpi", "usable"])
def test_a_page_leads_to_the_second_factor_first_whatever_header_is_sent(ada, header):
    usable = f"Bearer {make_token(user=ada)}"
    headers = {} if header is None else {"Authorization": usable if header == "usable" else header}
    client = with_password()

    for path in ("/", "/tools/", "/people/", "/account/tokens/", "/admin/", "/api/v1/docs"):
        answer = client.get(path, headers=headers)

        assert (answer.status_code, answer["Location"]) == (302, SECURITY), path


def test_a_header_without_a_token_changes_nothing(ada):
    make_tool("x")
    client = with_password()

    page = client.post("/tools/x/settings/", {"section": "archive"}, headers={"Authorization": "x"})
    api = client.get("/api/v1/tools/x", headers={"Authorization": "x"})

    assert (page.status_code, api.status_code) == (403, 401)


def test_nothing_can_be_changed_before(ada):
    make_tool("x")
    client = with_password()

    page = client.post("/tools/x/settings/", {"section": "archive"})
    api = client.get("/api/v1/tools/x")

    assert (page.status_code, api.status_code) == (403, 403)
    assert api["Content-Type"] == "application/problem+json"
    assert "Set up a second factor" in api.json()["detail"]


def test_the_page_says_what_to_do_and_everything_opens_afterwards(ada):
    client = with_password()
    asked = client.get(SECURITY).content.decode()

    confirm(client)
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
    confirm(client)
    turn_on_app(client)

    assert "Set a password, and then turn on an authenticator app" in asked
    assert client.get("/tools/").status_code == 200


def test_it_is_required_again_when_the_factor_is_gone(ada):
    client = with_password()
    confirm(client)
    turn_on_app(client)

    Authenticator.objects.all().delete()

    assert client.get("/tools/")["Location"] == SECURITY


@pytest.mark.parametrize(
    ("kind", "data", "is_enough"),
    [
        ("webauthn", {"name": "Phone", "credential": {}}, True),
        ("recovery_codes", {"seed": "x", "used_mask": 0}, False),
    ],
)
def test_a_passkey_is_enough_and_recovery_codes_alone_are_not(ada, client, kind, data, is_enough):
    Authenticator.objects.create(user=ada, type=kind, data=data)
    client.force_login(ada)

    assert (client.get("/tools/").status_code == 200) is is_enough


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
