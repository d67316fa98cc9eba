"""Ways in: tokens and passwords; and each refusal."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from catalog.accounts.models import ApiToken, User
from catalog.accounts.throttling import CHECKS_AT_ONCE, TRIES, counted_try, is_locked
from catalog.accounts.tokens import create_token, token_for
from catalog.accounts.views import address_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password="correct horse battery")


def test_a_token_opens_for_its_user(ada):
    token, secret = create_token(ada, scopes=["read"])

    assert token_for(secret) == token


def test_a_token_is_stored_hashed_and_recognisable(ada):
    token, secret = create_token(ada, scopes=["read"])

    assert secret.startswith("tsk_")
    assert len(secret) == 4 + 43
    assert secret not in str(ApiToken.objects.values().get(pk=token.pk))


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "write"]])
def test_a_token_needs_known_scopes(ada, scopes):
    with pytest.raises(ValueError, match="scopes"):
        create_token(ada, scopes=scopes)


def test_an_expired_token_opens_nothing(ada):
    token, secret = create_token(ada, scopes=["read"], days=1)
    ApiToken.objects.filter(pk=token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))

    assert token_for(secret) is None


def test_a_revoked_token_opens_nothing(ada, client):
    token, secret = create_token(ada, scopes=["read"])
    client.force_login(ada)

    client.post(f"/account/tokens/{token.pk}/revoke/")

    assert token_for(secret) is None


def test_the_token_of_a_disabled_person_opens_nothing(ada):
    _, secret = create_token(ada, scopes=["read"])
    User.objects.update(is_active=False)

    assert token_for(secret) is None


def test_somebody_elses_token_cannot_be_revoked(ada, client):
    token, secret = create_token(ada, scopes=["read"])
    client.force_login(User.objects.create_user("bob"))

    answer = client.post(f"/account/tokens/{token.pk}/revoke/")

    assert answer.status_code == 404
    assert token_for(secret) == token


def test_the_page_shows_a_new_token_once(ada, client):
    client.force_login(ada)

    made = client.post("/account/tokens/", {"name": "ci", "scopes": ["read", "run"], "days": "30"})
    again = client.get("/account/tokens/")

    assert ApiToken.objects.get().scopes == ["read", "run"]
    assert made.content.count(b"tsk_") > again.content.count(b"tsk_")


def test_the_page_refuses_a_token_that_may_nothing(ada, client):
    client.force_login(ada)

    answer = client.post("/account/tokens/", {"name": "ci"})

    assert answer.status_code == 422
    assert b"Choose at least one" in answer.content
    assert not ApiToken.objects.exists()


def test_the_command_prints_the_token_alone(capsys):
    call_command("create_token", "robot", "--scope", "publish", "--days", "7")

    printed = capsys.readouterr().out
    assert token_for(printed.strip()).user.username == "robot"
    assert printed.count("\n") == 1
    assert ApiToken.objects.get().scopes == ["publish"]


def test_the_command_refuses_a_token_of_no_days():
    with pytest.raises(CommandError, match="--days"):
        call_command("create_token", "robot", "--days", "0")


def test_the_command_refuses_a_disabled_account(ada):
    User.objects.update(is_active=False)

    with pytest.raises(CommandError, match="The account 'ada' is disabled"):
        call_command("create_token", "ada")


def test_a_password_signs_in(ada, client):
    answer = client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"})

    assert answer.status_code == 302
    assert answer["Location"] == "/"


def test_guessing_a_password_ends(ada, client):
    for _ in range(TRIES):
        client.post("/sign-in/", {"username": "ada", "password": "guess"})

    answer = client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"})

    assert b"Too many wrong passwords" in answer.content
    assert "_auth_user_id" not in client.session


def test_many_guesses_at_once_are_counted_from_their_start(ada):
    for _ in range(TRIES - 1):
        with suppress(ValueError), counted_try("ada", "10.0.0.1"):
            raise ValueError

    assert not is_locked("ada", "10.0.0.1")
    with counted_try("ada", "10.0.0.1"):
        assert is_locked("ada", "10.0.0.1")
    assert not is_locked("ada", "10.0.0.1")


def test_few_passwords_are_checked_at_once(ada, client):
    with ExitStack() as tries:
        for number in range(CHECKS_AT_ONCE):
            tries.enter_context(counted_try(f"other {number}", f"10.0.0.{number}"))
        answer = client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"})

    assert b"Many people are signing in" in answer.content
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("trusted", "told", "address"),
    [
        (False, "10.1.1.1", "127.0.0.1"),
        (True, "10.1.1.1", "10.1.1.1"),
        (True, "10.6.6.6, 10.1.1.1", "10.1.1.1"),
        (True, "", "127.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_is_believed_about_addresses(rf, settings, trusted, told, address):
    settings.TRUST_PROXY = trusted

    assert address_of(rf.get("/", headers={"x-forwarded-for": told})) == address


def test_signing_in_leads_to_no_other_site(ada, client):
    answer = client.post(
        "/sign-in/", {"username": "ada", "password": "correct horse battery", "next": "https://evil.example/"}
    )

    assert answer["Location"] == "/"


def test_a_changed_password_ends_sessions(ada, client):
    client.force_login(ada)
    ada.set_password("another good password")
    ada.save()

    assert client.get("/account/tokens/").status_code == 302
