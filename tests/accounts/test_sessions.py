"""Sessions: stored by a digest, ended after a while without use, listed for their user, and ended together."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from importlib import import_module

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts.models import Session, digest
from accounts.views import name_browser
from config.management.commands.backup import back_up
from tests.accounts.browsers import PASSWORD, is_signed_in, with_password
from tests.factories import make_user
from tests.site import ROOT
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def key_of(client) -> str:
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def test_the_database_holds_no_session_key(ada):
    client = with_password()

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM accounts_session")
        stored = str(cursor.fetchall())
        cursor.execute("SELECT count(*) FROM django_session")
        [of_django] = cursor.fetchone()

    assert key_of(client) not in stored
    assert digest(key_of(client)) in stored
    assert of_django == 0


def test_signing_out_ends_the_session_in_the_database(ada):
    client = with_password()
    key = key_of(client)

    client.post("/sign-out/")

    assert not Session.objects.filter(user=ada).exists()
    assert not import_module(settings.SESSION_ENGINE).SessionStore().exists(key)


def test_a_session_that_is_not_used_for_long_ends(ada):
    client = with_password()
    limit = timedelta(hours=settings.SESSION_IDLE_HOURS)

    Session.objects.update(last_used_at=timezone.now() - limit + timedelta(minutes=1))
    before = is_signed_in(client)
    used = Session.objects.get().last_used_at
    Session.objects.update(last_used_at=timezone.now() - limit - timedelta(seconds=1))

    assert before
    assert timezone.now() - used < timedelta(minutes=1)
    assert not is_signed_in(client)


def test_a_session_in_use_is_not_written_with_each_request(ada, django_assert_num_queries):
    client = with_password()
    client.get("/account/tokens/")

    # the session, the user, the tokens, whether a change waits for review
    with django_assert_num_queries(4):
        client.get("/account/tokens/")


def test_the_page_lists_the_browsers_of_the_user_alone(ada):
    make_user("bob", password=PASSWORD)
    edge = "Mozilla/5.0 (Windows NT 10.0) Chrome/140 Edg/140"
    client = with_password(headers={"user-agent": FIREFOX})
    with_password()
    with_password("bob", headers={"user-agent": edge})

    page = client.get("/account/sessions/").content.decode()

    assert page.count("Firefox on Linux") == 1
    assert page.count("Unknown browser") == 1
    assert page.count("this browser") == 1
    assert "Edge" not in page


def test_signing_out_everywhere_ends_every_session_of_the_user(ada):
    make_user("bob", password=PASSWORD)
    here, elsewhere, bob = with_password(), with_password(), with_password("bob")

    answer = here.post("/account/sessions/end/", follow=True)

    assert b"signed out everywhere (2 sessions ended)" in answer.content
    assert [is_signed_in(client) for client in (here, elsewhere, bob)] == [False, False, True]


def change(client, old, new, again=None):
    sent = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return client.post("/account/password/", sent, follow=True)


def test_the_password_page_names_the_account_for_password_managers(ada):
    page = HTMLParser(with_password().get("/account/password/").content)

    field = page.css_first("input[autocomplete=username]")
    assert field.attributes["value"] == "ada"
    assert "hidden" in field.attributes


def test_a_changed_password_ends_the_sessions_in_other_browsers(ada):
    here, elsewhere = with_password(), with_password()

    answer = change(here, PASSWORD, "a new passphrase of hers")

    ada.refresh_from_db()
    assert ada.check_password("a new passphrase of hers")
    assert b"Password changed" in answer.content
    assert [is_signed_in(here), is_signed_in(elsewhere)] == [True, False]
    assert Session.objects.filter(user=ada).count() == 1


@pytest.mark.parametrize(
    ("old", "new", "again", "message"),
    [
        ("guess", "a new passphrase of hers", None, "Your old password was entered incorrectly"),
        (PASSWORD, "short", None, "This password is too short"),
        (PASSWORD, "a new passphrase of hers", "another one of hers", "The two password fields"),
    ],
)
def test_a_password_that_cannot_be_changed_is_refused_with_the_reason(
    ada, old, new, again, message
):
    client = with_password()

    answer = change(client, old, new, again)

    assert answer.status_code == 422
    assert message in answer.content.decode()
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def test_guessing_the_old_password_is_slowed_down(ada):
    client = with_password()
    for _ in range(5):
        change(client, "guess", "a new passphrase of hers")

    answer = change(client, PASSWORD, "a new passphrase of hers")

    assert "Too many wrong passwords" in answer.content.decode()
    ada.refresh_from_db()
    assert ada.check_password(PASSWORD)


def row_of(client: Client, name: str) -> str:
    """The address that ends the session in the browser `name`, from the page of `client`."""
    rows = HTMLParser(client.get("/account/sessions/").content.decode()).css("tbody tr")
    (row,) = [row for row in rows if name in row.text()]
    return row.css_first("form").attributes["action"]


def test_a_person_ends_one_session_and_stays_signed_in_elsewhere(ada):
    here = with_password()
    chrome = "Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537"
    phone = with_password(headers={"User-Agent": chrome})

    answer = here.post(row_of(here, "Chrome on Android"), follow=True)

    assert "The session in Chrome on Android has ended." in answer.content.decode()
    assert is_signed_in(here)
    assert not is_signed_in(phone)
    event = AuditEvent.objects.get(action="sessions.end")
    assert (event.person, event.after) == ("ada", '{"sessions":1,"browser":"Chrome on Android"}')


def test_ending_the_session_of_this_browser_signs_out(ada):
    client = with_password()

    answer = client.post(row_of(client, "this browser"))

    assert answer["Location"] == "/sign-in/"
    assert not is_signed_in(client)
    assert not Session.objects.filter(user=ada).exists()


def test_nobody_ends_the_session_of_another(ada):
    client = with_password()
    address = row_of(client, "this browser")
    bob = Client()
    bob.force_login(make_user("bob"))

    assert bob.post(address).status_code == 404
    assert Client().post(address).status_code == 302
    assert client.get(address).status_code == 405
    assert is_signed_in(client)


def test_the_page_of_sessions_contains_no_key_that_opens_one(ada):
    here, other = with_password(), with_password()

    page = here.get("/account/sessions/").content.decode()

    keys = [client.cookies[settings.SESSION_COOKIE_NAME].value for client in (here, other)]
    assert not any(key in page for key in keys)
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = digest(keys[1])
    assert digest(keys[1]) in page
    assert not is_signed_in(thief)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605",
            "Safari on macOS",
        ),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_named(agent, name):
    assert name_browser(agent) == name


def test_a_backup_holds_no_session(tmp_path):
    marker = "b7c1-marker-of-a-session-" + "x" * 3000
    with closing(sqlite3.connect(tmp_path / "live.sqlite3")) as live, live:
        live.execute("CREATE TABLE catalog_tool (id INTEGER PRIMARY KEY, name TEXT)")
        live.execute("INSERT INTO catalog_tool (name) VALUES ('kept')")
        for table in ("accounts_session", "django_session"):
            live.execute(f"CREATE TABLE {table} (session_key TEXT PRIMARY KEY, session_data TEXT)")
            live.executemany(
                f"INSERT INTO {table} VALUES (?, ?)", [(str(n), marker) for n in range(20)]
            )

    back_up(tmp_path / "live.sqlite3", tmp_path / "copy.sqlite3")

    assert marker[:20].encode() in (tmp_path / "live.sqlite3").read_bytes()
    copy = (tmp_path / "copy.sqlite3").read_bytes()
    assert marker[:20].encode() not in copy
    assert b"kept" in copy


@pytest.mark.deep
def test_under_https_every_cookie_has_the_host_prefix_and_is_secure(tmp_path):
    program = """
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from accounts.models import User
call_command("migrate", verbosity=0)
User.objects.create_user("ada", password="correct horse battery")
client = Client(headers={"host": "localhost"})
client.get("/sign-in/?next=/add/", secure=True)
client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"}, secure=True)
for name, cookie in client.cookies.items():
    print(name, bool(cookie["secure"]), cookie["path"], cookie["domain"] or "-")
"""
    (tmp_path / "static").symlink_to(settings.STATIC_ROOT)
    environment = {
        **os.environ,
        "TOOLSHELF_HTTPS": "1",
        "TOOLSHELF_DATA_DIR": str(tmp_path),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    cookies = {re.sub("_[0-9a-f]{8}$", "", name): facts for name, facts in lines}  # of the site
    names = {f"__Host-toolshelf_{name}" for name in ("session", "csrf", "next", "browser")}
    assert cookies == dict.fromkeys(names, "True / -"), done.stderr
