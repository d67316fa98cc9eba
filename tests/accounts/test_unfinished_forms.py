"""A form that was filled in before signing in comes back afterwards, by password and by link."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts import unfinished_forms
from accounts.models import Session
from accounts.sign_in_links import create_sign_in_link
from tests.accounts.browsers import PASSWORD
from tests.factories import make_tool, properties

pytestmark = pytest.mark.django_db

TRY = "/tools/mail/try/"
FILLED_IN = {
    "parameters:o:": "",
    "parameters:t:/.to": "bob@example.org",
    "parameters:n:/.times": "not a number yet",
    "configuration:o:": "",
    "configuration:t:/.server": "mail.example.org",
    "configuration:t:/.key": "marker-secret-5501",
    "mode": "mock",
    "timeout_s": "7",
}


@pytest.fixture(autouse=True)
def mail(db):
    return make_tool(
        "mail",
        parameters=properties(to={"type": "string"}, times={"type": "integer"}),
        configuration=properties(
            server={"type": "string"}, key={"type": "string", "writeOnly": True}
        ),
    )


def sign_in_by_password(client: Client, location: str) -> str:
    page = HTMLParser(client.get(location).content)
    back = page.css_first("main input[name=next]").attributes["value"]
    form = {"username": "ada", "password": PASSWORD, "next": back}
    return client.post("/sign-in/", form)["Location"]


def sign_in_by_link(client: Client, location: str) -> str:
    client.get(location)
    return client.post(f"/sign-in/{create_sign_in_link('ada')}/")["Location"]


def values_of(client: Client, address: str) -> dict[str, str]:
    """The values of the controls of a page's main form, by name; those of a schema's form by form and path."""
    answer = client.get(address)
    assert answer.status_code == 200
    return values_in(answer.content)


def values_in(page: bytes) -> dict[str, str]:
    form = HTMLParser(page).css_first("form[enctype]")
    values = {
        control.attributes["name"]: control.attributes.get("value") or ""
        for control in form.css("input[name]")
        if control.attributes.get("type") not in {"radio", "checkbox"}
        or "checked" in control.attributes
    } | {area.attributes["name"]: area.text() for area in form.css("textarea[name]")}
    return {
        re.sub(r"^(parameters|configuration):\w+:", r"\1:", name): value
        for name, value in values.items()
    }


@pytest.mark.parametrize(
    ("pressed", "sign_in"),
    [
        ({"use": "sign-in"}, sign_in_by_password),
        ({"use": "sign-in"}, sign_in_by_link),
        ({"run": "1", "mode": "live"}, sign_in_by_password),
        ({"use": "save", "save_as": "work"}, sign_in_by_password),
    ],
)
def test_a_form_that_was_filled_in_comes_back(client, ada, sign_in, pressed):
    asked = client.post(TRY, FILLED_IN | pressed)
    before = client.session.get_expiry_age()
    warning = client.get(asked["Location"]).content
    address = sign_in(client, asked["Location"])
    page, later = (client.get(address).content for _ in range(2))
    values = values_in(page)

    assert (asked.status_code, address) == (302, TRY)
    assert b"are restored after you sign in, except for secrets and files" in warning
    assert values["parameters:/.to"] == "bob@example.org"
    assert values["parameters:/.times"] == "not a number yet"
    assert values["configuration:/.server"] == "mail.example.org"
    assert values["timeout_s"] == "7"
    assert values["mode"] == "mock"
    assert "hidden" not in HTMLParser(page).css_first("#restored").attributes
    assert "hidden" in HTMLParser(later).css_first("#restored").attributes
    assert before == 60 * 60
    assert client.session.get_expiry_age() == 14 * 24 * 60 * 60


def test_a_secret_comes_back_nowhere_and_is_not_stored(client, ada):
    asked = client.post(TRY, FILLED_IN | {"use": "sign-in"})
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_data FROM accounts_session")
        stored = [Session(session_data=row[0]).get_decoded() for row in cursor.fetchall()]
    page = client.get(sign_in_by_password(client, asked["Location"])).content.decode()

    assert len(stored) == 1
    assert "marker-secret-5501" not in str(stored) + asked["Location"] + str(client.cookies) + page
    assert "mail.example.org" not in str(stored) + asked["Location"] + str(client.cookies)
    assert "configuration:c:/.key" not in page


def test_a_secret_in_json_text_is_not_stored_either(client, ada):
    text = '{"server": "mail.example.org", "key": "marker-secret-5501"}'
    asked = client.post(TRY, {"configuration:e:": text, "parameters:t:/.to": "x", "use": "sign-in"})
    page = client.get(sign_in_by_password(client, asked["Location"])).content.decode()

    assert "marker-secret-5501" not in page
    assert "(secret, unchanged)" not in page


def test_json_text_comes_back_as_it_was_typed(client, ada):
    asked = client.post(TRY, {"parameters:e:": '{"to": "bob', "use": "sign-in"})

    values = values_of(client, sign_in_by_password(client, asked["Location"]))

    assert values["parameters:"] == '{"to": "bob'


def test_entries_are_restored_only_on_their_own_page_and_after_signing_in(client, ada):
    make_tool("post", parameters=properties(to={"type": "string"}))
    asked = client.post(TRY, FILLED_IN | {"use": "sign-in"})
    before = values_of(client, TRY)
    sign_in_by_password(client, asked["Location"])

    assert "bob@example.org" not in before.values()
    assert "bob@example.org" not in values_of(client, "/tools/post/try/").values()
    assert "bob@example.org" in values_of(client, TRY).values()


def test_a_user_who_has_signed_in_meanwhile_loses_nothing(client, ada):
    client.force_login(ada)

    answer = client.post(TRY, FILLED_IN | {"use": "sign-in"})

    assert answer.status_code == 200
    assert b"bob@example.org" in answer.content


def test_a_press_of_run_when_the_session_has_ended_leads_htmx_to_the_sign_in_page(client):
    answer = client.post(
        TRY, FILLED_IN | {"run": "1", "mode": "live"}, headers={"hx-request": "true"}
    )

    assert answer.status_code == 204
    assert answer["HX-Redirect"] == "/sign-in/?next=%2Ftools%2Fmail%2Ftry%2F"


def test_a_text_that_was_pasted_to_be_uploaded_comes_back(client, ada):
    asked = client.post("/add/", {"text": "[1,\n 2]", "prefix": "mine", "dry_run": "on"})
    address = sign_in_by_link(client, asked["Location"])
    page = HTMLParser(client.get(address).content)

    assert address == "/add/"
    assert page.css_first("#text").text() == "[1,\n 2]"
    assert page.css_first("#prefix").attributes["value"] == "mine"
    assert "have been restored, except for files" in page.body.text()


def test_pasted_text_is_stored_encrypted(client):
    client.post("/add/", {"text": "curl -H 'Authorization: Bearer mrk-1' https://a.example"})

    assert "unfinished_form" in client.session
    assert "mrk-1" not in str(dict(client.session))


def test_entries_that_are_too_long_are_not_stored_and_the_page_warns(client, ada):
    asked = client.post("/add/", {"text": "x" * unfinished_forms.MAX_CHARACTERS})

    assert asked["Location"] == "/sign-in/?next=%2Fadd%2F&unsaved=1"
    assert not Session.objects.exists()
    assert b"could not be stored" in client.get(asked["Location"]).content
    assert sign_in_by_password(client, asked["Location"]) == "/add/"


def test_visitors_cannot_fill_the_disk(monkeypatch):
    monkeypatch.setattr(unfinished_forms, "MAX_STORED", 3)

    answers = [Client().post("/add/", {"text": "x"})["Location"] for _ in range(5)]

    refused = [location.endswith("&unsaved=1") for location in answers]
    assert refused == [False, False, False, True, True]
    assert Session.objects.count() == 3


def test_abandoned_entries_make_room_and_sessions_of_users_take_none(monkeypatch, browser):
    monkeypatch.setattr(unfinished_forms, "MAX_STORED", 1)
    Client().post("/add/", {"text": "x"})
    abandoned = Session.objects.filter(user=None)
    abandoned.update(expire_date=timezone.now() - timedelta(seconds=1))

    assert Client().post("/add/", {"text": "x"})["Location"] == "/sign-in/?next=%2Fadd%2F"
    assert abandoned.count() == 1


def test_entries_encrypted_with_a_removed_key_are_dropped(client, ada, settings):
    asked = client.post(TRY, FILLED_IN | {"use": "sign-in"})
    settings.CONFIGURATION_KEYS = ["another key"]

    values = values_of(client, sign_in_by_password(client, asked["Location"]))

    assert "bob@example.org" not in values.values()
