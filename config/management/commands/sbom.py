"""List the parts of Toolshelf (a software bill of materials) as CycloneDX JSON.

Source: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/, and the package URL specification.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from django.conf import settings

from catalog.commands import BaseCommand

LOCK_FILES: Final = (("base.txt", "required"), ("team.txt", "optional"))
_LOCKED: Final = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)", re.MULTILINE
)
_VENDORED: Final = re.compile(
    r"^\| `(?P<file>[^`]+)` \| (?P<packages>[^|]+) \| (?P<licence>[^|]+) \| `(?P<sha256>[0-9a-f]{64})` \|$",
    re.MULTILINE,
)


class Command(BaseCommand):
    requires_system_checks = []
    help = "Print the parts of Toolshelf, with versions, as CycloneDX JSON: locked packages and vendored files."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        self.stdout.write(json.dumps(bill_of_materials(settings.BASE_DIR), indent=2))


def bill_of_materials(root: Path) -> dict[str, Any]:
    """The parts by the lock files of `root` and the records of its vendored files."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "toolshelf",
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [
            *locked_packages(root / "requirements"),
            *vendored_files(root / "static" / "vendor"),
        ],
    }


def locked_packages(folder: Path) -> list[dict[str, Any]]:
    """The Python packages of the lock files; "optional" are those that only many machines need."""
    found: dict[str, dict[str, Any]] = {}
    for file, scope in LOCK_FILES:
        for locked in _LOCKED.finditer((folder / file).read_text("utf-8")):
            name, version = re.sub("[-_.]+", "-", locked["name"]).lower(), locked["version"]
            url = f"pkg:pypi/{name}@{version}"
            found.setdefault(url, library(name, version, url) | {"scope": scope})
    return list(found.values())


def vendored_files(folder: Path) -> list[dict[str, Any]]:
    """The front-end files with their hashes, each with the packages that it is made from."""
    files = []
    for row in _VENDORED.finditer((folder / "VENDOR.md").read_text("utf-8")):
        packages = [package.rsplit(" ", 1) for package in row["packages"].split(", ")]
        files.append(
            {
                "type": "file",
                "bom-ref": f"static/vendor/{row['file']}",
                "name": f"static/vendor/{row['file']}",
                "hashes": [{"alg": "SHA-256", "content": row["sha256"]}],
                "licenses": [{"license": {"name": row["licence"].strip()}}],
                "components": [
                    library(name, version, f"pkg:npm/{quote(name, safe='/')}@{version}")
                    for name, version in packages
                ],
            }
        )
    return files


def library(name: str, version: str, url: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
