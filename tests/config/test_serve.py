"""Starting the server: what it prepares, prints and refuses."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.playground.runners import soon
from tests.site import ROOT, Site, copy_started_site, sign_in


def serve(tmp_path, *words, **environment):
    return subprocess.run(
        [sys.executable, "manage.py", "serve", *words],
        cwd=ROOT,
        env={**os.environ, "TOOLSHELF_DATA_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def serve_in_vain(tmp_path, **environment):
    """A start that ends at once, because another program listens on the port."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        return serve(tmp_path, "--port", str(holder.getsockname()[1]), **environment)


def test_a_variable_of_an_earlier_version_is_named_at_the_start(tmp_path):
    ended = serve_in_vain(tmp_path, TOOLSHELF_METRICS_LOCAL="1")

    assert "TOOLSHELF_METRICS_LOCAL no longer exists. Scrapers send" in ended.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"), prepared=False)
    yield site
    site.stop()


def test_the_first_start_loads_the_samples_and_prints_a_link_that_works_once(site):
    with httpx.Client(base_url=site.url, timeout=60) as browser:
        first = sign_in(browser, site.sign_in_link)
        again = httpx.get(site.sign_in_link, timeout=60)

        assert first.status_code == 302
        assert again.status_code == 410
        assert browser.get("/account/tokens/").status_code == 200
        assert browser.get("/api/v1/tools").json()["count"] > 50


def test_a_setting_that_fits_two_factories_stops_the_start(tmp_path):
    done = serve(tmp_path, TOOL_FACTORIES="pack_age:F pack.age:F", TOOL_NETWORK_PACK_AGE_F="none")

    assert done.returncode == 1
    assert (
        "TOOL_NETWORK_PACK_AGE_F matches several factories: pack.age:F, pack_age:F. "
        "Name one of them by its path instead, or register it under another name."
    ) in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            {"TOOL_NETWORK_GREET": "inward"},
            "TOOL_NETWORK_GREET is 'inward'; use 'none', 'outward' or 'all'.",
        ),
        (
            {"TOOL_NETWORK_greet": "none"},
            "TOOL_NETWORK_greet: write the id of the factory in A-Z and 0-9",
        ),
        (
            {"TOOL_ENVIRONMENT_GREET": "KEY=sk/1"},
            "TOOL_ENVIRONMENT_GREET has an invalid entry, number 1, which must be the name",
        ),
        (
            {"TOOLSHELF_CONFIGURATION_KEYS": "correct horse battery staple and more of them"},
            "TOOLSHELF_CONFIGURATION_KEYS begins with a weak key. It must have at least 32",
        ),
    ],
    ids=["network", "lower case", "value", "configuration key"],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(tmp_path, setting, message):
    done = serve(tmp_path, **setting)

    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("header", "doubles"),
    [("X-Forwarded-For", "X_Forwarded_For or X_Forwarded_Proto"), ("realip", "X_Forwarded_Proto")],
)
def test_the_start_names_the_headers_of_the_proxy_that_clients_can_imitate(
    tmp_path, header, doubles
):
    done = serve_in_vain(tmp_path, TRUST_PROXY="1", TOOLSHELF_ADDRESS_HEADER=header)

    assert f"TRUST_PROXY is set: the proxy must drop {doubles} from clients" in done.stderr


@pytest.mark.deep
def test_a_network_that_cannot_be_enforced_is_reported_at_the_start(tmp_path):
    site = Site(tmp_path, HTTPS_PROXY="http://proxy.example:3128", TOOL_NETWORK_HASH_TEXT="outward")
    try:
        assert (
            'The network "outward" of TOOL_NETWORK cannot be enforced on this machine: '
            "the site uses a proxy (HTTPS_PROXY), so it cannot check the addresses. "
            "Tools with this network will not run."
        ) in site.log()
    finally:
        site.stop()


def test_the_first_start_creates_the_owner_and_prints_the_name(site):
    accounts = site.manage("sign_in_link", "typo", check=False)

    assert accounts.returncode == 1
    assert "Accounts: owner." in accounts.stderr
    assert "Sign in as owner with this link (it works once, within 15 minutes):" in site.log()


def test_a_link_of_the_command_has_the_address_of_the_running_server(site):
    link = site.manage("sign_in_link").stdout.strip()

    assert link.startswith(f"{site.url}/sign-in/")
    with httpx.Client(timeout=60) as browser:
        assert sign_in(browser, link).status_code == 302


def test_the_start_prints_the_command_for_another_link(site):
    [command] = re.findall(r"^Another one: (.+)$", site.log(), re.MULTILINE)

    printed = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )

    assert printed.stdout.startswith(f"{site.url}/sign-in/")


@pytest.mark.deep
def test_the_link_under_https_has_the_public_name(tmp_path):
    site = Site(
        tmp_path, TOOLSHELF_HTTPS="1", TRUST_PROXY="1", ALLOWED_HOSTS="shelf.example.org 127.0.0.1"
    )
    try:
        other = subprocess.run(
            [sys.executable, "manage.py", "sign_in_link"],
            cwd=ROOT,
            env={
                **os.environ,
                "TOOLSHELF_DATA_DIR": str(tmp_path),
            },  # a shell without the settings of the server
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        site.stop()

    assert site.sign_in_link.startswith("https://shelf.example.org/sign-in/")
    assert other.stdout.startswith("https://shelf.example.org/sign-in/")


def started_site(folder, change):
    """A site that was started before, whose table of accounts was then changed."""
    copy_started_site(folder)
    with closing(sqlite3.connect(folder / "toolshelf.sqlite3")) as database, database:
        database.executescript(f"DELETE FROM accounts_signinlink; {change}")


@pytest.mark.deep
def test_a_start_where_an_administrator_is_makes_no_owner(tmp_path):
    started_site(tmp_path, "UPDATE accounts_user SET username = 'grace'")
    site = Site(tmp_path)
    try:
        unknown = site.manage("sign_in_link", "owner", check=False)
    finally:
        site.stop()

    assert "Sign in as grace with this link" in site.log()
    assert "There is no account named 'owner'. Accounts: grace." in unknown.stderr


def test_no_log_of_the_server_contains_the_secret_of_a_link(tmp_path):
    """Not even the access log, which an operator can switch on."""
    site = Site(
        tmp_path, GRANIAN_LOG_ACCESS_ENABLED="true", GRANIAN_LOG_LEVEL="debug", LOG_LEVEL="DEBUG"
    )
    link = site.sign_in_link
    secret = link.split("/")[-2]
    try:
        with httpx.Client(timeout=60) as browser:
            for method in ("HEAD", "OPTIONS", "GET", "POST", "PUT", "DELETE", "TRACE", "PROPFIND"):
                browser.request(method, link)
            browser.get(link, headers={"Host": "evil.example"})
            browser.post(link, headers={"Origin": "https://evil.example"})
            browser.get(f"{site.url}//sign-in/{secret}/")
            browser.get(f"{link}?next=/sign-in/{secret}/")
            browser.get(f"{site.url}/add/", headers={"Referer": link})
            assert sign_in(browser, link).status_code == 302
            assert browser.get(link).status_code == 410
    finally:
        site.stop()

    log = site.log()
    assert secret not in log
    assert '"HEAD /sign-in/…/ HTTP/1.1" 200' in log
    assert "Method Not Allowed: /sign-in/link/" in log


def test_static_files_are_hashed_compressed_and_cached_forever(site):
    page = httpx.get(site.url, timeout=60).text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]

    answer = httpx.get(site.url + address, headers={"Accept-Encoding": "br"}, timeout=60)

    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]


def test_a_port_in_use_is_reported_in_one_sentence_and_headers_only_with_a_proxy(tmp_path):
    ended = serve_in_vain(tmp_path)

    assert ended.returncode == 1
    assert "Cannot listen" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "TRUST_PROXY" not in ended.stderr


@pytest.mark.deep
def test_a_first_start_for_other_machines_prints_a_set_up_link_and_opens_nothing_without_it(
    tmp_path,
):
    started_site(tmp_path, "DELETE FROM accounts_user_groups; DELETE FROM accounts_user")
    site = Site(tmp_path, host="0.0.0.0")
    link = site.sign_in_link
    try:
        with httpx.Client(base_url=link.partition("/sign-in/")[0], timeout=60) as browser:
            assert browser.get("/account/tokens/").status_code == 302
            assert "no administrator yet" in browser.get("/sign-in/").text
            token = re.search(
                r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', browser.get(link).text
            )
            form = {"username": "grace", "password1": "correct horse", "password2": "correct horse"}
            assert (
                browser.post(link, data={"csrfmiddlewaretoken": token[1], **form}).status_code
                == 302
            )
            assert browser.get("/account/tokens/").status_code == 200
    finally:
        site.stop()

    assert "This site has no administrator yet." in site.log()
    assert "Accounts: grace." in site.manage("sign_in_link", "owner", check=False).stderr


def test_an_invalid_setting_stops_the_start_and_names_the_accepted_values(tmp_path):
    ended = serve(tmp_path, TOOLSHELF_RUNNER="cloud")

    assert ended.returncode != 0
    assert "TOOLSHELF_RUNNER is 'cloud'" in ended.stderr
    assert "local" in ended.stderr


def test_a_wildcard_for_hosts_stops_the_start(tmp_path):
    ended = serve(tmp_path, ALLOWED_HOSTS="*")

    assert ended.returncode != 0
    assert "exact host names" in ended.stderr


@pytest.mark.deep
def test_two_data_directories_are_two_sites(site, tmp_path):
    other = Site(tmp_path)
    try:
        token = other.token("robot")

        assert (
            httpx.get(
                f"{other.url}/api/v1/runs", headers={"Authorization": f"Bearer {token}"}, timeout=60
            ).status_code
            == 200
        )
        assert (
            httpx.get(
                f"{site.url}/api/v1/runs", headers={"Authorization": f"Bearer {token}"}, timeout=60
            ).status_code
            == 401
        )
    finally:
        other.stop()


def test_a_killed_worker_is_replaced(site):
    workers = subprocess.run(
        ["ps", "--ppid", str(site.process.pid), "-o", "pid="],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert workers

    os.kill(int(workers[-1]), signal.SIGKILL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        now = subprocess.run(
            ["ps", "--ppid", str(site.process.pid), "-o", "pid="],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        if len(now) >= len(workers) and workers[-1] not in now and site.is_up():
            break
        time.sleep(0.1)
    else:
        pytest.fail("no new worker")

    assert httpx.get(site.url, timeout=60).status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_a_start_imports_each_module_once_for_all_processes(tmp_path):
    site = Site(tmp_path, PYTHONPROFILEIMPORTTIME="1", TOOLSHELF_WEB_PROCESSES="2")
    try:
        httpx.get(f"{site.url}/", timeout=60)
    finally:
        site.stop()

    imported = re.findall(r"^import time: .*\| +(\S+)$", site.log(), re.MULTILINE)
    for module in (
        "django.urls",
        "ninja",
        "catalog.tools.models",
        "accounts.views",
        "playground.runs.supervisor",
    ):
        assert imported.count(module) == 1, module
    assert imported.count("config.wsgi") == 2  # each process has its own


def test_the_server_prints_no_useless_warnings(site):
    assert "[WARNING]" not in site.log()


def test_sighup_looks_for_new_factories_and_ends_no_process(tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    site = Site(tmp_path, PYTHONPATH=str(packages), TOOLSHELF_WEB_PROCESSES="1")
    try:
        before = children_of(site.process.pid)
        assert not lists_later(
            site
        )  # so its one process has looked for factories before there is a new one
        metadata = packages / "later_tools-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: later-tools\nVersion: 1.0\n"
        )
        (metadata / "entry_points.txt").write_text("[toolshelf.factories]\nlater = later_tools:F\n")
        assert not lists_later(site)

        site.process.send_signal(signal.SIGHUP)

        assert soon(lambda: lists_later(site), within_s=30)
        assert children_of(site.process.pid) == before
    finally:
        site.stop()


def lists_later(site):
    items = httpx.get(f"{site.url}/api/v1/factories", timeout=60).json()["items"]
    return "later_tools:F" in {item["reference"] for item in items}


def children_of(pid):
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


STARTING = """
import os, signal, time
import django
django.setup()
from config.server.draining import stop_with_main_process
signal.signal(signal.SIGTERM, lambda *_: None)  # as the main process drains
if os.fork():
    time.sleep(60)
stop_with_main_process()
print("starting", flush=True)
time.sleep(60)
print("It served on.")
"""


def test_a_server_process_whose_main_process_is_killed_while_it_starts_ends(tmp_path):
    main = subprocess.Popen(
        [sys.executable, "-c", STARTING],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "TOOLSHELF_DATA_DIR": str(tmp_path),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert main.stdout is not None
    main.stdout.readline()

    main.kill()

    assert main.stdout.read() == ""  # reads until both have ended
    main.stdout.close()
    main.wait(10)


def test_a_start_after_an_upgrade_builds_the_search_index_again(site):
    site.stop()
    site.manage("migrate", "catalog", "0001", "--verbosity", "0")
    site.start()

    found = httpx.get(f"{site.url}/api/v1/tools", params={"q": "convert units"}, timeout=60).json()[
        "items"
    ]

    assert "tools indexed" in site.log()
    assert found[0]["id"] == "convert_units"
