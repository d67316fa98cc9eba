"""Sign-in links: what opening one does, who gets one, where it leads, and that no log holds its secret."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import SignInLink, User
from accounts.sign_in_links import create_sign_in_link, use_sign_in_link
from config.log_filters import WithoutSecrets
from tests.accounts.browsers import PASSWORD
from tests.factories import make_tool
from toolshelf_core.secret_paths import hide_secrets
from toolshelf_core.site_url import url_of_server, write_site_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret(ada) -> str:
    return create_sign_in_link("ada")


@pytest.fixture
def link(secret) -> str:
    return f"/sign-in/{secret}/"


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# -- opening a link ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_looking_at_a_link_does_not_use_it_up(client, link, method):
    looks = [getattr(client, method)(link).status_code for _ in range(3)]

    assert looks == [200, 200, 200]
    assert not is_signed_in(client)
    assert client.post(link).status_code == 302
    assert is_signed_in(client)


def test_a_link_shows_one_button_that_names_the_account(client, link):
    page = client.get(link).content.decode()
    main = page[page.index("<main") : page.index("</main>")]

    assert main.count("<button") == 1
    assert "Sign in as ada" in main
    assert 'method="post"' in main
    assert "within 15 minutes" in main


def test_the_button_signs_in_once(client, link):
    first = client.post(link)
    second = Client().post(link)

    assert (first.status_code, first["Location"]) == (302, "/")
    assert second.status_code == 410
    assert client.get("/account/tokens/").status_code == 200
    assert b"You are signed in as" in client.get(link).content


def test_the_button_needs_a_csrf_token(link):
    client = Client(enforce_csrf_checks=True)

    refused = client.post(link)
    token = re.search(
        r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', client.get(link).content.decode()
    )[1]
    accepted = client.post(
        link, {"csrfmiddlewaretoken": token}, headers={"origin": "http://testserver"}
    )

    assert refused.status_code == 403
    assert accepted.status_code == 302
    assert is_signed_in(client)


def test_a_page_of_another_site_cannot_press_the_button(client, link):
    assert client.post(link, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.post(link, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert not is_signed_in(client)


def test_a_link_without_its_last_slash_works(client, link):
    assert client.get(link.rstrip("/")).status_code == 200
    assert client.post(link.rstrip("/")).status_code == 302


def test_other_methods_are_refused(client, link):
    assert set(client.options(link)["Allow"].split(", ")) == {"GET", "HEAD", "POST", "OPTIONS"}
    assert client.put(link).status_code == 405
    assert client.post(link).status_code == 302


@pytest.mark.parametrize("path", ["link", "used", "unknown"])
def test_the_page_is_private(client, link, path):
    if path == "used":
        client.post(link)
        client.logout()
    page = client.get("/sign-in/unknown/" if path == "unknown" else link)

    assert "no-store" in page["Cache-Control"]
    assert page["Referrer-Policy"] == "no-referrer, strict-origin"
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert b'<meta name="robots" content="noindex, nofollow">' in page.content


def test_the_button_of_a_browser_that_sends_only_the_origin_works_under_https(link):
    client = Client(enforce_csrf_checks=True)
    page = client.get(link, secure=True).content.decode()
    token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page)[1]

    answer = client.post(
        link,
        {"csrfmiddlewaretoken": token},
        secure=True,
        headers={"referer": "https://testserver/"},
    )

    assert answer.status_code == 302


def test_going_from_http_to_https_does_not_lose_the_link(client, link, settings):
    settings.SECURE_SSL_REDIRECT = True

    answer = client.get(link)

    assert (answer.status_code, answer["Location"]) == (301, f"https://testserver{link}")
    assert client.get(link, secure=True).status_code == 200


@pytest.mark.parametrize("spoiled", ["used", "expired", "unknown", "disabled"])
def test_the_page_of_an_unusable_link_explains_what_to_do(client, link, spoiled):
    if spoiled == "used":
        SignInLink.objects.update(used_at=timezone.now())
    elif spoiled == "expired":
        SignInLink.objects.update(created_at=timezone.now() - timedelta(minutes=15, seconds=1))
    elif spoiled == "unknown":
        SignInLink.objects.all().delete()
    else:
        User.objects.update(is_active=False)

    for answer in (client.get(link), client.post(link)):
        assert answer.status_code == 410
        assert b"This sign-in link no longer works" in answer.content
        assert b"Ask whoever sent it for another one." in answer.content
        assert b"manage.py" not in answer.content
    assert not is_signed_in(client)


@pytest.mark.parametrize(("ip", "is_local"), [("127.0.0.1", True), ("192.0.2.7", False)])
def test_only_a_browser_on_the_servers_machine_gets_a_command(client, ip, is_local):
    answer = client.get("/sign-in/an-old-link/", headers={"Host": "localhost:8000"}, REMOTE_ADDR=ip)

    command = b".venv/bin/python manage.py sign_in_link</code>"
    assert (command in answer.content) is is_local


def test_a_link_works_for_a_quarter_of_an_hour(secret):
    SignInLink.objects.update(created_at=timezone.now() - timedelta(minutes=14))

    assert use_sign_in_link(secret) == User.objects.get()


# -- where it leads ----------------------------------------------------------------------------------------------------


def test_a_link_leads_to_the_page_that_asked_to_sign_in(client, link, settings):
    client.get("/sign-in/?next=/add/%3Fa%3Db")  # a visitor, in another tab of the same browser

    assert client.post(link)["Location"] == "/add/?a=b"
    assert client.cookies[settings.NEXT_COOKIE_NAME].value == ""


def test_a_link_leads_to_the_page_that_it_names_itself(client, link):
    page = client.get(f"{link}?next=/add/").content.decode()

    assert '<input type="hidden" name="next" value="/add/">' in page
    assert client.post(link, {"next": "/add/"})["Location"] == "/add/"


def test_opening_the_sign_in_page_anew_forgets_the_page_before(client, link):
    client.get("/sign-in/?next=/add/")
    client.get("/sign-in/")

    assert client.post(link)["Location"] == "/"


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "///evil.example",
        "http:///evil.example",
        "javascript:alert(1)",
        "http://[",
        "/" + "a" * 2000,
        "/sign-in/",
        "/sign-in/?next=/sign-in/",
        "/sign-in/link/",
        "/sign-out/",
    ],
)
def test_a_link_leads_neither_elsewhere_nor_round(client, link, elsewhere):
    assert client.post(link, {"next": elsewhere})["Location"] == "/"


@pytest.mark.parametrize("way", ["remembered", "password", "signed in already"])
def test_no_other_way_of_signing_in_leads_elsewhere(client, link, settings, way, ada):
    elsewhere = "https://evil.example/"
    if way == "remembered":
        client.cookies[settings.NEXT_COOKIE_NAME] = elsewhere
        answer = client.post(link)
    elif way == "password":
        form = {"username": "ada", "password": PASSWORD, "next": elsewhere}
        answer = client.post("/sign-in/", form)
    else:
        client.force_login(ada)
        answer = client.get("/sign-in/", {"next": elsewhere})

    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_each_page_offers_to_sign_in_and_come_back(client):
    assert b'href="/sign-in/?next=/tools/%3Fq%3Dmail"' in client.get("/tools/?q=mail").content
    assert b'href="/sign-in/?next=/lint/"' in client.get("/sign-in/?next=/lint/").content


# -- the log -----------------------------------------------------------------------------------------------------------

REQUESTS = {
    "PUT": lambda client, link: client.put(link),
    "POST": lambda client, link: client.post(link),
    "used": lambda client, link: [client.post(link), client.post(link), client.get(link)],
    "without a CSRF token": lambda client, link: Client(enforce_csrf_checks=True).post(link),
    "foreign host": lambda client, link: client.get(link, headers={"host": "evil.example"}),
    "foreign origin": lambda client, link: client.post(
        link, headers={"origin": "https://evil.example"}
    ),
    "two slashes before": lambda client, link: client.get(f"http://testserver/{link}"),
    "two slashes between": lambda client, link: client.get(link.replace("/sign-in/", "/sign-in//")),
    "capitals": lambda client, link: client.get(link.replace("/sign-in/", "/Sign-In/")),
    "more behind it": lambda client, link: client.get(f"{link}more/"),
    "percent-encoded": lambda client, link: client.get(link.replace("-", "%2D")),
    "a body that is too large": lambda client, link: client.post(
        link, headers={"content-length": "9" * 12}
    ),
    "as a referrer": lambda client, link: client.post(
        "/add/", headers={"referer": f"http://testserver{link}"}
    ),
    "as a foreign referrer under HTTPS": lambda client, link: Client(enforce_csrf_checks=True).post(
        "/add/", secure=True, headers={"referer": f"https://evil.example{link}"}
    ),
}
ANSWERED = {"POST", "percent-encoded", "as a referrer"}  # without a word in the log


@pytest.mark.parametrize("request_name", REQUESTS)
def test_no_request_writes_the_secret_of_a_link_into_the_log(
    client, secret, link, caplog, request_name
):
    caplog.set_level(logging.DEBUG)

    REQUESTS[request_name](client, link)

    written = [
        record
        for record in caplog.records
        if record.name.startswith("django") and ".db" not in record.name
    ]
    for record in written:
        assert secret not in record.getMessage()
        assert secret not in str(getattr(record, "request", ""))
    assert request_name in ANSWERED or written


def test_a_fault_of_the_site_does_not_write_the_secret_into_the_log(
    secret, link, caplog, monkeypatch
):
    def fail(_view: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr("accounts.views.SignInByLink.secret", property(fail))
    client = Client(raise_request_exception=False)

    assert client.get(link).status_code == 500
    assert "broken" in caplog.text
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('"GET /sign-in/{} HTTP/1.1" 200', '"GET /sign-in/… HTTP/1.1" 200'),
        ("http://127.0.0.1:8000/sign-in/{}/?next=/", "http://127.0.0.1:8000/sign-in/…/?next=/"),
        ("/elsewhere/sign-in/{}", "/elsewhere/sign-in/…"),
        ("GET /runs?token=tsk_{}", "GET /runs?token=tsk_…"),
        ("/tools/sign-in/try/", "/tools/sign-in/try/"),
        ("nothing", "nothing"),
    ],
)
def test_a_log_line_is_written_without_secrets(line, shown):
    text = line.format("Xy1-" * 10 + "_9z")
    record = logging.LogRecord(
        "granian.access", logging.INFO, "", 0, "%(what)s", ({"what": text},), None
    )

    assert hide_secrets(text) == shown
    assert WithoutSecrets().filter(record)
    assert record.getMessage() == shown


def test_a_tool_named_sign_in_has_its_pages(client):
    make_tool("sign-in")

    assert client.get("/tools/sign-in/").status_code == 200
    assert client.get("/tools/sign-in/changes/").status_code == 200


# -- the command -------------------------------------------------------------------------------------------------------


def run(*words: str, capsys) -> str:
    call_command("sign_in_link", *words)
    return capsys.readouterr().out.strip()


def test_a_typo_in_the_name_creates_no_account_and_lists_the_existing_ones(ada):
    User.objects.create_user("bob", is_active=False)

    with pytest.raises(CommandError) as refused:
        call_command("sign_in_link", "adda")

    assert str(refused.value) == (
        "There is no account named 'adda'. Accounts: ada. To create it: manage.py sign_in_link adda --create "
        "(add --superuser for an administrator)"
    )
    assert [user.username for user in User.objects.order_by("username")] == ["ada", "bob"]
    assert not SignInLink.objects.exists()


def test_of_many_accounts_some_are_named():
    User.objects.bulk_create(User(username=f"person{number:04}") for number in range(1000))

    with pytest.raises(CommandError) as refused:
        call_command("sign_in_link", "typo")

    assert "person0009 and 990 more." in str(refused.value)
    assert "person0010" not in str(refused.value)


def test_without_accounts_it_explains_how_to_create_one():
    with pytest.raises(
        CommandError, match=r"There are no accounts yet.*owner --create --superuser"
    ):
        call_command("sign_in_link")

    assert not User.objects.exists()


@pytest.mark.parametrize(("more", "is_superuser"), [([], False), (["--superuser"], True)])
def test_an_account_is_created_when_that_is_asked_for(capsys, more, is_superuser):
    link = run("eve", "--create", *more, capsys=capsys)

    user = User.objects.get()
    assert (user.username, user.is_superuser, user.is_staff) == ("eve", is_superuser, is_superuser)
    assert not user.has_usable_password()
    assert use_sign_in_link(link.split("/")[-2]) == user


@pytest.mark.parametrize("name", [" ", "two words", "x" * 151, "a/b"])
def test_an_invalid_name_creates_no_account(name):
    with pytest.raises(CommandError, match="Cannot create the account"):
        call_command("sign_in_link", name, "--create")

    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ada", "--create", "--superuser"], r"Cannot create the account 'ada'.*already exists"),
        (["ada", "--superuser"], "--create"),
        (["gone"], "The account 'gone' is disabled, so it cannot sign in"),
    ],
)
def test_a_link_that_makes_no_sense_is_refused(ada, words, message):
    User.objects.create_user("gone", is_active=False)

    with pytest.raises(CommandError, match=message):
        call_command("sign_in_link", *words)

    assert not User.objects.get(username="ada").is_superuser
    assert not SignInLink.objects.exists()


def test_without_a_name_it_is_a_link_for_the_owner(ada, capsys):
    owner = User.objects.create_superuser("owner")
    User.objects.create_superuser("admin")

    assert use_sign_in_link(run(capsys=capsys).split("/")[-2]) == owner


def test_without_an_owner_it_is_a_link_for_the_first_administrator(ada, capsys):
    User.objects.create_user("owner")
    User.objects.create_superuser("disabled", is_active=False)
    first = User.objects.create_superuser("first")
    User.objects.create_superuser("second")

    assert use_sign_in_link(run(capsys=capsys).split("/")[-2]) == first


def test_the_command_prints_the_link_alone(ada, capsys):
    call_command("sign_in_link", "ada")

    printed = capsys.readouterr()
    assert re.fullmatch(r"http://\S+/sign-in/[\w-]{43}/\n", printed.out)
    assert printed.err == "This link signs ada in once, within 15 minutes:\n"


# -- the address -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_data_dir")
def test_the_link_has_the_address_that_the_site_is_served_at_or_the_usual_one(ada, capsys):
    usual = run("ada", capsys=capsys)
    write_site_url("http://127.0.0.1:8123")
    served = run("ada", capsys=capsys)
    given = run("ada", "--site", "https://shelf.example.org/", capsys=capsys)

    assert usual.startswith("http://127.0.0.1:8000/sign-in/")
    assert served.startswith("http://127.0.0.1:8123/sign-in/")
    assert given.startswith("https://shelf.example.org/sign-in/")


@pytest.mark.parametrize(
    ("host", "names", "https", "url"),
    [
        ("127.0.0.1", "localhost 127.0.0.1 [::1]", False, "http://127.0.0.1:8001"),
        ("localhost", "localhost 127.0.0.1 [::1]", False, "http://localhost:8001"),
        ("::1", "localhost 127.0.0.1 [::1]", False, "http://[::1]:8001"),
        ("0.0.0.0", "localhost 127.0.0.1 [::1]", False, "http://localhost:8001"),
        ("0.0.0.0", "127.0.0.1 shelf.lan", False, "http://shelf.lan:8001"),
        ("::", "shelf.lan", False, "http://shelf.lan:8001"),
        ("192.0.2.7", "192.0.2.7 localhost", False, "http://192.0.2.7:8001"),
        ("192.0.2.7", "shelf.lan", False, "http://shelf.lan:8001"),
        ("127.0.0.1", "shelf.example.org", False, "http://shelf.example.org"),
        ("0.0.0.0", "localhost shelf.example.org", True, "https://shelf.example.org"),
        ("127.0.0.1", "shelf.example.org other.example.org", True, "https://shelf.example.org"),
        ("127.0.0.1", ".example.org", True, "https://example.org"),
        ("127.0.0.1", "localhost 127.0.0.1", True, "https://localhost"),
    ],
)
def test_the_address_of_a_server(settings, host, names, https, url):
    settings.ALLOWED_HOSTS = names.split()
    settings.HTTPS = https

    assert url_of_server(host, 8001) == url
