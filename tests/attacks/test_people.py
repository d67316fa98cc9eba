"""Ways in and what they open: tokens, sessions, sign-in; and that nobody gets at what is another person's."""

from __future__ import annotations

import json
import re
import secrets
import threading

import httpx
import pytest

from tests.attacks.cases import cases
from tests.attacks.conftest import Browser, Program
from tests.site_accounts import PASSWORD, forget_failures, person, sign_in_link, sql, token

SLUG = "get-weather-498ebfb0"
SECRET_TOOL = "sign_text"  # has a configuration
ABSENT = "0" * 32


@pytest.fixture
def visitor(site):
    with Browser(site) as visitor:
        yield visitor


def sign_in(visitor, name, password=PASSWORD, **more):
    form = {
        "csrfmiddlewaretoken": visitor.csrf_token("/sign-in/"),
        "username": name,
        "password": password,
        **more,
    }
    headers = more.pop("headers", {})
    return visitor.post("/sign-in/", data=form, headers=headers)


def is_signed_in(visitor):
    return visitor.get("/account/tokens/").status_code == 200


# -- the cases --------------------------------------------------------------------------------------------------------


def token_in_query(site, program, browser, visitor):
    secret = program.headers["authorization"].split()[1]
    for name in ("token", "access_token", "api_key", "key", "authorization"):
        assert (
            httpx.get(f"{site.url}/api/v1/runs", params={name: secret}, timeout=60).status_code
            == 401
        )
        assert (
            httpx.post(f"{site.url}/api/v1/tools?{name}={secret}", json={}, timeout=60).status_code
            == 401
        )
    assert (
        httpx.get(f"{site.url}/api/v1/runs", auth=("tester", secret), timeout=60).status_code == 401
    )
    assert (
        httpx.get(f"{site.url}/api/v1/runs", cookies={"token": secret}, timeout=60).status_code
        == 401
    )
    assert (
        httpx.get(f"{site.url}/api/v1/runs", headers={"X-API-Key": secret}, timeout=60).status_code
        == 401
    )


def token_expired(site, program, browser, visitor):
    secret = token(site, "late")
    with Program(site, secret) as late:
        assert late.get("/runs").status_code == 200
        sql(
            site,
            "UPDATE accounts_apitoken SET expires_at = '2020-01-01 00:00:00' WHERE hint = ?",
            secret[:8],
        )
        assert late.get("/runs").status_code == 401
        assert late.get("/tools").status_code == 401
        sql(
            site,
            "UPDATE accounts_apitoken SET expires_at = NULL, revoked_at = created_at WHERE hint = ?",
            secret[:8],
        )
        assert late.publish(b"{}").status_code == 401


def token_other_user(site, program, browser, visitor):
    """A revision of another person's tool is only proposed: its owner approves it."""
    shared = f"shared-{secrets.token_hex(4)}"
    spec = {"definition": {"id": shared, "name": "shared", "description": "first"}}
    program.post("/tools", json=spec)
    with Program(site, token(site, "other", "publish")) as other:
        spec["definition"]["description"] = "second"
        assert other.post("/tools", json=spec).status_code == 202
        assert other.patch(f"/tools/{shared}", json={"add_tags": ["theirs"]}).status_code == 403
        assert other.delete(f"/tools/{shared}").status_code in {403, 405}

    revisions = program.get(f"/tools/{shared}/revisions").json()["items"]
    assert [revision["by"] for revision in revisions] == ["tester"]


def session_logout(site, program, browser, visitor):
    sign_in(visitor, person(site, "leaving"))
    assert is_signed_in(visitor)
    old = dict(visitor.cookies)
    assert visitor.get("/sign-out/").status_code == 405
    visitor.post("/sign-out/", data={"csrfmiddlewaretoken": visitor.csrf_token("/account/tokens/")})

    visitor.cookies.update(old)

    assert not is_signed_in(visitor)
    assert visitor.get("/api/v1/runs").status_code == 401


def session_password_change(site, program, browser, visitor):
    sign_in(visitor, person(site, "changing"))
    assert is_signed_in(visitor)

    person(site, "changing", "another good password")

    assert not is_signed_in(visitor)


def login_enumeration(site, program, browser, visitor):
    """The same words. That the work is the same, too, is counted in `tests/accounts/test_signing_in.py`."""
    person(site, "known")
    answers = set()
    for who in ("unknown", "known", "owner"):  # `owner` has no password
        forget_failures(site)
        answers |= {
            re.sub(r'value="[^"]*"', "", sign_in(visitor, who, "a wrong one").text)
            for _ in range(2)
        }

    assert len(answers) == 1


ELSEWHERE = [
    "//evil.example",
    "https:evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "data:text/html,x",
    "/\\evil.example",
    "\\\\evil.example",
    "///evil.example",
    "http:///evil.example",
    "/%09/evil.example",
    "\t//evil.example",
    " https://evil.example",
    "https://127.0.0.1@evil.example/",
    "//127.0.0.1.evil.example",
    "https:/\\evil.example",
    "\x00//evil.example",
    "ftp://127.0.0.1/",
]


def login_open_redirect(site, program, browser, visitor):
    name = person(site, "redirected")
    for address in ELSEWHERE:
        check_own(browser.get("/sign-in/", params={"next": address.replace("\x00", "")}), address)
    for address in (*ELSEWHERE[:2], ELSEWHERE[-2]):
        visitor.cookies.clear()
        check_own(sign_in(visitor, name, next=address), address)
    visitor.cookies.clear()
    assert (
        sign_in(visitor, name, next=f"/tools/{SLUG}/?a=b").headers["location"]
        == f"/tools/{SLUG}/?a=b"
    )
    elsewhere = {"next": "//evil.example", "redirect": "//evil.example"}
    for path in ("/", "/tools/", f"/tools/{SLUG}/try/", "/add/"):
        assert browser.get(path, params=elsewhere).status_code == 200


def check_own(answer, address):
    assert answer.status_code == 302
    location = answer.headers["location"]
    assert location == "/" or re.match(r"/[^/\\]", location), (address, location)
    assert "evil" not in location or location.startswith("/%09")


def reset_host(site, program, browser, visitor):
    """Named otherwise: no password is reset by mail, so no link is made from a request. The sign-in link is printed by
    a command on the machine, with the host given to the command."""
    for path in ("/password-reset/", "/accounts/password/reset/", "/password_reset/"):
        assert httpx.post(
            site.url + path, headers={"X-Forwarded-Host": "evil.example"}, timeout=60
        ).status_code in {
            403,
            404,
        }
    answer = httpx.get(
        f"{site.url}/runs/", headers={"X-Forwarded-Host": "evil.example"}, timeout=60
    )
    assert "evil" not in answer.headers["location"]


def idor_history(site, program, browser, visitor):
    """All that is one person's does not exist for another, however it is asked for."""
    run = program.run(SLUG, b'{"location": "marker-7712"}').json()["id"]
    own = program.run(SLUG).json()["id"]
    configuration = {"name": "private-9931", "configuration": {"key": "k" * 32}}
    assert (
        program.post(f"/tools/{SECRET_TOOL}/configurations", json=configuration).status_code == 201
    )
    with Program(site, token(site, "curious")) as curious:
        mine = curious.run(SLUG).json()["id"]
        assert curious.get(f"/runs/{run}").status_code == 404
        assert curious.post(f"/runs/{run}/cancel").status_code == 404
        assert curious.get(f"/runs/{ABSENT}").json() == curious.get(f"/runs/{run}").json()
        assert [
            item["id"] for item in curious.get("/runs", params={"by": "tester"}).json()["items"]
        ] == []
        assert run not in curious.get("/runs", params={"limit": 200}).text
        assert curious.get("/runs", params={"cursor": run}).status_code == 200
        assert "private-9931" not in curious.get(f"/tools/{SECRET_TOOL}/configurations").text
        assert (
            curious.delete(f"/tools/{SECRET_TOOL}/configurations/private-9931").status_code == 404
        )
        asked = curious.run(SECRET_TOOL, mode="live", saved_configuration="private-9931")
        assert asked.status_code == 422
    sign_in(visitor, person(site, "curious"))
    csrf = visitor.csrf_token("/account/tokens/")
    for path in ("", "run.json", "response.json", "example/"):
        assert visitor.get(f"/runs/{run}/{path}").status_code == 404
    for path in ("cancel/", "again/", "example/"):
        assert (
            visitor.post(f"/runs/{run}/{path}", data={"csrfmiddlewaretoken": csrf}).status_code
            == 404
        )
    assert visitor.get(f"/runs/{mine}..{run}/").status_code == 404
    assert visitor.get(f"/runs/{run}..{mine}/").status_code == 404
    for path in (
        f"/tools/{SLUG}/try/?run={run}",
        "/runs/?person=tester",
        "/runs/",
        f"/tools/{SLUG}/",
    ):
        assert "marker-7712" not in visitor.get(path).text
    shown = visitor.get(f"/tools/{SECRET_TOOL}/try/?configuration=private-9931").text
    assert "k" * 32 not in shown
    key = sql(
        site,
        "SELECT t.id FROM accounts_apitoken t JOIN accounts_user u ON u.id = user_id AND username = 'tester'",
    )
    assert (
        visitor.post(
            f"/account/tokens/{key[0][0]}/revoke/", data={"csrfmiddlewaretoken": csrf}
        ).status_code
        == 404
    )
    assert program.get(f"/runs/{own}").status_code == 200


def mass_assignment(site, program, browser, visitor):
    more = {
        "owner": "owner",
        "by": "owner",
        "is_staff": True,
        "created": "2000-01-01",
        "number": 99,
        "revision": 99,
    }
    assigned = f"assigned-{secrets.token_hex(4)}"
    definition = {"id": assigned, "name": "assigned", "description": "d", **more}
    assert (
        program.post("/tools", params=more, json={"definition": definition, **more}).status_code
        == 422
    )
    created = program.post("/tools", json={"definition": definition, **more})
    assert created.status_code == 201
    tool = created.json()["tool"]
    assert tool["revision"] == 1
    assert not tool["created_at"].startswith("2000")
    assert program.get(f"/tools/{assigned}/revisions").json()["items"][0]["by"] == "tester"
    for name, value in {**more, "id": ABSENT, "outcome": "returned", "response": 1}.items():
        body = {"mode": "mock", name: value}
        answer = program.post(f"/tools/{SLUG}/runs", json=body)
        assert answer.status_code == 422 or name == "revision"
    sign_in(visitor, person(site, "modest"), is_staff="1", is_superuser="1")
    form = {
        "name": assigned,
        "scopes": "read",
        "user": "1",
        "user_id": "1",
        "days": "1",
        "digest": "x",
    }
    visitor.post(
        "/account/tokens/",
        data={**form, "csrfmiddlewaretoken": visitor.csrf_token("/account/tokens/")},
    )
    made = "SELECT username, scopes FROM accounts_apitoken t JOIN accounts_user u ON u.id = user_id WHERE name = ?"
    [(owner, scopes)] = sql(site, made, assigned)
    assert owner == "modest"
    assert json.loads(scopes) == ["read"]
    assert sql(
        site, "SELECT is_staff, is_superuser FROM accounts_user WHERE username = 'modest'"
    ) == [(0, 0)]


PROCEDURES = {
    procedure.__name__.replace("_", "-"): procedure
    for procedure in (
        token_in_query,
        token_expired,
        token_other_user,
        session_logout,
        session_password_change,
        login_enumeration,
        login_open_redirect,
        reset_host,
        idor_history,
        mass_assignment,
    )
}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_nobody_gets_in_by(procedure, site, program, browser, visitor):
    PROCEDURES[procedure](site, program, browser, visitor)


def test_every_case_has_its_procedure():
    assert {case.procedure for case in cases("auth")} <= PROCEDURES.keys()


# -- variants of our own ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ("read", {"read"}),
        ("publish", {"publish"}),
        ("run", {"run", "read"}),
    ],
)
def test_a_token_opens_what_its_scopes_say(scope, allowed, site):
    with Program(site, token(site, "scoped", scope)) as scoped:
        answers = {
            "none": [scoped.get("/tools"), scoped.get("/factories")],
            "read": [scoped.get("/runs"), scoped.get(f"/runs/{ABSENT}")],
            "publish": [
                scoped.publish(b"{}"),
                scoped.post("/uploads", json=[]),
                scoped.put(f"/tools/{SLUG}", json={}, headers={"If-Match": '"x"'}),
                scoped.delete("/tools/nothing"),
                scoped.post("/tools/nothing/restore"),
            ],
            "run": [
                scoped.run(SLUG),
                scoped.post(f"/runs/{ABSENT}/cancel"),
                scoped.get(f"/tools/{SLUG}/configurations"),
                scoped.post(
                    f"/tools/{SLUG}/configurations", json={"name": "x", "configuration": {}}
                ),
                scoped.delete(f"/tools/{SLUG}/configurations/x"),
            ],
        }
    for needed, asked in answers.items():
        for answer in asked:
            assert (answer.status_code == 403) == (needed not in {*allowed, "none"}), (
                needed,
                answer.request.url,
            )


def test_a_token_opens_no_page(site, program):
    for path in ("/account/tokens/", "/runs/"):
        assert httpx.get(site.url + path, headers=program.headers, timeout=60).status_code == 302
    made = httpx.post(
        f"{site.url}/account/tokens/", data={"scopes": "run"}, headers=program.headers, timeout=60
    )
    assert made.status_code == 403


def test_a_bad_token_does_not_fall_back_on_the_session(browser):
    for sent in (
        "Bearer wrong",
        "Bearer",
        "Basic x",
        "",
        "bearer x y",
        "Token x",
        "Bearer tsk_" + "a" * 43,
    ):
        assert browser.get("/api/v1/tools", headers={"Authorization": sent}).status_code == 401


def test_signing_in_gives_a_new_session_each_time(site, visitor):
    """A session that somebody else put into the browser does not become the person's."""
    name = person(site, "fixed")
    with Browser(site) as linked:
        linked.sign_in(sign_in_link(site, name))
        cookie = next(name for name in linked.cookies if name.startswith("toolshelf_session"))
    with Browser(site) as linked:
        linked.cookies.set(cookie, "a" * 32, domain="127.0.0.1")
        linked.sign_in(sign_in_link(site, name))
        by_link = linked.cookies[cookie]
    sign_in(visitor, name)
    by_password = visitor.cookies[cookie]
    visitor.sign_in(sign_in_link(site, person(site, "next")))

    assert len({by_link, by_password, visitor.cookies[cookie], "a" * 32}) == 4
    with Browser(site) as thief:
        thief.cookies.set(cookie, "a" * 32)
        assert not is_signed_in(thief)


def test_cookies_are_no_business_of_scripts_and_other_sites(site, visitor):
    name = person(site, "cookies")

    answer = sign_in(visitor, name)

    for cookie in answer.headers.get_list("set-cookie"):
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Domain" not in cookie
        assert "Path=/" in cookie


def test_guessing_ends_whatever_address_is_claimed(site, visitor):
    name = person(site, "guessed")
    for attempt in range(10):
        claimed = {"X-Forwarded-For": f"10.0.0.{attempt}", "X-Real-IP": f"10.0.1.{attempt}"}
        sign_in(visitor, name, f"guess {attempt}", headers=claimed)

    answer = sign_in(visitor, name, headers={"X-Forwarded-For": "10.9.9.9"})

    assert answer.status_code == 429
    assert "Too many wrong passwords" in answer.text
    assert not is_signed_in(visitor)
    forget_failures(site)


def test_a_link_signs_in_once_however_many_use_it_at_once(site, visitor):
    link = sign_in_link(site, person(site, "linked"))
    visitor.get(link)
    form, cookies = {"csrfmiddlewaretoken": visitor.csrf_token(link)}, dict(visitor.cookies)
    statuses = []

    def press() -> None:
        statuses.append(httpx.post(link, data=form, cookies=cookies, timeout=60).status_code)

    threads = [threading.Thread(target=press) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [302] + [410] * 11


def test_a_name_with_a_nul_or_much_text_does_no_harm(visitor):
    for name in (
        "a\x00b",
        "x" * 10_000,
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "",
        "' OR 1=1--",
    ):
        assert sign_in(visitor, name, "x").status_code == 200
