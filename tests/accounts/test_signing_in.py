"""Ways in: tokens and passwords; and each refusal."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, FailedSignIn, User, digest
from accounts.sign_in_links import create_sign_in_link
from accounts.throttling import CHECKS_AT_ONCE, OF_PAIR, SPREAD, Origin, count_try
from accounts.tokens import create_token, find_token
from tests.accounts.browsers import PASSWORD
from tests.factories import signed_in
from toolshelf_core.errors import Busy

pytestmark = pytest.mark.django_db


def test_a_token_is_stored_hashed_and_recognisable(ada):
    token, secret = create_token(ada, scopes=["read"])

    assert secret.startswith("tsk_")
    assert len(secret) == 4 + 43
    assert secret not in str(ApiToken.objects.values().get(pk=token.pk))


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "write"]])
def test_a_token_needs_known_scopes(ada, scopes):
    with pytest.raises(ValueError, match="scopes"):
        create_token(ada, scopes=scopes)


def test_a_revoked_token_opens_nothing(ada, client):
    token, secret = create_token(ada, scopes=["read"])
    client.force_login(ada)

    client.post(f"/account/tokens/{token.pk}/revoke/")

    assert find_token(secret) is None


def test_another_users_token_cannot_be_revoked(ada, client):
    token, secret = create_token(ada, scopes=["read"])
    client.force_login(User.objects.create_user("bob"))

    answer = client.post(f"/account/tokens/{token.pk}/revoke/")

    assert answer.status_code == 404
    assert find_token(secret) == token


def test_the_page_shows_a_new_token_once(ada):
    client = signed_in(ada)

    made = client.post("/account/tokens/", {"name": "ci", "scopes": ["read", "run"], "days": "30"})
    again = client.get("/account/tokens/")

    assert ApiToken.objects.get().scopes == ["read", "run"]
    assert made.content.count(b"tsk_") > again.content.count(b"tsk_")


def test_the_tokens_of_a_person_precede_the_form_for_a_new_one(ada, client):
    client.force_login(ada)
    assert "Your tokens" not in client.get("/account/tokens/").content.decode()
    create_token(ada, name="ci", scopes=["read"])

    page = client.get("/account/tokens/").content.decode()

    assert page.index("Your tokens") < page.index("New token")


def test_the_page_refuses_a_token_that_may_nothing(ada, client):
    client.force_login(ada)

    answer = client.post("/account/tokens/", {"name": "ci"})

    assert answer.status_code == 422
    assert b"Choose at least one" in answer.content
    assert not ApiToken.objects.exists()


def test_the_command_prints_the_token_alone(capsys):
    User.objects.create_user("robot")

    call_command("create_token", "robot", "--scope", "publish", "--days", "7")

    printed = capsys.readouterr().out
    assert find_token(printed.strip()).user.username == "robot"
    assert printed.count("\n") == 1
    assert ApiToken.objects.get().scopes == ["publish"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["adda"], r"no account named 'adda'\. .*ada.* To create it, add --create\."),
        (["a b/c", "--create"], "Cannot create the account 'a b/c'"),
        (["gone"], "The account 'gone' is disabled"),
    ],
)
def test_the_command_refuses_a_name_that_it_cannot_use(ada, words, message):
    User.objects.create_user("gone", is_active=False)

    with pytest.raises(CommandError, match=message):
        call_command("create_token", *words)

    assert User.objects.count() == 2
    assert not ApiToken.objects.exists()


def test_the_command_creates_an_account_only_when_asked_and_only_once(capsys):
    for _ in range(2):
        call_command("create_token", "robot", "--create", "--scope", "read")

    assert ApiToken.objects.filter(user__username="robot").count() == 2
    assert not User.objects.get().has_usable_password()
    assert capsys.readouterr().err.count("Created the account robot.") == 1


@pytest.mark.parametrize("may_browse", [True, False])
def test_the_sign_in_page_offers_browsing_only_where_visitors_may_browse(
    client, settings, may_browse
):
    settings.ANONYMOUS_BROWSING = may_browse

    page = client.get("/sign-in/").content.decode()

    assert ("Browse without an account" in page) == may_browse


def test_guessing_a_password_is_slowed_down(ada, client):
    for _ in range(10):
        client.post("/sign-in/", {"username": "ada", "password": "guess"})

    answer = client.post("/sign-in/", {"username": "ada", "password": PASSWORD})

    assert b"Too many wrong passwords" in answer.content
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= OF_PAIR.first_s
    assert "_auth_user_id" not in client.session
    assert (
        FailedSignIn.objects.count() == OF_PAIR.free
    )  # refused attempts are not counted, and do not prolong the wait


def fail(username, address, times=1, *, ago_s=0):
    FailedSignIn.objects.bulk_create(
        FailedSignIn(
            account=digest(username),
            address=digest(address),
            at=timezone.now() - timedelta(seconds=ago_s + 0.001 * n),
        )
        for n in range(times)
    )


def password_of_ada(client):
    return client.post("/sign-in/", {"username": "ada", "password": PASSWORD}).status_code


@pytest.mark.parametrize(("name", "address"), [("bob", "127.0.0.1"), ("ada", "10.0.0.1")])
def test_wrong_passwords_for_another_account_or_from_another_address_delay_nobody(
    ada, client, name, address
):
    fail(name, address, 500)

    assert password_of_ada(client) == 302


def test_after_the_wait_the_right_password_signs_in_and_the_failures_are_forgotten(ada, client):
    fail("ada", "127.0.0.1", OF_PAIR.free, ago_s=OF_PAIR.first_s + 1)

    assert password_of_ada(client) == 302
    assert not FailedSignIn.objects.exists()


def test_the_wait_doubles_up_to_a_limit():
    waits = {failures: OF_PAIR.wait_s(failures) for failures in (0, 4, 5, 6, 8, 9, 500)}

    assert waits == {0: 0, 4: 0, 5: 10, 6: 20, 8: 80, 9: 120, 500: 120}


@pytest.mark.parametrize("way", ["password", "link"])
def test_a_browser_that_signed_in_before_is_not_delayed_by_others(ada, client, way):
    if way == "password":
        assert password_of_ada(client) == 302
    else:
        client.post(f"/sign-in/{create_sign_in_link('ada')}/")
    client.post("/sign-out/")
    fail("ada", "127.0.0.1", 50)

    assert password_of_ada(Client()) == 429
    assert password_of_ada(client) == 302


def test_a_known_browser_that_guesses_is_slowed_down(ada, client):
    password_of_ada(client)
    client.post("/sign-out/")
    for _ in range(OF_PAIR.free):
        client.post("/sign-in/", {"username": "ada", "password": "guess"})

    assert password_of_ada(client) == 429
    assert password_of_ada(Client()) == 302


def test_a_browser_is_known_only_to_its_accounts_and_by_a_signed_cookie(ada, client):
    bob = User.objects.create_user("bob", password="another good passphrase")
    client.post("/sign-in/", {"username": bob.username, "password": "another good passphrase"})
    client.post("/sign-out/")
    forger = Client()
    forger.cookies[settings.BROWSER_COOKIE_NAME] = (
        client.cookies[settings.BROWSER_COOKIE_NAME].value + "x"
    )
    fail("ada", "127.0.0.1", 50)
    fail("bob", "127.0.0.1", 50)

    assert password_of_ada(client) == 429
    answer = forger.post("/sign-in/", {"username": "bob", "password": "another good passphrase"})
    assert answer.status_code == 429


@pytest.mark.parametrize(("name", "address"), [("ada", "10.0.0.{}"), ("somebody {}", "127.0.0.1")])
def test_guessing_from_many_addresses_or_for_many_accounts_is_slowed_down(
    ada, client, name, address
):
    for number in range(SPREAD.free):
        fail(name.format(number), address.format(number))

    assert password_of_ada(client) == 429


def test_many_guesses_at_once_are_counted_from_their_start(ada):
    origin = Origin("10.0.0.1")
    for _ in range(OF_PAIR.free - 1):
        with suppress(ValueError), count_try("ada", origin):
            raise ValueError

    with (
        count_try("ada", origin),
        pytest.raises(Busy, match="Too many wrong passwords"),
        count_try("ada", origin),
    ):
        pass
    with count_try("ada", origin):
        pass


def test_few_passwords_are_checked_at_once(ada, client):
    with ExitStack() as tries:
        for number in range(CHECKS_AT_ONCE):
            tries.enter_context(count_try(f"other {number}", Origin(f"10.0.0.{number}")))
        answer = client.post("/sign-in/", {"username": "ada", "password": PASSWORD})

    assert b"Too many people are signing in" in answer.content
    assert (answer.status_code, answer["Retry-After"]) == (429, "2")
    assert "_auth_user_id" not in client.session
    assert not FailedSignIn.objects.exists()


LINK, FORM = 'id="link-command"', 'id="id_password"'


def test_on_this_machine_the_link_comes_before_the_password_until_one_was_wrong(client):
    wrong = {"username": "ada", "password": "wrong"}
    page = client.get("/sign-in/", headers={"Host": "localhost"}).content.decode()
    later = client.post("/sign-in/", wrong, headers={"Host": "localhost"}).content.decode()

    assert page.index(LINK) < page.index("With a password") < page.index(FORM)
    assert 'href="/help/sign-in/"' in page
    assert later.index(FORM) < later.index(LINK)


@pytest.mark.parametrize(
    ("host", "address", "headers"),
    [
        ("tools.example", "203.0.113.7", {}),
        ("localhost", "203.0.113.7", {}),
        ("tools.example", "127.0.0.1", {}),
        ("localhost", "127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}),
    ],
)
def test_others_see_the_password_first(client, settings, host, address, headers):
    settings.ALLOWED_HOSTS = ["localhost", "tools.example"]

    answer = client.get("/sign-in/", headers={"Host": host, **headers}, REMOTE_ADDR=address)

    page = answer.content.decode()
    assert page.index(FORM) < page.index(LINK)
    assert "With a password" not in page
