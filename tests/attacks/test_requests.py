"""Hostile addresses, queries and headers, and requests that another site's page makes in a person's browser."""

from __future__ import annotations

import httpx
import pytest

from tests.attacks.cases import cases
from tests.attacks.conftest import Browser
from tests.attacks.pages import unsafe_parts
from tests.attacks.raw_http import exchange, request_text

SLUG = "get-weather-498ebfb0"
LISTS = ("/", "/tools/", "/runs/", f"/tools/{SLUG}/try/", f"/tools/{SLUG}/changes/", "/sign-in/")
API_LISTS = ("/tools", "/runs", f"/tools/{SLUG}/revisions", f"/tools/{SLUG}/diff")
PRIVATE = (b"root:x:0", b"SQLite format 3", b"SECRET_KEY", b"tsk_", b"argon2", b"Traceback")


def fields(headers):
    return [f"{name}: {value}".encode() for name, value in headers.items() if name != "Host"]


@pytest.mark.parametrize("path", ["/", "/api/v1/tools", "/healthz"])
@pytest.mark.parametrize(
    "case", [case for case in cases("http.header") if "status_in" in case.expect], ids=str
)
def test_a_hostile_header_does_no_harm(case, path, site):
    host = case.headers.get("Host", f"127.0.0.1:{site.port}").encode()

    response = exchange(site.url, request_text(path.encode(), *fields(case.headers), host=host))

    assert response.status in case.expect["status_in"]
    assert not any(secret in response.data for secret in PRIVATE)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:{port}",
        "127.0.0.1@evil.example",
        "127.0.0.1:80:80",
        "0.0.0.0",
        "127.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "localhost.localdomain",
        "localhost,evil.example",
        "127.0.0.1:x",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/v1/tools", "/healthz", "/api/v1/openapi.json"])
def test_only_the_sites_own_host_names_are_answered(host, path, site):
    """An attacker whose own name leads to this machine (DNS rebinding) still sends that name."""
    response = exchange(
        site.url, request_text(path.encode(), host=host.format(port=site.port).encode())
    )

    assert response.status == 400
    assert b"get_weather" not in response.data


@pytest.mark.parametrize(
    "header", [b"X-Forwarded-Host", b"X-Host", b"Forwarded: host", b"X-Forwarded-Server"]
)
def test_a_forwarded_host_is_not_believed(header, site):
    response = exchange(site.url, request_text(b"/api/v1/docs", header + b": evil.example"))

    assert response.status == 200
    assert b"evil.example" not in response.data


@pytest.mark.parametrize("case", cases("http.path"), ids=str)
def test_no_address_leads_to_a_file(case, site):
    response = exchange(site.url, request_text(case.path.encode()))

    assert response.status in case.expect["status_in"]
    assert not any(secret in response.data for secret in PRIVATE)


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../../../etc/passwd",
        "/static/../../toolshelf.sqlite3",
        "/static/..%2f..%2fsecret_key",
        "/static/%2e%2e/%2e%2e/secret_key",
        "/static/..%5c..%5csecret_key",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..%c0%af..%c0%afsecret_key",
        "/toolshelf.sqlite3-wal",
        "/secret_key",
        "/.git/HEAD",
        "/var/secret_key",
        "/tools/..%2f..%2fsecret_key/",
        "/api/v1/tools/..%2f..%2f/spec",
        "/manage.py",
        "/tools/%ff%fe/",
        "/tools/%ed%a0%80/",
        "/sign-in/" + "A" * 3000 + "/",
        "/" + "a/" * 4000,
        "/tools/" + "x" * 7000 + "/",
    ],
)
def test_no_variant_of_an_address_leads_to_a_file(path, site):
    response = exchange(site.url, request_text(path.encode()))

    assert response.status in {400, 404, 410, 414}
    assert not any(secret in response.data for secret in PRIVATE)


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/%5Cevil.example/tools", "//evil.example/upload", "///x/upload"]
)
def test_the_missing_slash_leads_to_no_other_site(path, site):
    response = exchange(site.url, request_text(path.encode()))

    assert b"location: //" not in response.head
    assert response.status == 404


@pytest.mark.parametrize(
    "path",
    ["/tools/%0d%0aX-Evil:%201", "/tools/x%0aSet-Cookie:a=b", "/tools/%E5%98%8D%E5%98%8AX:1"],
)
def test_an_address_makes_no_header(path, site):
    response = exchange(site.url, request_text(path.encode()))

    assert b"\nx-evil" not in response.head
    assert b"\nset-cookie" not in response.head


@pytest.mark.parametrize("case", cases("http.query"), ids=str)
def test_a_hostile_query_does_no_harm(case, browser, program):
    for client, paths in ((browser, LISTS), (program, API_LISTS)):
        for path in paths:
            answer = client.get(f"{path}?{case.query}")
            moved = {"/sign-in/": {302}, "/": {301}}.get(path, set())
            assert answer.status_code in {*case.expect["status_in"], 200} | moved
            assert path != "/" or answer.headers.get("location", "/tools/?").startswith("/tools/?")
            assert "evil.example" not in answer.headers.get("location", "")
            assert not any(secret in answer.content for secret in PRIVATE[:3])
            if client is browser and answer.status_code == 200:
                assert unsafe_parts(answer.text) == []


PARAMETERS = {
    "/tools/": ["q", "sort", "cursor", "before", "limit", "include", "runnable", "page", "offset"],
    "/runs/": ["tool", "outcome", "verdict", "mode", "person", "since", "until", "before", "after"],
    f"/tools/{SLUG}/": ["revision", "example"],
    f"/tools/{SLUG}/try/": ["parameters", "example", "run", "configuration", "mode"],
    f"/tools/{SLUG}/changes/": ["before"],
    "/sign-in/": ["next"],
    "/api/v1/tools": ["q", "cursor", "limit", "include", "runnable", "id"],
    "/api/v1/runs": ["tool", "outcome", "by", "since", "until", "cursor", "limit"],
    f"/api/v1/tools/{SLUG}/diff": ["from", "to"],
    f"/api/v1/tools/{SLUG}/revisions": ["cursor", "limit"],
}
VALUES = [
    "-1",
    "1e309",
    "9" * 400,
    "9223372036854775808",
    "%FF",
    "%ED%A0%80",
    "%F0%9F%98%80",
    "^",
    "%5C",
    "%22",
    "%27%22%60",
    "*",
    "NEAR(a%2Cb)",
    "a%20AND",
    "name%3A*",
    "%7B%22a%22%3A1%2C%22a%22%3A2%7D",
    "%22%5Cud800%22",
    "%5B" * 100,
    "0001-01-01",
    "9999-12-31",
    "%C2%B2",
    "%D9%A1",
    "%0d%0aX%3A1",
    "..%2F",
    "f" * 32,
    "__class__",
]


@pytest.mark.parametrize("path", PARAMETERS)
def test_no_value_of_a_parameter_does_harm(path, browser):
    """All of them at once with each value, and then each one with a value that only it may take amiss."""
    queries = ["&".join(f"{name}={value}" for name in PARAMETERS[path]) for value in VALUES]
    queries += [
        f"{name}={value}"
        for name in PARAMETERS[path]
        for value in ("9999-12-31", "9" * 400, "f" * 32)
    ]
    for query in queries:
        answer = browser.get(f"{path}?{query}")
        assert answer.status_code < 500, query


# -- what another site's page makes a person's browser send ------------------------------------------------------------

SPEC = b'{"definition": {"id": "planted", "name": "planted", "description": "d"}}'
FORM = (
    b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.json"\r\n\r\n'
    + SPEC
    + b"\r\n--x--\r\n"
)
FOREIGN = (
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": "https://127.0.0.1"},
    {"Sec-Fetch-Site": "same-site"},
    {"Referer": "http://evil.example/"},
)


def planted(program):
    return program.get("/tools", params={"id": "planted", "include": "archived"}).json()["items"]


@pytest.mark.parametrize("path", ["/api/v1/tools", "/api/v1/uploads"])
@pytest.mark.parametrize(
    "case", [case for case in cases("http.csrf") if case.target == "csrf"], ids=str
)
def test_another_sites_page_changes_nothing(case, path, browser, program):
    body = FORM if case.content_type.startswith("multipart") else SPEC
    allowed = {status for status in case.expect["status_in"] if status >= 400} or {
        400,
        401,
        403,
        415,
    }
    for headers in FOREIGN:
        kind = {"Content-Type": case.content_type} if case.content_type else {}

        answer = browser.post(path, content=body, headers={**headers, **kind})

        assert answer.status_code in allowed | {403}
        assert planted(program) == []


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_another_sites_page_presses_no_button(headers, site, browser, program):
    """The person's cookies come along; the form's token does not."""
    run = program.run(SLUG).json()["id"]
    before = browser.get("/account/tokens/").text.count("/revoke/")
    for path, form in {
        "/add/": {"text": SPEC.decode()},
        f"/tools/{SLUG}/settings/": {"section": "archive"},
        f"/tools/{SLUG}/try/": {"run": "1", "mode": "mock"},
        f"/runs/{run}/again/": {},
        f"/runs/{run}/cancel/": {},
        "/account/tokens/": {"name": "x", "scopes": "publish"},
        "/sign-out/": {},
        "/sign-in/": {"username": "tester", "password": "x"},
    }.items():
        assert browser.post(path, data=form, headers=headers).status_code == 403, path

    assert planted(program) == []
    assert not program.get(f"/tools/{SLUG}").json()["archived"]
    assert browser.get("/account/tokens/").text.count("/revoke/") == before


def test_another_sites_page_reads_nothing(browser, program):
    for path in ("/", "/runs/", "/api/v1/tools", "/api/v1/runs", "/api/v1/openapi.json"):
        answer = browser.get(path, headers={"Origin": "http://evil.example"})
        assert not [name for name in answer.headers if name.startswith("access-control")]
    asked = program.options(
        "/tools", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"}
    )
    assert not [name for name in asked.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "case", [case for case in cases("http.csrf") if case.asks_for("no_framing")], ids=str
)
def test_no_page_can_be_framed(case, site, browser):
    pages = [
        "/",
        "/tools/",
        "/add/",
        "/runs/",
        "/factories/",
        f"/tools/{SLUG}/",
        f"/tools/{SLUG}/try/",
        "/account/tokens/",
    ]
    for page in [
        *pages,
        "/sign-in/",
        "/api/v1/docs",
        "/nothing/",
        "/sign-in/x/",
        "/tools/?q=" + "a" * 20_000,
    ]:
        answer = browser.get(page, headers=case.headers)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], page


def test_every_answer_has_the_strict_headers(site, browser, program):
    """Pages, redirects, errors, files, downloads, the API: what else a browser could be led to show."""
    style = browser.get("/").text.split('rel="stylesheet" href="')[1].split('"')[0]
    run = program.run(SLUG).json()["id"]
    answers = [
        browser.get(path)
        for path in (
            "/",
            style,
            "/favicon.ico",
            "/robots.txt",
            "/healthz",
            "/readyz",
            "/nothing",
            "/static/nothing",
        )
    ]
    answers += [
        browser.get(f"/runs/{run}/{file}") for file in ("", "run.json", "response.json", "nothing")
    ]
    answers += [
        program.get(path)
        for path in ("/tools", "/nothing", f"/tools/{SLUG}/spec?download=1", "/openapi.json")
    ]
    answers += [program.post("/tools", content=b"{"), program.put("/tools"), program.head("/tools")]
    answers += [
        httpx.get(site.url, headers={"Host": "evil.example"}, timeout=60),
        httpx.request("TRACE", site.url, timeout=60),
    ]
    answers += [
        httpx.get(site.url, headers={"X-Big": "a" * 50_000}, timeout=60),
        httpx.post(f"{site.url}/add/", timeout=60),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"


def test_no_cache_may_store_private_responses(site, browser, program):
    run = program.run(SLUG).json()["id"]
    private = [
        browser.get(path)
        for path in (
            "/",
            "/tools/",
            "/runs/",
            f"/runs/{run}/run.json",
            "/account/tokens/",
            "/nothing",
        )
    ]
    private += [
        program.get("/runs"),
        program.get(f"/runs/{run}"),
        program.get("/tools"),
        program.get("/runs/x"),
    ]
    public = [
        httpx.get(site.url + path, timeout=60)
        for path in ("/", "/api/v1/tools", "/nothing", "/sign-in/")
    ]

    assert all("no-store" in answer.headers["cache-control"] for answer in private)
    assert all("no-cache" in answer.headers["cache-control"] for answer in public)
    assert all("Cookie" in answer.headers["vary"] for answer in public)


def test_an_error_response_shows_no_internals(site, browser, program):
    answers = [
        browser.get("/nothing"),
        browser.get("/tools/nothing/"),
        program.get("/nothing"),
        program.get("/runs/x"),
    ]
    answers += [
        program.post("/tools", content=b"{"),
        browser.post("/add/"),
        browser.get("/tools/%00/"),
    ]
    answers += [httpx.get(site.url, headers={"Host": "evil.example"}, timeout=60)]
    for answer in answers:
        assert answer.status_code >= 400
        for word in (
            "Traceback",
            "django",
            "Django",
            "settings",
            str(site.data_dir),
            "site-packages",
            ".py",
        ):
            assert word not in answer.text, (word, answer.url)


def test_an_answer_names_the_methods_that_an_address_takes(site):
    for path, method in {
        "/": "DELETE",
        "/api/v1/tools": "DELETE",
        "/healthz": "PUT",
        "/api/v1/runs": "PATCH",
    }.items():
        answer = httpx.request(method, site.url + path, timeout=60)
        assert answer.status_code in {403, 405}
        assert answer.status_code == 403 or "GET" in answer.headers["allow"]


def test_a_signed_out_browser_is_shown_no_private_page(site):
    with Browser(site) as nobody:
        for path in (
            "/runs/",
            "/account/tokens/",
            f"/runs/{'0' * 32}/",
            f"/runs/{'0' * 32}/run.json",
        ):
            answer = nobody.get(path)
            assert answer.status_code == 302
            assert answer.headers["location"].startswith("/sign-in/?next=/")
