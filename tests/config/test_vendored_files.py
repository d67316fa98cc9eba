"""Other people's files are the ones that are recorded, with their licences."""

import hashlib
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "browser" / "vendor"]
ROW = re.compile(
    r"^\| `(?P<file>[^`]+)` \| (?P<packages>[^|]+) \| [^|]+ \| `(?P<sha256>[0-9a-f]{64})` \|$",
    re.MULTILINE,
)


def records(folder):
    return list(ROW.finditer((folder / "VENDOR.md").read_text("utf-8")))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_vendored_file_is_the_recorded_one(folder):
    recorded = {row["file"]: row["sha256"] for row in records(folder)}

    present = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()
    }

    assert {name: present[name] for name in recorded} == recorded
    assert set(present) - set(recorded) == {"VENDOR.md", "LICENSES.txt"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_vendored_package_comes_with_its_licence(folder):
    packages = {package for row in records(folder) for package in row["packages"].split(", ")}

    licences = (folder / "LICENSES.txt").read_text("utf-8")

    assert packages
    assert [package for package in packages if f"{package}\n\n" not in licences] == []


def test_the_recorded_versions_are_the_locked_ones():
    lock = (ROOT / "frontend" / "package-lock.json").read_text("utf-8")
    packages = {
        package
        for folder in FOLDERS
        for row in records(folder)
        for package in row["packages"].split(", ")
    }

    for package in packages:
        name, version = package.rsplit(" ", 1)
        assert re.search(
            rf'"node_modules/{re.escape(name)}": {{\s+"version": "{re.escape(version)}"', lock
        ), package
