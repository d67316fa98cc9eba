"""API tokens: a new one asks for confirmation, each ends by itself, and all end with the sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, Session, User
from tests.accounts.browsers import PASSWORD, with_password
from tests.factories import make_token, make_user, signed_in

pytestmark = pytest.mark.django_db

OTHER_PASSWORD = "another good passphrase"
NEW_PASSWORD = {"new_password1": OTHER_PASSWORD, "new_password2": OTHER_PASSWORD}
TOKENS = "/account/tokens/"


@contextmanager
def an_hour_ago() -> Iterator[None]:
    """The clock of a block, in which somebody signs in."""
    then = timezone.now() - timedelta(hours=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: then)
        patch.setattr("time.time", then.timestamp)
        yield


def works(secret: str) -> bool:
    answer = Client().get("/api/v1/tools", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


# -- confirmation -----------------------------------------------------------------------------------------------------


def test_a_token_asks_for_the_password_in_an_older_session_and_keeps_what_was_typed(ada):
    with an_hour_ago():
        client = with_password()

    typed = {"name": "nightly", "scopes": ["read", "run"], "days": "7", "toolkits": "a, b"}
    asked = client.post(TOKENS, typed)
    page = client.get(asked["Location"])
    confirmed = client.post(
        asked["Location"], {"password": PASSWORD, "next": page.context["redirect_field_value"]}
    )
    form = client.get(confirmed["Location"]).content.decode()
    made = client.post(TOKENS, typed)

    assert asked["Location"].startswith("/account/security/confirm/")
    assert 'value="nightly"' in form
    assert 'value="a, b"' in form
    assert form.count("checked") == 2
    assert b"tsk_" in made.content


def test_no_token_is_created_and_nothing_is_stored_without_the_confirmation(ada, settings):
    with an_hour_ago():
        client = with_password()

    asked = client.post(TOKENS, {"name": "nightly", "scopes": ["read"]})
    refused = client.post(asked["Location"], {"password": "wrong"})

    assert refused.status_code == 422
    assert not ApiToken.objects.exists()
    assert client.cookies[settings.SESSION_COOKIE_NAME].value not in str(
        Session.objects.get().get_decoded()
    )


def test_a_person_without_a_password_signs_in_again_for_a_token():
    ada = make_user("ada")
    with an_hour_ago():
        client = signed_in(ada)

    refused = client.post(TOKENS, {"scopes": ["read"]})
    made = signed_in(ada).post(TOKENS, {"scopes": ["read"]})

    assert (refused.status_code, ApiToken.objects.count()) == (403, 1)
    assert b"a sign-in within the last 5 minutes" in refused.content
    assert b"tsk_" in made.content


def test_an_invalid_form_is_answered_before_the_confirmation(ada):
    with an_hour_ago():
        client = with_password()

    assert client.post(TOKENS, {"name": "ci"}).status_code == 422


def test_a_first_password_asks_for_a_recent_sign_in():
    ada = make_user("ada")
    with an_hour_ago():
        old = signed_in(ada)

    sent = old.post("/account/password/", NEW_PASSWORD)
    refused = not User.objects.get().has_usable_password()
    accepted = signed_in(ada).post("/account/password/", NEW_PASSWORD)

    assert (sent.status_code, refused) == (403, True)
    assert accepted.status_code == 302
    assert User.objects.get().has_usable_password()


# -- the end of a token -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "days"), [({}, 90), ({"days": ""}, 90), ({"days": "3650"}, 3650)], ids=str
)
def test_a_token_of_the_page_ends_after_90_days_unless_another_number_is_given(ada, given, days):
    with_password().post(TOKENS, {"scopes": ["read"], **given})

    assert days_of(ApiToken.objects.get()) == days


def test_a_token_of_the_command_ends_after_90_days():
    call_command("create_token", "robot", "--create")

    assert days_of(ApiToken.objects.get()) == 90


def days_of(token: ApiToken) -> int:
    return round((token.expires_at - timezone.now()) / timedelta(days=1))


def test_a_token_never_ends_if_that_is_asked_for(ada):
    with_password().post(TOKENS, {"scopes": ["read"], "days": "0"})
    call_command("create_token", "ada", "--days", "0")

    assert [token.expires_at for token in ApiToken.objects.all()] == [None, None]


@pytest.mark.parametrize("days", ["-1", "3651"])
def test_a_token_cannot_end_in_the_past_or_in_more_than_ten_years(ada, days):
    answer = with_password().post(TOKENS, {"scopes": ["read"], "days": days})

    assert answer.status_code == 422
    with pytest.raises(CommandError, match="--days must be 1 to 3650, or 0"):
        call_command("create_token", "ada", "--days", days)


# -- tokens end with the sessions -------------------------------------------------------------------------------------


def change_on_the_page(monkeypatch) -> None:
    page = with_password().post(
        "/account/password/", {"old_password": PASSWORD, **NEW_PASSWORD}, follow=True
    )
    assert b"Your API tokens have ended" in page.content


def change_by_a_command(monkeypatch) -> None:
    asked = "django.contrib.auth.management.commands.changepassword.getpass.getpass"
    monkeypatch.setattr(asked, lambda **_: OTHER_PASSWORD)
    call_command("changepassword", "ada")


def sign_out_everywhere(monkeypatch) -> None:
    assert with_password().post("/account/sessions/end/").status_code == 302


@pytest.mark.parametrize(
    "way",
    [change_on_the_page, change_by_a_command, sign_out_everywhere],
    ids=lambda way: way.__name__,
)
def test_a_token_ends_with_the_sessions(ada, way, monkeypatch):
    secret, other = make_token(user=ada), make_token(user=make_user("bob"))
    assert works(secret)

    way(monkeypatch)

    assert not works(secret)
    assert works(other)


def test_a_token_survives_a_sign_in(ada):
    secret = make_token(user=ada)

    with_password()

    assert works(secret)


def test_the_admins_page_for_ones_own_password_leads_to_the_accounts_page():
    client = Client()
    client.force_login(User.objects.create_superuser("root"))

    shown, sent = client.get("/admin/password_change/"), client.post("/admin/password_change/", {})

    assert (shown.status_code, shown["Location"]) == (302, "/account/password/")
    assert (sent.status_code, sent["Location"]) == (302, "/account/password/")
