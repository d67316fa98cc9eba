"""The page of a person's account."""

import pytest
from django.contrib.auth.models import Group
from selectolax.lexbor import LexborHTMLParser

from catalog.organise.access import Access, change_tool_access
from playground.configurations.models import SavedConfiguration
from tests.factories import make_token, make_tool, make_user

pytestmark = pytest.mark.django_db


def page(client, person, path="/account/"):
    client.force_login(person)
    response = client.get(path)
    assert response.status_code == 200
    return LexborHTMLParser(response.content.decode())


def test_it_shows_what_belongs_to_the_person(client, ada):
    make_token(user=ada)
    make_token(user=make_user("bob"))
    for person in (ada, make_user("eve")):
        SavedConfiguration.objects.create(
            owner=person, tool=make_tool("greet"), name=f"of {person.username}"
        )

    text = " ".join(page(client, ada).css_first("main").text().split())

    assert "API tokens 1 usable" in text
    assert "Sessions 1 browser" in text
    assert "of ada greet" in text
    assert "of eve" not in text


def test_a_configuration_of_a_tool_that_is_hidden_now_is_not_shown(client, ada):
    tool = make_tool("secret")
    SavedConfiguration.objects.create(owner=ada, tool=tool, name="work")
    Group.objects.create(name="others")
    change_tool_access(tool, Access(visibility="groups", groups=["others"]), by=None)

    assert "secret" not in page(client, ada).css_first("main").text()


@pytest.mark.parametrize(
    ("path", "tab"),
    [
        ("/account/", "Overview"),
        ("/account/tokens/", "API tokens"),
        ("/account/sessions/", "Sessions"),
        ("/account/security/", "Sign-in and security"),
        ("/account/password/", "Password"),
    ],
)
def test_every_page_of_the_account_has_the_tabs(client, ada, path, tab):
    tabs = page(client, ada, path).css("nav[aria-label=Account] a")

    assert [node.text() for node in tabs if "aria-current" in node.attributes] == [tab]


def test_a_visitor_signs_in_first(client):
    assert client.get("/account/")["Location"] == "/sign-in/?next=/account/"


def test_a_configuration_is_removed(client, ada):
    saved = SavedConfiguration.objects.create(owner=ada, tool=make_tool("mail.send"), name="work")
    client.force_login(ada)

    page = client.post(f"/account/configurations/{saved.pk}/remove/", follow=True).content.decode()

    assert "Configuration “work” of mail.send removed." in page
    assert not SavedConfiguration.objects.exists()


def test_another_person_s_configuration_cannot_be_removed(client, ada):
    saved = SavedConfiguration.objects.create(
        owner=make_user("bob"), tool=make_tool("mail.send"), name="his"
    )
    client.force_login(ada)

    answer = client.post(f"/account/configurations/{saved.pk}/remove/")

    assert answer.status_code == 404
    assert SavedConfiguration.objects.get() == saved


def test_a_shared_configuration_of_another_person_cannot_be_removed_either(client, ada):
    saved = SavedConfiguration.objects.create(
        owner=make_user("bob"), tool=make_tool("mail.send"), name="his"
    )
    SavedConfiguration.objects.update(visibility=SavedConfiguration.EVERYONE)
    client.force_login(ada)

    assert client.post(f"/account/configurations/{saved.pk}/remove/").status_code == 404


def test_a_configuration_is_not_removed_by_a_link_or_by_a_visitor(client, ada):
    saved = SavedConfiguration.objects.create(owner=ada, tool=make_tool("mail.send"), name="work")
    address = f"/account/configurations/{saved.pk}/remove/"

    assert client.post(address).status_code == 302
    client.force_login(ada)
    assert client.get(address).status_code == 405
    assert SavedConfiguration.objects.exists()
