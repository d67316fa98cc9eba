"""The package for authors of tools: the site serves its wheel, and nothing takes it from an index."""

import os
import re
import shutil
import subprocess
import tomllib
import venv
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command

from catalog.exports.sdk_wheel import build_wheel, sdk_wheel
from catalog.tools.publishing import publish
from tests.corpora import GET_WEATHER
from tests.sdk.wheels import pack_wheels
from tests.site import Site
from toolspec.spec import read_spec

ROOT = Path(__file__).resolve().parents[3]
SLUG = "get-weather-498ebfb0"
REQUIREMENT = re.compile(
    r"toolshelf-tools(\[testing\])? @ (?P<url>http://[^#]+)#sha256=(?P<hash>[0-9a-f]{64})"
)
NAMED_ALONE = re.compile(r"(?:\binstall\b.*|[\"'])toolshelf-tools(?:\[[a-z,]*\])?(?! @ )[\"'\s,]")


@pytest.fixture
def weather(ada):
    return publish(read_spec(GET_WEATHER.read_bytes()), by=ada).tool


def requirements_of(pyproject):
    """The requirements of a generated project that name the package."""
    project = tomllib.loads(pyproject)["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    return [each for each in listed if "toolshelf" in each]


def pyproject_from(archive):
    with zipfile.ZipFile(BytesIO(archive)) as unpacked:
        return unpacked.read(f"{SLUG}-python/pyproject.toml").decode()


def test_equal_sources_make_equal_bytes(tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "sdk", copy, copy_function=shutil.copyfile)
    for path in copy.rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (0, 0))

    wheels = [sdk_wheel(), build_wheel(ROOT / "sdk"), build_wheel(copy)]

    assert len({(wheel.name, wheel.content) for wheel in wheels}) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("is_open", [True, False])
def test_a_generated_project_names_a_wheel_that_the_site_serves_without_signing_in(
    weather, program, client, settings, is_open
):
    settings.ANONYMOUS_BROWSING = is_open
    pyproject = pyproject_from(program.get(f"/api/v1/tools/{SLUG}/code/python").content)
    requirements = [REQUIREMENT.fullmatch(each) for each in requirements_of(pyproject)]

    for requirement in requirements:
        served = client.get(requirement["url"].removeprefix("http://testserver"))

        assert served.status_code == 200
        assert sha256(served.content).hexdigest() == requirement["hash"]
    assert len(requirements) == 2


@pytest.mark.django_db
def test_the_address_of_the_wheel_is_that_by_which_the_site_was_asked(weather, program, settings):
    settings.ALLOWED_HOSTS = ["tools.example.org", "testserver"]
    path = f"/api/v1/tools/{SLUG}/code/python"
    program.get(path)

    pyproject = pyproject_from(program.get(path, headers={"Host": "tools.example.org"}).content)

    for requirement in requirements_of(pyproject):
        assert " @ http://tools.example.org/packages/" in requirement


@pytest.mark.django_db
def test_no_other_file_is_served_beside_the_wheel(client):
    assert client.get("/packages/toolshelf_tools-9.9.9-py3-none-any.whl").status_code == 404
    assert client.get("/packages/..%2Fsettings.py").status_code == 404


@pytest.mark.django_db
def test_the_command_names_the_folder_of_the_package(weather, tmp_path):
    call_command("generate_tool", "Get weather", "--language", "python", "--out", str(tmp_path))

    requirements = requirements_of((tmp_path / "pyproject.toml").read_text())
    folder = (ROOT / "sdk").as_uri()
    assert requirements == [f"toolshelf-tools @ {folder}", f"toolshelf-tools[testing] @ {folder}"]


def text_files():
    """The files from which people copy commands and requirements."""
    for folder in (
        "docs",
        "templates",
        "accounts",
        "catalog",
        "playground",
        "toolshelf_core",
        "toolspec",
        "sdk",
        "tests/factory_package",
    ):
        paths = (ROOT / folder).rglob("*")
        yield from (
            path for path in paths if path.suffix in {".md", ".html", ".py", ".toml", ".txt"}
        )
    yield from (ROOT / name for name in ("README.md", "Makefile", "Containerfile"))


@pytest.mark.unit
def test_nothing_names_the_package_without_its_address():
    own_name = ROOT / "sdk" / "pyproject.toml"

    named = {
        path for path in text_files() if path != own_name and NAMED_ALONE.search(path.read_text())
    }

    assert named == set()
    assert NAMED_ALONE.search('dependencies = ["pydantic", "toolshelf-tools"]')
    assert NAMED_ALONE.search("pip install toolshelf-tools\n")


@pytest.mark.deep
def test_a_generated_project_installs_from_the_site_with_verified_hashes_and_its_tests_run(
    tmp_path,
):
    site = Site(tmp_path / "site")
    try:
        archive = httpx.get(f"{site.url}/api/v1/tools/{SLUG}/code/python", timeout=60).content
        with zipfile.ZipFile(BytesIO(archive)) as unpacked:
            unpacked.extractall(tmp_path)
        project = tmp_path / f"{SLUG}-python"
        venv.create(tmp_path / "venv", with_pip=True)
        wheels = tmp_path / "wheels"
        wheels.mkdir()
        pack_wheels(wheels, "pydantic", "jsonschema", "pytest", "mypy", "hatchling")

        def run(*arguments):
            command = [str(tmp_path / "venv" / "bin" / "python"), "-m", *arguments]
            environment = {
                "PATH": "/usr/bin:/bin",
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_CACHE_DIR": "1",
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": str(wheels),
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            }
            return subprocess.run(
                command, cwd=project, env=environment, capture_output=True, text=True, check=False
            )

        pyproject = project / "pyproject.toml"
        right = pyproject.read_text()
        pyproject.write_text(right.replace(sdk_wheel().sha256, "0" * 64))
        refused = run("pip", "install", ".[test]")
        pyproject.write_text(right)
        installed = run("pip", "install", ".[test]")
        tested = run("pytest", "-q")
    finally:
        site.stop()

    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert installed.returncode == 0, installed.stderr
    assert "NotImplementedError: Implement GetWeatherTool.call" in tested.stdout
    assert "1 passed" in tested.stdout, tested.stdout
