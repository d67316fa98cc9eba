"""The guides of docs/, followed to the letter beside a running site: each command, file and change."""

import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.site import Site, free_port

pytestmark = pytest.mark.deep
ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(\w+) ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)


class Reader:
    """Somebody who follows a guide in the folder of Toolshelf.

    Attributes:
        outputs: what each command block printed, in their order.
    """

    def __init__(self, folder, site):
        self.folder = folder
        self.port = free_port()
        self.actual = {
            ".venv/bin/python": sys.executable,
            "http://127.0.0.1:8000": site.url,
            "https://tools.example.org": site.url,
            "/srv/toolshelf": str(folder),
            "9000": str(self.port),
        }
        (folder / "manage.py").symlink_to(ROOT / "manage.py")
        self.environment = site.environment | {"GITHUB_WORKSPACE": str(folder)}
        del self.environment["DJANGO_SETTINGS_MODULE"]  # that of the tests
        self.server = None
        self.outputs = []

    def follow(self, guide):
        """Follow all blocks of a guide."""
        for language, name, text in BLOCK.findall((ROOT / "docs" / f"{guide}.md").read_text()):
            self.follow_block(language, name, self.fill_in(text))

    def follow_block(self, language, name, text):
        if language == "sh" and name == "Third shell":
            self.start_server(text)
        elif language == "sh":
            self.run(text, fails=name == "Exit code 1")
        elif language == "yaml":
            self.run(re.search(r"- run: (.+)", text)[1], fails=True)
        elif language == "diff":
            self.change(self.folder / name, text)
        elif name:
            (self.folder / name).write_text(text)

    def fill_in(self, text):
        """The text with the addresses of this site, and with this Python, which each user may read."""
        for documented, actual in self.actual.items():
            text = text.replace(documented, actual)
        return text

    def run(self, script, *, fails):
        """Run commands in a shell that has the variables of the last one."""
        exported = self.folder / ".exported"
        script = f'set -euo pipefail\n{script}\nprintf %s "${{TOOLSHELF_TOKEN:-}}" > {exported}'
        ended = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert ended.returncode == int(fails), ended.stdout + ended.stderr
        if not fails:
            self.environment["TOOLSHELF_TOKEN"] = exported.read_text()
        self.outputs.append(ended.stdout + ended.stderr)

    def start_server(self, command):
        self.stop_server()
        self.server = subprocess.Popen(
            command.split(), cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        )
        answer = None
        while answer is None:
            assert self.server.poll() is None
            with suppress(httpx.TransportError):
                answer = httpx.get(f"http://127.0.0.1:{self.port}/mcp")
            time.sleep(0.1)

    def stop_server(self):
        if self.server is not None:
            self.server.terminate()
            self.server.wait()

    def change(self, file, diff):
        """Replace the line with `-` by the one with `+`."""
        before, after = diff.splitlines()
        text = file.read_text()
        assert text.count(before[1:]) == 1
        file.write_text(text.replace(before[1:], after[1:]))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


@pytest.fixture
def reader(tmp_path, site):
    reader = Reader(tmp_path, site)
    yield reader
    reader.stop_server()


def test_a_server_is_put_under_contract(reader):
    reader.follow("contract")

    _, matching, examples, refused, sync = reader.outputs
    assert '"verdict": "conforms"' in matching
    assert "0 failed" in examples
    assert '"outcome": "returned"' not in refused
    assert "day" in refused
    assert '"held": 1' in sync


def test_a_breaking_change_is_stopped_in_ci(reader):
    reader.follow("ci")

    _, before, after, in_ci = reader.outputs
    assert "refused" not in before
    expected = "1 of 1 call of the last 30 days would be refused. Run "
    assert expected in after
    assert expected in in_ci


def test_a_server_is_mocked_for_the_tests_of_an_agent(reader):
    reader.follow("mocks")

    assert "3 passed" in reader.outputs[-1]
