"""The set-up link: its form creates the first administrator, once, and only while there is none."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import SignInLink, User
from accounts.sign_in_links import new_link
from tests.accounts.browsers import PASSWORD
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def fill_in(client: Client, link: str, **changed: str):
    form = {"username": "grace", "password1": PASSWORD, "password2": PASSWORD, **changed}
    return client.post(f"/sign-in/{link}/", form)


def test_the_form_creates_an_administrator_and_signs_them_in(client):
    link = new_link(None)

    page = client.get(f"/sign-in/{link}/")
    answer = fill_in(client, link)

    grace = User.objects.get()
    assert b"Set up this site" in page.content
    assert answer.status_code == 302
    assert (grace.username, grace.is_superuser, grace.is_staff) == ("grace", True, True)
    assert grace.check_password(PASSWORD)
    assert client.get("/admin/").status_code == 200


def test_a_link_works_once(client):
    link = new_link(None)
    fill_in(client, link)

    again = fill_in(Client(), link, username="mallory")

    assert again.status_code == 410
    assert not User.objects.filter(username="mallory").exists()


def test_no_link_works_on_a_site_that_has_an_administrator():
    link = new_link(None)
    make_user("ada", is_superuser=True)

    assert Client().get(f"/sign-in/{link}/").status_code == 410
    assert fill_in(Client(), link).status_code == 410
    assert User.objects.count() == 1


def test_a_link_expires(client):
    link = new_link(None)
    SignInLink.objects.update(
        created_at=timezone.now() - SignInLink.LIFETIME - timedelta(seconds=1)
    )

    assert fill_in(client, link).status_code == 410
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"password2": "another good password"}, "password fields"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"password1": "password123", "password2": "password123"}, "too common"),
        ({"username": "a b"}, "Enter a valid username"),
        ({"username": ""}, "This field is required"),
    ],
)
def test_a_form_that_is_refused_can_be_sent_again(client, changed, message):
    link = new_link(None)

    refused = fill_in(client, link, **changed)

    assert refused.status_code == 422
    assert message in refused.content.decode()
    assert fill_in(client, link).status_code == 302


def test_the_sign_in_page_says_what_to_do_on_a_site_without_an_administrator(client):
    before = client.get("/sign-in/").content
    make_user("ada", is_superuser=True)

    assert b"manage.py sign_in_link --set-up" in before
    assert b"--set-up" not in client.get("/sign-in/").content


def test_the_command_prints_a_link_that_works(capsys, client):
    call_command("sign_in_link", "--set-up", "--site", "https://tools.example.org")

    printed = capsys.readouterr().out.strip()
    link = printed.removeprefix("https://tools.example.org/sign-in/").rstrip("/")
    assert fill_in(client, link).status_code == 302


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ada", "--set-up"], "takes no user"),
        (["--set-up"], "already has an administrator. Accounts: ada."),
    ],
)
def test_the_command_refuses_what_makes_no_sense(words, message):
    make_user("ada", is_superuser=True)

    with pytest.raises(CommandError, match=message):
        call_command("sign_in_link", *words)
