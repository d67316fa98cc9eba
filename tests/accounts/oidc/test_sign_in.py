"""Signing in with a real OpenID Connect provider: who comes in, as whom, and each refusal."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts import rate_limits
from accounts.cell_rate import Rate
from accounts.models import Session, User
from accounts.oidc.accounts import linked_accounts
from accounts.roles import membership_of
from accounts.tokens import find_token
from tests.accounts.browsers import confirm, confirmed, is_signed_in, with_password
from tests.factories import make_token, make_user
from tests.oidc_provider import OIDCProvider
from tests.site import free_port

pytestmark = pytest.mark.django_db

MAPPING = {
    "shelf-admins": ["administrator"],
    "developers": ["publisher", "runner"],
    "staff": ["reader"],
}


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    provider = OIDCProvider(tmp_path_factory.mktemp("provider"))
    yield provider
    provider.stop()


@pytest.fixture
def site(settings, provider):
    """The settings of a site with the provider, which lets in everyone there."""
    for name, value in provider.settings(GROUPS=MAPPING, PEOPLE="any").items():
        setattr(settings, f"OIDC_{name}", value)
    return settings


def start(client: Client, **form: str) -> str:
    """Press the button on the sign-in page; the URL at the provider to which that leads."""
    page = client.post("/oidc/", form)
    assert page.status_code == 200, page.content.decode()
    [delay, url] = page["Refresh"].split("; url=", 1)
    assert delay == "0"
    assert url.replace("&", "&amp;") in page.content.decode()
    return url


def sign_in(provider: OIDCProvider, subject: str, client: Client | None = None, **form: str):
    """The answer to the provider's redirect back to the site, and the browser."""
    client = client or Client()
    return client.get(provider.authorize(start(client, **form), subject)), client


def groups_of(name: str) -> set[str]:
    return set(User.objects.get(username=name).groups.values_list("name", flat=True))


def test_the_first_sign_in_creates_the_person_with_their_groups(site, provider):
    claims = {
        "preferred_username": "grace",
        "given_name": "Grace",
        "family_name": "Hopper",
        "groups": ["developers"],
    }
    provider.add_person("s-1", **claims, email="grace@example.org", email_verified=True)

    answer, client = sign_in(provider, "s-1")

    grace = User.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert is_signed_in(client)
    assert (grace.username, grace.first_name, grace.last_name, grace.email) == (
        "grace", "Grace", "Hopper", "grace@example.org",
    )  # fmt: skip
    assert groups_of("grace") == {"publisher", "runner"}
    assert not grace.has_usable_password()
    assert not grace.is_staff


def test_the_next_sign_in_is_the_same_person_whatever_their_name_is(site, provider):
    provider.add_person("s-2", preferred_username="jean")
    sign_in(provider, "s-2")

    provider.add_person("s-2", preferred_username="jean.b", email="new@example.org")
    _, client = sign_in(provider, "s-2")

    assert is_signed_in(client)
    assert [user.username for user in User.objects.all()] == ["jean"]


@pytest.mark.parametrize(("url", "follows"), [("/add/", "/add/"), ("https://evil.example/", "/")])
def test_the_page_of_this_site_that_the_person_came_from_follows(site, provider, url, follows):
    answer, _ = sign_in(provider, "s-3", next=url)

    assert answer["Location"] == follows


def test_leaving_a_group_at_the_provider_takes_it_away_at_the_next_sign_in(site, provider):
    provider.add_person("s-4", preferred_username="katherine", groups=["shelf-admins", "staff"])
    sign_in(provider, "s-4")
    assert groups_of("katherine") == {"administrator", "reader"}
    User.objects.get().groups.add(Group.objects.create(name="night shift"))

    provider.add_person("s-4", preferred_username="katherine", groups=["staff"])
    sign_in(provider, "s-4")

    assert groups_of("katherine") == {
        "reader",
        "night shift",
    }  # the mapping does not name the latter


def test_without_the_claim_a_person_has_no_group_of_the_mapping(site, provider, caplog):
    provider.add_person("s-5", preferred_username="mary", groups=["shelf-admins"])
    sign_in(provider, "s-5")

    provider.add_person("s-5", preferred_username="mary")
    sign_in(provider, "s-5")

    assert groups_of("mary") == {"reader"}
    assert membership_of(User.objects.get()).abilities == frozenset()
    assert "The provider sent no claim 'groups'; the claims are: " in caplog.text


@pytest.mark.parametrize(
    ("claim", "claims"),
    [
        ("groups", {"groups": "staff"}),
        ("realm_access.roles", {"realm_access": {"roles": ["staff"]}}),
        ("https://example.org/groups", {"https://example.org/groups": ["staff", 7]}),
    ],
)
def test_the_claim_is_a_text_or_a_list_and_can_be_nested(site, provider, claim, claims):
    site.OIDC_GROUPS_CLAIM = claim
    provider.add_person("s-6", preferred_username="annie", **claims)

    sign_in(provider, "s-6")

    assert groups_of("annie") == {"reader"}


def test_whoever_is_in_no_group_is_refused_and_gets_no_account(site, provider):
    site.OIDC_PEOPLE = "mapped"
    provider.add_person("s-7", preferred_username="outsider", groups=["accounting"])

    answer, client = sign_in(provider, "s-7")

    assert answer.status_code == 403
    assert b"You may not sign in to this site" in answer.content
    assert not is_signed_in(client)
    assert not User.objects.exists()


@pytest.mark.parametrize("group", ["developers", "night"])
def test_whoever_left_all_groups_loses_rights_and_sessions_when_they_are_refused(
    site, provider, group
):
    site.OIDC_PEOPLE = "mapped"
    site.OIDC_GROUPS = {**MAPPING, "night": ["night shift"]}
    provider.add_person("s-8", preferred_username="leaver", groups=[group])
    _, elsewhere = sign_in(provider, "s-8")
    secret = make_token(user=User.objects.get(username="leaver"))

    provider.add_person("s-8", preferred_username="leaver", groups=[])
    answer, client = sign_in(provider, "s-8")

    assert answer.status_code == 403
    assert groups_of("leaver") == {
        "reader"
    }  # in none, they would have the rights of the default groups
    assert membership_of(User.objects.get()).abilities == frozenset()
    assert find_token(secret) is None
    assert not is_signed_in(client)
    assert not is_signed_in(elsewhere)


@pytest.mark.parametrize("verified", [True, False])
def test_an_e_mail_address_opens_no_account_of_another(site, provider, verified):
    ada = make_user("ada", email="ada@example.org")
    provider.add_person(
        "s-9", preferred_username="ada", email="ada@example.org", email_verified=verified
    )

    sign_in(provider, "s-9")

    other = User.objects.exclude(pk=ada.pk).get()
    assert other.username != "ada"
    assert other.email == ("ada@example.org" if verified else "")
    assert not linked_accounts(ada).exists()


@pytest.mark.parametrize("name", ["OWNER", "has space", "x" * 200, ""])
def test_a_name_that_cannot_be_used_becomes_another(site, provider, name):
    make_user("ada")
    provider.add_person("s-10", preferred_username=name, name="N" * 400)

    _, client = sign_in(provider, "s-10")

    assert is_signed_in(client)
    assert User.objects.exclude(username="ada").get().username.casefold() not in {"owner", ""}


def test_a_long_subject_is_found_again(site, provider):
    subject = "s" * 255
    for _ in range(2):
        provider.add_person(subject, preferred_username="long")
        sign_in(provider, subject)

    assert User.objects.count() == 1


def test_a_disabled_person_is_not_let_in(site, provider):
    provider.add_person("s-12", preferred_username="gone")
    sign_in(provider, "s-12")
    User.objects.update(is_active=False)

    answer, client = sign_in(provider, "s-12")

    assert answer.status_code == 403
    assert b"The account gone is disabled" in answer.content
    assert not is_signed_in(client)


def test_the_request_has_state_nonce_and_pkce_and_its_session_ends_soon(site):
    query = parse_qs(urlsplit(start(Client())).query)

    session = Session.objects.get()
    assert session.user is None
    assert (session.expire_date - session.last_used_at).total_seconds() <= 15 * 60 + 1
    assert {"state", "nonce", "code_challenge"} <= set(query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["response_type"] == ["code"]
    assert query["redirect_uri"] == ["http://testserver/oidc/callback/"]


def test_an_answer_with_another_state_is_refused(site, provider):
    client = Client()
    back = provider.authorize(start(client), "s-3", state="another")

    answer = client.get(back)

    assert answer.status_code == 400
    assert b"was started in another browser" in answer.content
    assert not is_signed_in(client)


def test_an_answer_to_another_browser_is_refused(site, provider):
    back = provider.authorize(start(Client()), "s-3")

    answer = Client().get(back)

    assert answer.status_code == 400
    assert not User.objects.exists()


def test_an_answer_works_once(site, provider):
    client = Client()
    back = provider.authorize(start(client), "s-3")
    client.get(back)
    client.post("/sign-out/")

    again = client.get(back)

    assert again.status_code == 400
    assert not is_signed_in(client)


def test_a_code_that_the_provider_does_not_know_is_refused(site, provider):
    client = Client()
    state = parse_qs(urlsplit(start(client)).query)["state"][0]

    answer = client.get("/oidc/callback/", {"code": "guessed", "state": state})

    assert answer.status_code == 401
    assert not is_signed_in(client)


def test_whoever_cancels_is_back_at_the_sign_in_page(site, provider):
    client = Client()
    url = start(client, next="/add/")
    back = f"{provider.authorize(url, '')}&state={parse_qs(urlsplit(url).query)['state'][0]}"

    answer = client.get(back, follow=True)

    assert answer.redirect_chain == [("/sign-in/?next=%2Fadd%2F", 302)]
    assert b"You cancelled the sign-in with Example." in answer.content


def test_a_provider_can_leave_out_the_state_when_someone_cancels(site, provider):
    client = Client()

    answer = client.get(provider.authorize(start(client), ""), follow=True)

    assert answer.redirect_chain == [("/sign-in/", 302)]
    assert b"You cancelled the sign-in with Example." in answer.content


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("login_required", b"Example refused the sign-in: login_required."),
        ("<script>", b"Example refused the sign-in."),
        ("x" * 100, b"Example refused the sign-in."),
        ("", b"Example refused the sign-in."),
    ],
)
def test_an_error_of_the_provider_is_shown_by_its_code_unless_it_is_strange(site, error, shown):
    client = Client()
    state = parse_qs(urlsplit(start(client)).query)["state"][0]

    answer = client.get(
        "/oidc/callback/", {"error": error, "error_description": "<b>x", "state": state}
    )

    assert answer.status_code == 401
    assert shown in answer.content


def test_the_page_says_that_the_provider_is_down(site):
    site.OIDC_ISSUER = f"http://127.0.0.1:{free_port()}"

    answer = Client().post("/oidc/")

    assert answer.status_code == 503
    assert b"Example does not respond at the moment" in answer.content


def test_the_page_says_that_the_provider_went_down_during_a_sign_in(site, provider, tmp_path):
    """And a subject of another issuer is another person."""
    provider.add_person("s-11", preferred_username="same")
    sign_in(provider, "s-11")
    second = OIDCProvider(tmp_path)
    try:
        site.OIDC_ISSUER = second.issuer
        sign_in(second, "s-11")
        client = Client()
        back = second.authorize(start(client), "s-3")
    finally:
        second.stop()

    answer = client.get(back)

    assert answer.status_code == 503
    assert not is_signed_in(client)
    assert User.objects.count() == 2


def test_a_foreign_page_cannot_start_a_sign_in(site):
    client = Client(enforce_csrf_checks=True)

    assert client.get("/oidc/").status_code == 405
    assert client.post("/oidc/").status_code == 403
    assert client.post("/oidc/", headers={"sec-fetch-site": "cross-site"}).status_code == 403


def test_a_site_without_a_provider_has_no_such_pages(client):
    assert client.post("/oidc/").status_code == 404
    assert client.get("/oidc/callback/").status_code == 404
    assert b"/oidc/" not in client.get("/sign-in/").content


def test_too_many_starts_from_one_address_are_refused(site, monkeypatch):
    monkeypatch.setattr(rate_limits, "SIGN_IN_STARTS", Rate(2, 3600))
    client = Client()
    for _ in range(2):
        start(client)

    answer = client.post("/oidc/")

    assert answer.status_code == 429
    assert int(answer["Retry-After"]) >= 1


# -- linking an account that exists --------------------------------------------------------------------------------


def test_a_person_links_their_account_after_their_password_and_signs_in_with_either(
    site, provider, ada
):
    provider.add_person("s-20", preferred_username="someone")
    client = with_password()
    asked = client.post("/oidc/", {"process": "link"})
    confirm(client)

    answer, _ = sign_in(provider, "s-20", client, process="link")
    _, other = sign_in(provider, "s-20")

    assert asked["Location"].startswith("/account/security/confirm/")
    assert answer["Location"] == "/account/security/"
    assert [user.username for user in User.objects.all()] == ["ada"]
    assert b"Linked to the account <b>someone</b>" in other.get("/account/security/").content


def test_an_account_of_the_provider_is_linked_to_one_person(site, provider, ada):
    provider.add_person("s-21", preferred_username="first")
    sign_in(provider, "s-21")
    client = confirmed()

    sign_in(provider, "s-21", client, process="link")

    assert b"already linked to another user" in client.get("/account/security/").content
    assert not linked_accounts(User.objects.get(username="ada")).exists()


def test_a_link_ends_by_its_button_if_there_is_a_password(site, provider, ada):
    client = confirmed()
    sign_in(provider, "s-22", client, process="link")
    assert linked_accounts(User.objects.get()).exists()

    client.post("/account/security/unlink/")

    assert not linked_accounts(User.objects.get()).exists()


def test_who_has_no_password_cannot_unlink_or_set_one(site, provider):
    _, client = sign_in(provider, "s-23")

    unlinked = client.post("/account/security/unlink/")
    page, password = client.get("/account/password/"), "another good password"
    posted = client.post(
        "/account/password/", {"new_password1": password, "new_password2": password}
    )

    assert (unlinked.status_code, page.status_code, posted.status_code) == (403, 403, 403)
    assert linked_accounts(User.objects.get()).exists()
    assert not User.objects.get().has_usable_password()


def test_no_other_page_of_the_library_is_served(site, client):
    pages = ("signup", "accounts/login", "password/reset", "social/signup", "social/login")
    for path in pages:
        assert client.get(f"/{path}/").status_code == 404
    for name in (
        "account_signup",
        "account_reset_password",
        "account_email",
        "socialaccount_signup",
    ):
        with pytest.raises(Exception, match="not found"):
            reverse(name)
