"""The audit log of how people sign in: second factors, codes, passkeys, refusals, and limits that were exceeded."""

from __future__ import annotations

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from accounts.cell_rate import Rate
from accounts.models import User
from accounts.tokens import create_token
from tests.accounts.browsers import (
    PASSWORD,
    SECURITY,
    code,
    confirmed,
    turn_on_app,
    with_password,
    wrong_code,
)
from tests.factories import make_token, make_tool
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(ada) -> Client:
    """A browser in which Ada has just entered her password again."""
    return confirmed()


def recovery_codes(client: Client) -> list[str]:
    page = client.get(f"{SECURITY}recovery-codes/").content.decode()
    return re.findall(
        r"\b[0-9a-f]{8}\b|\b[0-9a-z]{4,}-[0-9a-z]{4,}\b", re.sub(r"(?s)<head>.*?</head>", "", page)
    )


def events(action: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action=action).order_by("pk"))


def the(action: str) -> AuditEvent:
    (event,) = events(action)
    return event


def test_an_authenticator_app_is_recorded_when_it_is_turned_on_and_off(client):
    turn_on_app(client)
    client.post(f"{SECURITY}app/remove/")

    added, removed = the("factor.add"), the("factor.remove")
    assert (added.object_id, added.person, added.interface) == ("ada", "ada", "page")
    assert json.loads(added.after) == {"kind": "authenticator app"}
    assert json.loads(removed.before) == {"kind": "authenticator app"}
    assert len(events("recovery-codes.create")) == len(events("recovery-codes.remove")) == 1


def test_no_secret_of_a_second_factor_is_recorded(client):
    secret = turn_on_app(client)
    codes = recovery_codes(client)

    recorded = " ".join(f"{event.before} {event.after}" for event in AuditEvent.objects.all())
    assert secret not in recorded
    assert not any(each in recorded for each in codes)


def test_new_recovery_codes_and_the_use_of_one_are_recorded(client):
    turn_on_app(client)
    client.post(f"{SECURITY}recovery-codes/new/")
    used = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]

    with_password().post("/second-step/", {"code": used})

    assert len(events("recovery-codes.create")) == 2
    assert (the("recovery-code.use").person, json.loads(the("recovery-code.use").after)) == (
        "ada",
        {"codes_left": 9},
    )


@pytest.mark.parametrize("path", ["/second-step/", f"{SECURITY}confirm/code/"])
def test_a_wrong_code_is_recorded(client, path):
    secret = turn_on_app(client)

    (with_password() if path == "/second-step/" else client).post(
        path, {"code": wrong_code(secret)}
    )

    assert the("code.failed").object_id == "ada"


def test_a_code_that_was_used_before_is_recorded_as_wrong(client):
    secret = turn_on_app(client)
    with_password().post("/second-step/", {"code": code(secret)})

    with_password().post("/second-step/", {"code": code(secret)})

    assert the("code.failed").object_id == "ada"


def test_too_many_wrong_codes_are_recorded_for_the_account(client):
    secret = turn_on_app(client)
    stranger = with_password()

    for _ in range(7):
        stranger.post("/second-step/", {"code": wrong_code(secret)}, REMOTE_ADDR="192.0.2.7")

    assert {event.object_id for event in events("sign-in.throttled")} == {"ada"}


def test_a_wrong_password_to_confirm_or_to_change_it_is_recorded(client):
    client.post(f"{SECURITY}confirm/", {"password": "wrong"})
    client.post(
        "/account/password/", {"old_password": "wrong", "new_password1": "x", "new_password2": "x"}
    )

    assert [event.object_id for event in events("sign-in.failed")] == ["ada", "ada"]


def test_a_passkey_is_recorded_when_it_is_renamed_and_removed(ada, client):
    key = Authenticator.objects.create(
        user=ada, type="webauthn", data={"name": "Phone", "credential": {}}
    )

    client.post(f"{SECURITY}passkeys/{key.pk}/", {"name": "Old phone"})
    client.post(f"{SECURITY}passkeys/{key.pk}/remove/")

    assert json.loads(the("factor.add").after) == {"kind": "passkey", "name": "Phone"}
    assert (json.loads(the("factor.rename").before), json.loads(the("factor.rename").after)) == (
        {"name": "Phone"},
        {"name": "Old phone"},
    )
    assert json.loads(the("factor.remove").before) == {"kind": "passkey", "name": "Old phone"}


def test_a_passkey_that_is_not_accepted_is_recorded_at_most_ten_times_a_minute():
    for _ in range(12):
        Client().post("/passkey/", {"credential": "{}"})

    assert len(events("passkey.failed")) == 10


def test_a_sign_in_to_a_disabled_account_is_recorded(ada):
    User.objects.update(is_active=False)

    Client().post("/sign-in/", {"username": "ada", "password": PASSWORD})

    assert len(events("sign-in.failed")) + len(events("sign-in.refused")) == 1


# -- refusals and limits ----------------------------------------------------------------------------------------------


def test_a_page_that_a_person_may_not_see_is_recorded(client):
    answer = client.get("/audit/")

    assert answer.status_code == 403
    event = the("request.refused")
    assert (event.person, event.object_id) == ("ada", "/audit/")
    assert json.loads(event.after) == {"method": "GET", "status": 403}


def test_a_token_without_the_scope_is_recorded_with_its_name(ada):
    make_tool("x")
    token, secret = create_token(ada, scopes=["read"], name="ci")

    answer = Client().delete("/api/v1/tools/x", headers={"Authorization": f"Bearer {secret}"})

    assert answer.status_code == 403
    event = the("request.refused")
    assert (event.interface, event.person, event.client) == ("api", "ada", f"token {token}")


def test_a_token_that_is_not_valid_is_recorded_without_its_secret():
    secret = "tsk_" + "x" * 43

    Client().get("/api/v1/tools", headers={"Authorization": f"Bearer {secret}"})

    event = the("request.refused")
    assert (event.object_id, event.person, json.loads(event.after)["status"]) == (
        "/api/v1/tools",
        "",
        401,
    )
    assert secret not in str(event.__dict__)


def test_refusals_of_visitors_are_not_recorded_and_others_at_most_ten_times_a_minute(client):
    Client().post("/tools/x/settings/", {"section": "archive"})
    for _ in range(12):
        client.get("/audit/")

    assert len(events("request.refused")) == 10
    assert {event.person for event in events("request.refused")} == {"ada"}


def test_addresses_of_one_network_share_the_limit_on_recorded_refusals(client):
    for number in range(12):
        client.get("/audit/", REMOTE_ADDR=f"2001:db8::{number + 1:x}")
    client.get("/audit/", REMOTE_ADDR="2001:db8:0:1::1")

    assert len(events("request.refused")) == 11


def test_addresses_of_one_network_share_the_limit_on_recorded_attempts(ada):
    for number in range(17):
        address = f"2001:db8::{number + 1:x}"
        Client().post("/sign-in/", {"username": "ada", "password": "wrong"}, REMOTE_ADDR=address)

    assert 1 <= len(events("sign-in.throttled")) <= 10


def test_a_limit_that_is_exceeded_is_recorded_rarely(ada, settings):
    settings.API_RATE = Rate(1, 3600)
    program = {"Authorization": f"Bearer {make_token(user=ada)}"}

    statuses = {Client().get("/api/v1/tools", headers=program).status_code for _ in range(8)}

    assert statuses == {200, 429}
    assert 1 <= len(events("request.limited")) <= 4
    event = events("request.limited")[0]
    assert (event.person, event.object_id, json.loads(event.after)) == (
        "ada",
        "person",
        {"limit": "1 per hour"},
    )
