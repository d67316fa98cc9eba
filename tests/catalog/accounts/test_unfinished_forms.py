"""A form that was filled in before signing in comes back afterwards, by password and by link."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from catalog.accounts import unfinished_forms
from catalog.accounts.models import Session, User
from catalog.accounts.sign_in_links import create_sign_in_link
from tests.factories import make_tool, make_user, properties

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


@pytest.fixture
def ada() -> User:
    return make_user("ada", password="correct horse battery")


def sign_in_by_password(client: Client, location: str) -> str:
    page = HTMLParser(client.get(location).content)
    back = page.css_first("main input[name=next]").attributes["value"]
    answer = client.post(
        "/sign-in/", {"username": "ada", "password": "correct horse battery", "next": back}
    )
    return answer["Location"]


def sign_in_by_link(client: Client, location: str) -> str:
    client.get(location)
    return client.post(f"/sign-in/{create_sign_in_link('ada')}/")["Location"]


def values_of(client: Client, address: str) -> dict[str, str]:
    """The values of the controls of a page's main form, by name; those of a schema's form by form and path."""
    answer = client.get(address)
    assert answer.status_code == 200
    form = HTMLParser(answer.content).css_first("form[enctype]")
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


@pytest.mark.parametrize("sign_in", [sign_in_by_password, sign_in_by_link])
@pytest.mark.parametrize(
    "pressed",
    [{"use": "sign-in"}, {"run": "1", "mode": "live"}, {"use": "save", "save_as": "work"}],
)
def test_a_form_that_was_filled_in_comes_back(client, ada, sign_in, pressed):
    asked = client.post(TRY, FILLED_IN | pressed)
    address = sign_in(client, asked["Location"])
    values = values_of(client, address)

    assert (asked.status_code, address) == (302, TRY)
    assert values["parameters:/.to"] == "bob@example.org"
    assert values["parameters:/.times"] == "not a number yet"
    assert values["configuration:/.server"] == "mail.example.org"
    assert values["timeout_s"] == "7"
    assert values["mode"] == "mock"


def test_the_page_reports_that_entries_were_restored(client, ada):
    address = sign_in_by_password(
        client, client.post(TRY, FILLED_IN | {"use": "sign-in"})["Location"]
    )

    restored, later = (
        HTMLParser(client.get(address).content).css_first("#restored") for _ in range(2)
    )

    assert "hidden" not in restored.attributes
    assert "hidden" in later.attributes


def test_the_sign_in_page_explains_which_entries_are_restored(client):
    location = client.post(TRY, FILLED_IN | {"use": "sign-in"})["Location"]

    assert (
        b"are restored after you sign in, except for secrets and files"
        in client.get(location).content
    )


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

    assert (
        values_of(client, sign_in_by_password(client, asked["Location"]))["parameters:"]
        == '{"to": "bob'
    )


def test_entries_are_restored_only_on_their_own_page(client, ada):
    make_tool("post", parameters=properties(to={"type": "string"}))
    sign_in_by_password(client, client.post(TRY, FILLED_IN | {"use": "sign-in"})["Location"])

    assert "bob@example.org" not in values_of(client, "/tools/post/try/").values()
    assert "bob@example.org" in values_of(client, TRY).values()


def test_entries_are_not_shown_before_signing_in(client):
    client.post(TRY, FILLED_IN | {"use": "sign-in"})

    assert "bob@example.org" not in values_of(client, TRY).values()


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


def test_an_example_needs_no_account(client, mail):
    make_tool(
        "mail",
        examples=[{"parameters": {"to": "eve"}}],
        parameters=properties(to={"type": "string"}),
    )

    answer = client.post(TRY, {"use": "example", "example": "1"})

    assert answer.status_code == 200
    assert b"eve" in answer.content


@pytest.mark.parametrize("sign_in", [sign_in_by_password, sign_in_by_link])
def test_a_text_that_was_pasted_to_be_uploaded_comes_back(client, ada, sign_in):
    asked = client.post("/upload/", {"text": "[1,\n 2]", "prefix": "mine", "dry_run": "on"})
    address = sign_in(client, asked["Location"])
    page = HTMLParser(client.get(address).content)

    assert address == "/upload/"
    assert page.css_first("#text").text() == "[1,\n 2]"
    assert page.css_first("#prefix").attributes["value"] == "mine"
    assert "have been restored, except for files" in page.body.text()


def test_signing_in_gives_the_session_its_usual_length(client, ada):
    asked = client.post(TRY, FILLED_IN | {"use": "sign-in"})
    before = client.session.get_expiry_age()
    sign_in_by_password(client, asked["Location"])

    assert before == 60 * 60
    assert client.session.get_expiry_age() == 14 * 24 * 60 * 60


def test_entries_that_are_too_long_are_not_stored_and_the_page_warns(client, ada):
    asked = client.post("/upload/", {"text": "x" * unfinished_forms.MAX_CHARACTERS})

    assert asked["Location"] == "/sign-in/?next=%2Fupload%2F&unsaved=1"
    assert not Session.objects.exists()
    assert b"could not be stored" in client.get(asked["Location"]).content
    assert sign_in_by_password(client, asked["Location"]) == "/upload/"


def test_visitors_cannot_fill_the_disk(monkeypatch):
    monkeypatch.setattr(unfinished_forms, "MAX_STORED", 3)

    answers = [Client().post("/upload/", {"text": "x"})["Location"] for _ in range(5)]

    assert [location.endswith("&unsaved=1") for location in answers] == [
        False,
        False,
        False,
        True,
        True,
    ]
    assert Session.objects.count() == 3


def test_abandoned_entries_make_room(monkeypatch):
    monkeypatch.setattr(unfinished_forms, "MAX_STORED", 1)
    Client().post("/upload/", {"text": "x"})
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))

    assert Client().post("/upload/", {"text": "x"})["Location"] == "/sign-in/?next=%2Fupload%2F"
    assert Session.objects.count() == 1


def test_sessions_of_users_do_not_count_as_those_of_visitors(monkeypatch, ada):
    monkeypatch.setattr(unfinished_forms, "MAX_STORED", 1)
    Client().force_login(ada)

    assert Client().post("/upload/", {"text": "x"})["Location"] == "/sign-in/?next=%2Fupload%2F"


def test_entries_encrypted_with_a_removed_key_are_dropped(client, ada, settings):
    asked = client.post(TRY, FILLED_IN | {"use": "sign-in"})
    settings.CONFIGURATION_KEYS = ["another key"]

    values = values_of(client, sign_in_by_password(client, asked["Location"]))

    assert "bob@example.org" not in values.values()
