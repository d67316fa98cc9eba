"""Starting the server: what it prepares, prints and refuses."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from tests.site import ROOT, Site, free_port, sign_in


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


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
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


def test_the_first_start_creates_the_owner_and_says_so_by_name(site):
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

    printed = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)

    assert printed.stdout.startswith(f"{site.url}/sign-in/")


def test_the_link_under_https_has_the_public_name(tmp_path):
    site = Site(tmp_path, TOOLSHELF_HTTPS="1", TRUST_PROXY="1", ALLOWED_HOSTS="shelf.example.org 127.0.0.1")
    try:
        other = subprocess.run(
            [sys.executable, "manage.py", "sign_in_link"],
            cwd=ROOT,
            env={**os.environ, "TOOLSHELF_DATA_DIR": str(tmp_path)},  # a shell without the settings of the server
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    finally:
        site.stop()

    assert site.sign_in_link.startswith("https://shelf.example.org/sign-in/")
    assert other.stdout.startswith("https://shelf.example.org/sign-in/")


def test_a_start_where_an_administrator_is_makes_no_owner(tmp_path):
    environment = {**os.environ, "TOOLSHELF_DATA_DIR": str(tmp_path), "DJANGO_SUPERUSER_PASSWORD": "correct horse"}
    words = ["createsuperuser", "--noinput", "--username", "grace", "--email", "grace@example.org"]
    for command in (["migrate", "--verbosity", "0"], words):
        subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment, timeout=60, check=True)
    site = Site(tmp_path)
    try:
        unknown = site.manage("sign_in_link", "owner", check=False)
    finally:
        site.stop()

    assert "Sign in as grace with this link" in site.log()
    assert "There is no account named 'owner'. Accounts: grace." in unknown.stderr


def test_no_log_of_the_server_holds_the_secret_of_a_link(tmp_path):
    """Not even the access log, which an operator can switch on."""
    site = Site(tmp_path, GRANIAN_LOG_ACCESS_ENABLED="true", GRANIAN_LOG_LEVEL="debug", LOG_LEVEL="DEBUG")
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
            browser.get(f"{site.url}/upload/", headers={"Referer": link})
            assert sign_in(browser, link).status_code == 302
            assert browser.get(link).status_code == 410
    finally:
        site.stop()

    log = site.log()
    assert secret not in log
    assert '"HEAD /sign-in/…/ HTTP/1.1" 200' in log
    assert "Method Not Allowed: /sign-in/link/" in log


def test_static_files_are_hashed_compressed_and_kept_for_ever(site):
    page = httpx.get(site.url, timeout=60).text
    address = page.split('rel="stylesheet" href="')[1].split('"')[0]

    answer = httpx.get(site.url + address, headers={"Accept-Encoding": "br"}, timeout=60)

    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]


def test_a_port_in_use_is_told_plainly(tmp_path):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()

        ended = serve(tmp_path, "--port", str(holder.getsockname()[1]))

    assert ended.returncode == 1
    assert "Cannot listen" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_other_machines_are_not_served_before_somebody_has_a_password(tmp_path):
    ended = serve(tmp_path, "--host", "0.0.0.0", "--port", str(free_port()))

    assert ended.returncode == 1
    assert "createsuperuser" in ended.stderr


def test_a_wrong_setting_stops_the_start_and_names_what_is_accepted(tmp_path):
    ended = serve(tmp_path, TOOLSHELF_RUNNER="cloud")

    assert ended.returncode != 0
    assert "TOOLSHELF_RUNNER is 'cloud'" in ended.stderr
    assert "local" in ended.stderr


def test_a_wildcard_for_hosts_stops_the_start(tmp_path):
    ended = serve(tmp_path, ALLOWED_HOSTS="*")

    assert ended.returncode != 0
    assert "exact host names" in ended.stderr


def test_two_data_directories_are_two_sites(site, tmp_path):
    other = Site(tmp_path)
    try:
        token = other.token("robot")

        assert (
            httpx.get(f"{other.url}/api/v1/runs", headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code
            == 200
        )
        assert (
            httpx.get(f"{site.url}/api/v1/runs", headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code
            == 401
        )
    finally:
        other.stop()


def test_a_killed_worker_is_replaced(site):
    workers = subprocess.run(
        ["ps", "--ppid", str(site.process.pid), "-o", "pid="], capture_output=True, text=True, check=True
    ).stdout.split()
    assert workers

    os.kill(int(workers[-1]), signal.SIGKILL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        now = subprocess.run(
            ["ps", "--ppid", str(site.process.pid), "-o", "pid="], capture_output=True, text=True, check=True
        ).stdout.split()
        if len(now) >= len(workers) and workers[-1] not in now and site.is_up():
            break
        time.sleep(0.1)
    else:
        pytest.fail("no new worker")

    assert httpx.get(site.url, timeout=60).status_code == 200


def test_the_server_says_nothing_that_nobody_can_use(site):
    assert "[WARNING]" not in site.log()
