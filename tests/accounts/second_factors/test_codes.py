"""The second step of a sign-in: codes of an authenticator app and recovery codes, each once, with limits on guesses."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.test import Client

from accounts.models import FailedSignIn, Session, User
from accounts.second_factors.secrets import rotate_second_factors
from accounts.sign_in_links import create_sign_in_link
from accounts.throttling import OF_PAIR
from tests.accounts import browsers
from tests.accounts.browsers import (
    PASSWORD,
    code,
    confirm,
    is_signed_in,
    shown_secret,
    turn_on_app,
    with_password,
    wrong_code,
)
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret(ada) -> str:
    """The secret of Ada's authenticator app."""
    secret = generate_totp_secret()
    TOTP.activate(ada, secret)
    return secret


def second_step(client: Client, code: str, **options):
    return client.post("/second-step/", {"code": code}, **options)


def test_the_password_alone_does_not_sign_in(secret):
    client = with_password()

    session = Session.objects.get()
    assert not is_signed_in(client)
    assert settings.BROWSER_COOKIE_NAME not in client.cookies
    assert b"You are signing in as <b>ada</b>" in client.get("/second-step/").content
    assert session.user is None
    assert (session.expire_date - session.last_used_at).total_seconds() <= 15 * 60 + 1


def test_the_code_signs_in_and_leads_back(secret):
    client = with_password(next="/add/")
    now = code(secret)

    answer = second_step(client, f"{now[:3]} {now[3:]}")

    assert (answer.status_code, answer["Location"]) == (302, "/add/")
    assert is_signed_in(client)
    assert settings.BROWSER_COOKIE_NAME in client.cookies
    assert Session.objects.get().user.username == "ada"


def test_a_wrong_code_does_not(secret):
    client = with_password()

    answer = second_step(client, wrong_code(secret))

    assert answer.status_code == 422
    assert b"The code is wrong." in answer.content
    assert not is_signed_in(client)


def test_a_code_works_once(secret):
    used = code(secret)
    second_step(with_password(), used)
    client = with_password()

    answer = second_step(client, used)

    assert b"This code has been used" in answer.content
    assert not is_signed_in(client)


def test_a_code_before_the_last_one_no_longer_works(secret):
    second_step(with_password(), code(secret, periods=1))
    client = with_password()

    second_step(client, code(secret))

    assert not is_signed_in(client)


def test_too_many_wrong_codes_must_wait_even_for_the_right_one(secret):
    client = with_password()
    for _ in range(OF_PAIR.free):
        assert second_step(client, wrong_code(secret)).status_code == 422

    answer = second_step(client, code(secret))

    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= OF_PAIR.first_s
    assert b"Too many wrong codes. Try again in" in answer.content
    assert not is_signed_in(client)


def test_neither_the_right_password_nor_another_address_allows_more_guesses(secret):
    for number in range(OF_PAIR.free):
        second_step(with_password(), wrong_code(secret), REMOTE_ADDR=f"10.0.0.{number}")

    answer = second_step(with_password(), code(secret), REMOTE_ADDR="10.9.9.9")

    assert answer.status_code == 429


def test_a_browser_that_signed_in_before_does_not_wait_for_the_guesses_of_others(secret):
    known = with_password()
    second_step(known, code(secret, periods=-1))
    known.post("/sign-out/")
    stranger = with_password()
    for _ in range(OF_PAIR.free + 1):
        answer = second_step(stranger, wrong_code(secret))
    assert answer.status_code == 429

    known.post("/sign-in/", {"username": "ada", "password": PASSWORD})

    assert second_step(known, code(secret)).status_code == 302


def test_wrong_codes_of_one_person_delay_nobody_else(secret):
    for _ in range(OF_PAIR.free + 1):
        second_step(with_password(), wrong_code(secret))
    bob, other = make_user("bob", password=PASSWORD), generate_totp_secret()
    TOTP.activate(bob, other)

    assert second_step(with_password("bob"), code(other)).status_code == 302


def test_a_recovery_code_works_once(ada, secret):
    [first, second, *_] = RecoveryCodes.activate(ada).get_unused_codes()

    second_step(client := with_password(), first)
    again = second_step(with_password(), first)

    assert is_signed_in(client)
    assert again.status_code == 422
    assert second_step(with_password(), second).status_code == 302


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_the_second_step_needs_the_first(secret, client, is_cancelled):
    if is_cancelled:
        client = with_password()
        client.post("/sign-out/")

    assert client.get("/second-step/")["Location"] == "/sign-in/"
    assert second_step(client, code(secret))["Location"] == "/sign-in/"
    assert not is_signed_in(client)


def test_an_account_that_is_disabled_meanwhile_is_not_signed_in(secret):
    client = with_password()
    User.objects.update(is_active=False)

    second_step(client, code(secret))

    assert not is_signed_in(client)


def test_a_link_needs_no_second_step_and_lets_a_lost_app_be_turned_off(ada, secret):
    client = Client()
    client.post(f"/sign-in/{create_sign_in_link('ada')}/")
    assert is_signed_in(client)

    client.post("/account/security/app/remove/")

    assert not Authenticator.objects.exists()


def test_nothing_in_the_database_shows_a_secret(ada, secret):
    codes = RecoveryCodes.activate(ada).get_unused_codes()

    stored = str(list(Authenticator.objects.values("data")))

    assert secret not in stored
    assert not any(each in stored for each in codes)


def test_without_the_key_no_code_is_right_and_with_a_rotated_one_codes_go_on(ada, secret, settings):
    RecoveryCodes.activate(ada)
    old, settings.CONFIGURATION_KEYS = settings.CONFIGURATION_KEYS, ["another"]
    assert second_step(with_password(), code(secret)).status_code == 422
    assert rotate_second_factors() == (0, 2)

    settings.CONFIGURATION_KEYS = ["another", *old]
    assert rotate_second_factors() == (2, 0)

    settings.CONFIGURATION_KEYS = ["another"]
    assert second_step(with_password(), code(secret)).status_code == 302


# -- turning it on and off -----------------------------------------------------------------------------------------


@pytest.fixture
def confirmed(ada) -> Client:
    """A browser in which Ada has just entered her password again."""
    return browsers.confirmed()


def test_an_app_is_turned_on_with_its_first_code_and_recovery_codes_are_shown_once(confirmed):
    first = code(shown_secret(confirmed))
    sent = {"code": f" {first[:3]} {first[3:]}"}

    answer = confirmed.post("/account/security/app/", sent)
    first, again = (
        confirmed.get("/account/security/recovery-codes/").content.decode() for _ in range(2)
    )
    assert answer["Location"] == "/account/security/recovery-codes/"
    assert len(re.findall(r"^(?:.*<code>)?\d{8}$", first, re.MULTILINE)) == 10
    assert not re.search(r"\d{8}\n", again)
    assert "not shown again" in again


@pytest.mark.parametrize("path", ["/second-step/", "/account/security/confirm/code/"])
def test_the_code_that_turned_on_an_app_does_not_work_again(confirmed, path):
    secret = turn_on_app(confirmed)
    client = with_password() if path == "/second-step/" else confirmed

    again = client.post(path, {"code": code(secret, periods=-1)})
    next_code = client.post(path, {"code": code(secret)})

    assert (again.status_code, next_code.status_code) == (422, 302)
    assert b"This code has been used." in again.content


def test_a_wrong_first_code_turns_nothing_on(confirmed):
    secret = shown_secret(confirmed)

    answer = confirmed.post("/account/security/app/", {"code": wrong_code(secret)})

    assert answer.status_code == 422
    assert not Authenticator.objects.exists()


def test_new_recovery_codes_replace_the_old_ones(ada, secret, confirmed):
    [old, *_] = RecoveryCodes.activate(ada).get_unused_codes()
    second_step(client := with_password(), code(secret))
    confirm(client)

    client.post("/account/security/recovery-codes/new/")

    assert second_step(with_password(), old).status_code == 422


@pytest.mark.parametrize(
    "path",
    ["app/", "app/remove/", "recovery-codes/", "recovery-codes/new/", "passkeys/add/", "unlink/"],
)
def test_changes_need_the_password_again(ada, secret, path):
    TOTP.activate(make_user("bob", password=PASSWORD), generate_totp_secret())
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(username="ada"))
    RecoveryCodes.activate(ada)

    answers = {
        client.get(f"/account/security/{path}").status_code,
        client.post(f"/account/security/{path}").status_code,
    }

    assert answers <= {302, 404, 405}
    assert Authenticator.objects.filter(user=ada).count() == 2


def test_the_right_password_again_leads_back(ada):
    client = with_password()

    asked = client.get("/account/security/app/")
    answer = client.post(
        asked["Location"], {"password": PASSWORD, "next": "/account/security/app/"}
    )

    assert asked["Location"] == "/account/security/confirm/?next=%2Faccount%2Fsecurity%2Fapp%2F"
    assert answer["Location"] == "/account/security/app/"


def test_a_request_that_waits_for_the_password_is_stored_without_the_key_of_its_session(ada):
    client = with_password()
    key = client.cookies[settings.SESSION_COOKIE_NAME].value

    asked = client.post("/account/security/app/", {"code": "123456"})

    [stored] = [str(session.get_decoded()) for session in Session.objects.all()]
    assert asked["Location"].startswith("/account/security/confirm/")
    assert "code=123456" in stored
    assert key not in stored


def test_a_wrong_password_again_is_counted_as_a_failed_sign_in(ada):
    client = Client()
    client.force_login(ada)
    for _ in range(OF_PAIR.free):
        assert client.post("/account/security/confirm/", {"password": "wrong"}).status_code == 422

    answer = client.post("/account/security/confirm/", {"password": PASSWORD})

    assert answer.status_code == 429
    assert FailedSignIn.objects.count() == OF_PAIR.free
    assert Client().post("/sign-in/", {"username": "ada", "password": PASSWORD}).status_code == 429


def test_people_without_a_password_are_asked_to_set_one(client):
    user = make_user("owner")
    user.set_unusable_password()
    user.save()
    client.force_login(user)

    assert client.get("/account/security/app/").status_code == 403
    page = client.get("/account/security/").content
    assert b"Set a password" in page
    assert b"Authenticator app" not in page


def test_nobody_changes_the_passkeys_of_another(ada, confirmed):
    other = Authenticator.objects.create(
        user=make_user("bob"), type="webauthn", data={"name": "key", "credential": {}}
    )

    assert confirmed.post(f"/account/security/passkeys/{other.pk}/remove/").status_code == 404
    assert (
        confirmed.post(f"/account/security/passkeys/{other.pk}/", {"name": "mine"}).status_code
        == 404
    )
