"""docs/write-a-tool.md, followed to the letter: on an empty machine, beside a running site."""

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import time
import venv
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.playground.runners import soon
from tests.sdk.wheels import pack_wheels
from tests.site import Site, sign_in

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "write-a-tool.md").read_text()
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    language: str
    file: str
    text: str
    section: str


def blocks_of(section=""):
    """The code blocks, in their order; of one section, if it is named."""
    found = [
        Block(
            *match.groups(default=""),
            re.findall(r"^## (.+)$", DOCUMENT[: match.start()], re.MULTILINE)[-1:],
        )
        for match in BLOCK.finditer(DOCUMENT)
    ]
    return [each for each in found if not section or each.section == [section]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("author")
    for each in (folder, folder.parent, folder.parent.parent):
        each.chmod(0o755)  # tools run as another user where that is possible
    return folder


@pytest.fixture(scope="module")
def checkout(folder):
    """A checkout with an environment of its own, which has what this one has; so packages can be installed into it."""
    checkout = folder / "toolshelf"
    checkout.mkdir()
    for name in ("sdk", "manage.py", "Makefile"):
        (checkout / name).symlink_to(ROOT / name)
    venv.create(checkout / ".venv", with_pip=True)
    packages = next((checkout / ".venv").glob("lib/python*/site-packages"))
    (packages / "site.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT / 'sdk' / 'src'}\n")
    return checkout


@pytest.fixture(scope="module")
def site(checkout, tmp_path_factory):
    python = str(checkout / ".venv" / "bin" / "python")
    # As it is without settings: it has listed the factories before the tool's author installs one.
    site = Site(tmp_path_factory.mktemp("site"), python=python, settings={"PRELOAD_TOOLS": True})
    yield site
    site.stop()


@pytest.fixture(scope="module")
def author(folder, checkout):
    """A person with a shell, who follows the document; no package index is reached."""
    wheels = folder / "wheels"
    wheels.mkdir()
    pack_wheels(wheels, "pydantic", "jsonschema", "pytest", "hatchling")
    return Author(folder, checkout, wheels)


class Author:
    def __init__(self, folder, checkout, wheels):
        self.folder = folder
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ},
            "TOOLSHELF": str(checkout),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(wheels),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_CACHE_DIR": "1",
        }
        self.environment["PATH"] = f"{Path(sys.executable).parent}:{self.environment['PATH']}"

    def follow(self, section=""):
        """Follow the blocks of a section: run commands, write files, change them. The output of all commands."""
        output = ""
        for block in blocks_of(section):
            path = self.folder / block.file
            if block.language == "sh":
                output += self.run(block.text)
            elif block.language == "diff":
                self.change(path, block.text)
            elif block.file:
                path.write_text(block.text)
        return output

    def run(self, script):
        """Run a script in the folder where the last one ended."""
        script = f"set -euo pipefail\n{script}\npwd > {shlex.quote(str(self.folder / '.ended'))}"
        ended = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        self.folder = Path((self.folder / ".ended").read_text().strip())
        return ended.stdout

    def change(self, path, diff):
        """Replace the lines with `-` by those with `+`, hunk by hunk."""
        text = path.read_text()
        for hunk in diff.split("@@\n"):
            before, after = (
                "".join(line[1:] + "\n" for line in hunk.splitlines() if line[0] == sign)
                for sign in ("-", "+")
            )
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        path.write_text(text)


def outputs(section):
    return [block.text for block in blocks_of(section) if block.language == "text"]


def post(browser, page, action, **fields):
    """Press the button of the form with this action on a page; the answer, after redirects."""
    form = (
        LexborHTMLParser(browser.get(page).text).css_first(f'form[action="{action}"]')
        if action
        else None
    )
    form = form or LexborHTMLParser(browser.get(page).text).css_first("main form[method=post]")
    hidden = {
        each.attributes["name"]: each.attributes.get("value") or ""
        for each in form.css("input[type=hidden]")
    }
    target = str(httpx.URL(page).join(form.attributes.get("action") or ""))
    return browser.post(
        target, data={**hidden, **fields}, headers={"Referer": page}, follow_redirects=True
    )


@pytest.mark.deep
def test_a_tool_is_written_published_run_and_fixed_as_the_document_describes(author, site):
    # The commands before the first section make an environment with the package of sdk/.
    assert author.run(next(iter(blocks_of())).text) == ""

    text = author.follow("Write the function")
    spec, end = json.JSONDecoder().raw_decode(text)
    assert spec["definition"]["parameters"]["properties"]["words_per_minute"]["minimum"] == 50
    assert [text[end:].strip() + "\n"] == outputs("Write the function")

    assert "2 passed" in author.follow("Test it")
    author.follow("Install it into Toolshelf")

    with httpx.Client(base_url=site.url, timeout=60) as browser:
        sign_in(browser, site.sign_in_link)
        factories = f"{site.url}/factories/"

        # Look for new factories, and publish the spec
        assert "reading_time" not in browser.get(factories).text
        rescan(browser, factories)
        assert soon(lambda: "not in the catalog yet" in browser.get(factories).text)
        links = LexborHTMLParser(browser.get(factories).text).css("a.button")
        publish = next(
            each.attributes["href"] for each in links if "Publish its spec" in each.text()
        )
        published = post(browser, f"{site.url}{publish}", None)
        assert published.status_code == 200
        tool = browser.get("/api/v1/tools/reading_time").json()
        assert tool["spec"]["definition"] == spec["definition"]

        # It runs, and fails
        token = site.token("ada", "run")
        example = run(browser, token, spec["definition"]["examples"][0]["parameters"])
        assert (example["outcome"], example["verdict"]) == ("returned", "conforms")
        assert example["response"] == spec["definition"]["examples"][0]["returnValue"]
        assert "INFO reading_time: 5 words" in example["logs"]["stderr"]
        failed = run(browser, token, {"text": " "})
        assert failed["outcome"] == "raised"
        assert outputs("Let it fail, and fix it")[0].strip() in failed["error"]

        # It is fixed
        assert "2 passed" in author.follow("Let it fail, and fix it")
        rescan(browser, factories)
        assert soon(lambda: run_again(browser, token, failed)["error"] == "The text has no words.")


def rescan(browser, factories):
    assert post(browser, factories, "/factories/").status_code == 200


def run(browser, token, parameters):
    """One run of the tool, once it has ended."""
    headers = {"Authorization": f"Bearer {token}"}
    answer = browser.post(
        "/api/v1/tools/reading_time/runs", json={"parameters": parameters}, headers=headers
    )
    assert answer.status_code in {200, 201, 202}, answer.text
    return answer.json()


def run_again(browser, token, ended):
    """One more run like this one, started a second after the last."""
    time.sleep(1)
    answer = browser.post(
        f"/api/v1/runs/{ended['id']}/again", headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.is_success, answer.text
    return answer.json()


@pytest.mark.deep
def test_the_class_in_the_document_is_checked(author):
    if author.folder.name != "reading-time":  # the test above was not selected
        author.run(next(iter(blocks_of())).text)

    assert author.follow("Classes instead of functions") == (
        "count_characters\n  ok    definition\n  ok    example 1\n2 passed, 0 failed.\n"
    )
