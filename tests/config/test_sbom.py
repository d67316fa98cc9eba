"""The list of parts names every locked package and every vendored file, once."""

import io
import json
import re

from django.core.management import call_command

from tests.site import ROOT


def parts():
    out = io.StringIO()
    call_command("sbom", stdout=out)
    return json.loads(out.getvalue())


def test_every_locked_package_is_listed_with_its_version():
    listed = {
        part["purl"]: part["scope"] for part in parts()["components"] if part["type"] == "library"
    }

    for file, scope in (("base.txt", "required"), ("team.txt", None)):
        locked = re.findall(
            r"^([\w.-]+)(?:\[\S+\])?==([^\s;]+)",
            (ROOT / "requirements" / file).read_text(),
            re.MULTILINE,
        )
        assert locked
        for name, version in locked:
            found = listed[f"pkg:pypi/{name.lower().replace('_', '-').replace('.', '-')}@{version}"]
            assert scope in {None, found}


def test_every_vendored_file_is_listed_with_its_hash_and_packages():
    files = {part["name"]: part for part in parts()["components"] if part["type"] == "file"}
    vendored = {f"static/vendor/{path.name}" for path in (ROOT / "static" / "vendor").iterdir()}

    assert set(files) == vendored - {"static/vendor/VENDOR.md", "static/vendor/LICENSES.txt"}
    htmx = files["static/vendor/htmx.min.js"]
    assert htmx["components"][0]["purl"].startswith("pkg:npm/htmx.org@")
    assert len(htmx["hashes"][0]["content"]) == 64


def test_the_list_has_the_members_that_cyclonedx_requires_and_each_part_once():
    bill = parts()
    references = [part["bom-ref"] for part in bill["components"]]

    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert bill["metadata"]["component"]["name"] == "toolshelf"
    assert len(references) == len(set(references))
