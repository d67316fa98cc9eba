"""The official JSON-Schema-Test-Suite, for tests that run it as data.

It comes inside the source distribution of `jsonschema`, in `json/`. That is downloaded once per machine by pip, pinned
by version and SHA-256, and unpacked into `.cache/` (not in git). Without it these tests fail; they do not skip.

    cases("draft2020-12")     every group of tests, with its schema
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from toolspec.text.reader import Number

VERSION = "4.26.0"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
ARCHIVE = f"jsonschema-{VERSION}.tar.gz"
CACHE = Path(__file__).resolve().parent.parent / ".cache" / "json-schema-test-suite"


def read_number(text: str) -> Number | Decimal:
    """Like the strict reader; the suite contains a few numbers that it refuses."""
    try:
        return Number(text)
    except ValueError:
        return Decimal(text)


@dataclass(frozen=True)
class SuiteTest:
    """One value, and whether it is valid."""

    description: str
    data: Any
    valid: bool


@dataclass(frozen=True)
class SuiteCase:
    """One schema and the values it is tried with; `file` ("optional/bignum.json") is relative to the draft."""

    draft: str
    file: str
    description: str
    schema: Any
    tests: tuple[SuiteTest, ...]

    @property
    def name(self) -> str:
        return f"{self.file}: {self.description}"


def cases(
    draft: str, *, optional: bool = False, parse_float: Callable[[str], Any] | None = None
) -> Iterator[SuiteCase]:
    """The groups of `draft` ("draft4" … "draft2020-12"): the required ones, or those of `optional/` and below."""
    folder = suite_folder() / "tests" / draft
    paths = sorted((folder / "optional").rglob("*.json") if optional else folder.glob("*.json"))
    for path in paths:
        for group in json.loads(path.read_text(encoding="utf-8"), parse_float=parse_float):
            yield SuiteCase(
                draft=draft,
                file=path.relative_to(folder).as_posix(),
                description=group["description"],
                schema=group["schema"],
                tests=tuple(
                    SuiteTest(test["description"], test["data"], test["valid"])
                    for test in group["tests"]
                ),
            )


@cache
def suite_folder() -> Path:
    """The unpacked suite; downloaded now where this machine does not have it yet.

    Raises:
        RuntimeError: it cannot be downloaded, or its hash differs from the pinned one.
    """
    ready = CACHE / f"jsonschema-{VERSION}" / "json"
    if not ready.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as workshop:
            unpacked = _unpack(_download(Path(workshop)), Path(workshop))
            try:
                unpacked.rename(ready.parent)
            except OSError:  # another test process was first
                if not ready.is_dir():
                    raise
    return ready


def _download(folder: Path) -> Path:
    pinned = folder / "pinned.txt"
    pinned.write_text(f"jsonschema=={VERSION} --hash=sha256:{SHA256}\n")
    arguments = [
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        "jsonschema",
        "--require-hashes",
    ]
    output = ""
    for pip in _pips():
        run = subprocess.run(
            [*pip, *arguments, "--dest", str(folder), "--requirement", str(pinned)],
            capture_output=True,
            text=True,
            check=False,
        )
        archive = folder / ARCHIVE
        if run.returncode == 0 and archive.is_file():
            if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
                raise RuntimeError(f"{ARCHIVE} is not what was pinned.")
            return archive
        output += run.stderr
    raise RuntimeError(
        f"The JSON-Schema-Test-Suite could not be downloaded by pip:\n{output or 'there is no pip'}"
    )


def _pips() -> Iterator[list[str]]:
    """The ways to call pip: of this environment, of the Python it was made from, on the path."""
    for python in dict.fromkeys([sys.executable, getattr(sys, "_base_executable", sys.executable)]):
        yield [python, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found:
        yield [found]


def _unpack(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        top = f"jsonschema-{VERSION}"
        members = [member for member in tar.getmembers() if member.name.startswith(f"{top}/json/")]
        tar.extractall(folder, members, filter="data")
    return folder / top
