"""Administrators add people, and hand over a link that signs them in once."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from accounts.models import SignInLink, User
from accounts.people import views as people
from accounts.roles import READY_GROUPS, role_of
from accounts.session_store import SIGNED_IN_BROWSER
from accounts.sign_in_links import create_sign_in_link
from playground.configurations.saved import save_configuration
from playground.configurations.secret_members import Configuration
from tests.factories import make_token, make_tool, make_user, signed_in
from toolshelf_core.audit import AuditEvent

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture
def administrator():
    client = Client()
    client.force_login(make_user("olivia", is_staff=True))
    return client


def chosen_role(tree: HTMLParser) -> str:
    return tree.css_first("[name=role][checked]").attributes["value"]


def test_the_link_of_a_new_person_signs_them_in_once(administrator, client):
    answer = administrator.post("/people/add/", {"name": "grace", "role": "runner"})

    link = HTMLParser(answer.content).css_first("#link").text()
    assert link.startswith("http://testserver/sign-in/")
    assert "no-store" in answer["Cache-Control"]
    client.post(urlsplit(link).path, follow=True)
    assert client.get("/").wsgi_request.user.username == "grace"
    assert Client().get(urlsplit(link).path, follow=True).status_code == 410


def test_a_new_person_has_the_chosen_role_and_no_password(administrator):
    administrator.post("/people/add/", {"name": "grace", "role": "reader"})

    grace = User.objects.get(username="grace")
    assert role_of(grace) == "reader"
    assert not grace.has_usable_password()


def test_adding_a_person_is_audited(administrator):
    administrator.post("/people/add/", {"name": "grace", "role": "runner"})

    events = AuditEvent.objects.filter(object_type="person", object_id="grace").order_by("pk")
    assert [event.action for event in events] == ["person.create", "person.change", "link.create"]
    assert {event.person for event in events} == {"olivia"}


def test_another_link_signs_in_a_person_who_has_not_signed_in_yet(administrator, client):
    administrator.post("/people/add/", {"name": "grace", "role": "runner"})
    grace = User.objects.get(username="grace")
    assert (
        f'action="/people/{grace.pk}/link/"'
        in administrator.get(f"/people/{grace.pk}/").content.decode()
    )

    answer = administrator.post(f"/people/{grace.pk}/link/")

    assert "no-store" in answer["Cache-Control"]
    client.post(urlsplit(HTMLParser(answer.content).css_first("#link").text()).path, follow=True)
    assert client.get("/").wsgi_request.user.username == "grace"
    events = AuditEvent.objects.filter(
        object_type="person", object_id="grace", action="link.create"
    )
    assert [event.person for event in events] == ["olivia", "olivia"]


def test_a_person_who_set_no_password_in_time_gets_another_link(administrator, client):
    client.post(invitation(administrator.post("/people/add/", {"name": "grace", "role": "runner"})))
    grace = User.objects.get(username="grace")
    session = client.session
    session[SIGNED_IN_BROWSER] = {"at": (timezone.now() - timedelta(hours=1)).isoformat()}
    session.save()
    refused = client.post(
        "/account/password/", {"new_password1": PASSWORD, "new_password2": PASSWORD}
    )

    again = invitation(administrator.post(f"/people/{grace.pk}/link/"))
    client.post("/sign-out/")
    client.post(again)
    accepted = client.post(
        "/account/password/", {"new_password1": PASSWORD, "new_password2": PASSWORD}
    )

    assert refused.status_code == 403
    assert "ask an administrator for a new sign-in link" in refused.content.decode()
    assert accepted.status_code == 302
    grace.refresh_from_db()
    assert grace.check_password(PASSWORD)
    assert "/link/" not in administrator.get(f"/people/{grace.pk}/").content.decode()
    assert administrator.post(f"/people/{grace.pk}/link/").status_code == 422


@pytest.mark.parametrize("owned", ["configuration", "provider", "passkey"])
def test_no_link_to_an_account_that_somebody_uses(administrator, owned):
    user = make_user("grace")
    Client().force_login(user)
    if owned == "configuration":
        save_configuration(user, make_tool("x"), "mine", Configuration({}), None)
    elif owned == "provider":
        SocialAccount.objects.create(user=user, provider="oidc", uid="s-1")
    else:
        Authenticator.objects.create(
            user=user, type="webauthn", data={"name": "Phone", "credential": {}}
        )

    answer = administrator.post(f"/people/{user.pk}/link/")

    assert answer.status_code == 422
    assert "manage.py sign_in_link grace" in answer.content.decode()
    assert not SignInLink.objects.exists()


@pytest.mark.parametrize("state", [{"is_active": False}, {"is_superuser": True}])
def test_no_link_to_an_account_that_is_disabled_or_owns_the_site(administrator, state):
    user = make_user("grace", **state)

    assert administrator.post(f"/people/{user.pk}/link/").status_code == 422
    assert not SignInLink.objects.exists()


def test_no_link_to_an_account_with_a_password(administrator):
    user = make_user("grace")
    user.set_password("correct horse battery")
    user.save()

    assert administrator.post(f"/people/{user.pk}/link/").status_code == 422


def test_no_link_to_an_account_that_programs_use(administrator):
    user = make_user("grace")
    make_token(user=user)

    assert administrator.post(f"/people/{user.pk}/link/").status_code == 422


def test_only_administrators_create_links_by_pressing_a_button(administrator):
    user, reader = make_user("grace"), Client()
    reader.force_login(make_user("ada"))

    assert reader.post(f"/people/{user.pk}/link/").status_code == 403
    assert Client().post(f"/people/{user.pk}/link/").status_code == 302
    assert administrator.get(f"/people/{user.pk}/link/").status_code == 405
    assert administrator.post("/people/99999/link/").status_code == 404
    assert not SignInLink.objects.exists()


@pytest.mark.parametrize("groups", [["publisher", "runner"], []])
def test_the_form_starts_with_the_role_runner(administrator, settings, groups):
    settings.DEFAULT_GROUPS = groups

    page = HTMLParser(administrator.get("/people/add/").content)

    assert chosen_role(page) == "runner"


def invitation(answer) -> str:
    """The path of the link on the page after adding a person."""
    return urlsplit(HTMLParser(answer.content).css_first("#link").text()).path


@pytest.mark.parametrize(
    ("age", "works"), [(timedelta(hours=71), True), (timedelta(hours=73), False)]
)
def test_an_invitation_lasts_72_hours(administrator, client, age, works):
    path = invitation(administrator.post("/people/add/", {"name": "grace", "role": "runner"}))
    SignInLink.objects.update(created_at=timezone.now() - age)

    shown, used = client.get(path), client.post(path)

    assert (shown.status_code, used.status_code) == ((200, 302) if works else (410, 410))
    assert (b"within 72 hours" in shown.content) is works


def test_the_page_of_an_invitation_names_no_command(administrator, client):
    path = invitation(administrator.post("/people/add/", {"name": "grace", "role": "runner"}))

    answer = client.get(path)

    assert b"Expired? Ask whoever sent it." in answer.content
    assert b"manage.py" not in answer.content


def test_a_new_person_is_a_runner_unless_another_role_is_chosen(administrator):
    page = HTMLParser(administrator.get("/people/add/").content)

    (chosen,) = page.css("input[name=role][checked]")
    assert chosen.attributes["value"] == "runner"


def test_a_sign_in_link_of_a_command_lasts_15_minutes_beside_an_invitation(administrator, client):
    grace = make_user("grace")
    administrator.post(f"/people/{grace.pk}/link/")
    secret = create_sign_in_link("grace")
    SignInLink.objects.update(created_at=timezone.now() - timedelta(minutes=16))

    assert client.get(f"/sign-in/{secret}/").status_code == 410
    assert SignInLink.objects.filter(is_invitation=True).exists()


def test_a_newer_invitation_ends_the_older_one(administrator, client):
    first = invitation(administrator.post("/people/add/", {"name": "grace", "role": "runner"}))
    second = invitation(
        administrator.post(f"/people/{User.objects.get(username='grace').pk}/link/")
    )

    assert client.get(first).status_code == 410
    assert client.get(second).status_code == 200


def test_an_invitation_ends_when_the_account_is_used_in_another_way(administrator, client):
    path = invitation(administrator.post("/people/add/", {"name": "grace", "role": "runner"}))
    signed_in(User.objects.get(username="grace"))

    assert client.get(path).status_code == 410
    assert client.post(path).status_code == 410


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1:8000", True),
        ("localhost:8000", True),
        ("[::1]:8000", True),
        ("127.9.9.9", True),
        ("tools.example.org", False),
        ("192.0.2.7:8000", False),
    ],
)
def test_the_page_says_when_an_invitation_works_on_this_machine_only(
    administrator, settings, host, is_local
):
    settings.ALLOWED_HOSTS = ["*"]

    added = administrator.post(
        "/people/add/", {"name": "grace", "role": "runner"}, headers={"Host": host}
    )
    again = administrator.post(
        f"/people/{User.objects.get(username='grace').pk}/link/", headers={"Host": host}
    )

    for answer in (added, again):
        assert (b"works only on this machine" in answer.content) is is_local


@pytest.mark.parametrize(
    ("name", "role", "message"),
    [
        ("olivia", "runner", "already exists"),
        ("", "runner", "cannot be blank"),
        ("a b", "runner", "valid username"),
        ("grace", "king", "Choose one of the roles"),
    ],
)
def test_a_wrong_person_is_refused_and_stays_in_the_form(administrator, name, role, message):
    answer = administrator.post("/people/add/", {"name": name, "role": role})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert message in tree.css_first(".field-error").text()
    assert tree.css_first("#name").attributes.get("value", "") == name
    assert User.objects.count() == 1


def test_a_wrong_role_is_reported_at_the_roles(administrator):
    tree = HTMLParser(administrator.post("/people/add/", {"name": "grace", "role": "king"}).content)

    assert "Choose one of the roles" in tree.css_first("#role .field-error").text()
    assert tree.css_first(".error-summary a").attributes["href"] == "#role"


def test_the_role_and_the_groups_of_a_person_are_changed(administrator):
    grace = make_user("grace")
    for name in ("red", "blue", "green"):
        administrator.post("/people/groups/", {"name": name})
    administrator.post(f"/people/{grace.pk}/", {"role": "runner", "groups": ["red", "blue"]})

    administrator.post(f"/people/{grace.pk}/", {"role": "reader", "groups": ["blue", "green"]})

    tree = HTMLParser(administrator.get(f"/people/{grace.pk}/").content)
    assert chosen_role(tree) == "reader"
    chosen = [node.attributes["value"] for node in tree.css("[name=groups][checked]")]
    assert chosen == ["blue", "green"]


@pytest.mark.parametrize(
    ("role", "groups", "field", "message"),
    [
        ("king", [], "#role", "Choose one of the roles"),
        ("", [], "#role", "Choose one of the roles"),
        ("reader", ["red", "gone"], "#groups", "There is no group gone."),
        ("reader", ["red", "a\0b"], "#groups", "There is no group"),
    ],
)
def test_a_refused_change_of_a_person_shows_its_error_and_what_was_chosen(
    administrator, role, groups, field, message
):
    grace = make_user("grace")
    administrator.post("/people/groups/", {"name": "red"})

    answer = administrator.post(f"/people/{grace.pk}/", {"role": role, "groups": groups})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert message in tree.css_first(f"{field} .field-error").text()
    assert [node.attributes["value"] for node in tree.css("[name=groups][checked]")] == [
        *({"red"} & set(groups))
    ]
    assert not grace.groups.filter(name="red").exists()


def test_administrators_stay_administrators_as_long_as_they_are_superusers_or_change_themselves(
    administrator,
):
    olivia, owner = User.objects.get(username="olivia"), make_user("owner", is_superuser=True)

    for user, message in (
        (olivia, "You cannot remove your own"),
        (owner, "A superuser is always an administrator"),
    ):
        answer = administrator.post(f"/people/{user.pk}/", {"role": "reader"})

        assert answer.status_code == 422
        assert message in HTMLParser(answer.content).css_first("#role .field-error").text()
        assert role_of(User.objects.get(pk=user.pk)) == "administrator"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "Enter a name"),
        ("x" * 151, "Enter a name"),
        ("runner", "Enter a name"),
        ("red", "already exists"),
    ],
)
def test_a_group_that_cannot_be_created_is_reported_at_its_field(administrator, name, message):
    administrator.post("/people/groups/", {"name": "red"})

    answer = administrator.post("/people/groups/", {"name": name})

    tree = HTMLParser(answer.content)
    assert answer.status_code == 422
    assert message in tree.css_first("#groups #name-error").text()
    assert tree.css_first("#name").attributes.get("value", "") == name
    assert Group.objects.exclude(name__in=READY_GROUPS).count() == 1


def test_a_group_is_created_and_deleted_by_its_name(administrator):
    administrator.post("/people/groups/", {"name": "  blue   team "})
    assert Group.objects.filter(name="blue team").exists()

    answer = administrator.post(
        "/people/groups/", {"name": "blue team", "delete": "1"}, follow=True
    )
    again = administrator.post("/people/groups/", {"name": "blue team", "delete": "1"}, follow=True)
    built_in = administrator.post("/people/groups/", {"name": "runner", "delete": "1"}, follow=True)

    assert "Group blue team deleted." in answer.content.decode()
    assert "There is no group blue team that can be deleted." in again.content.decode()
    assert "There is no group runner that can be deleted." in built_in.content.decode()
    assert Group.objects.filter(name="runner").exists()


def test_the_next_page_of_people_can_be_opened_after_a_refused_group(administrator, monkeypatch):
    monkeypatch.setattr(people, "PEOPLE_PER_PAGE", 1)
    make_user("zoe")

    refused = HTMLParser(administrator.post("/people/groups/", {"name": ""}).content)

    following = next(
        link.attributes["href"] for link in refused.css("a") if "after=" in link.attributes["href"]
    )
    assert administrator.get(following).status_code == 200
