"""Source code that is generated from a spec: a project of files for each language.

    python_package   a Python package that implements the tool: models, definition, factory, test
    java_project     a Maven project that implements the tool

A spec is a stranger's text. In the generated code its values are string literals, comments and
names that the generators make; none of it becomes code, and references in it are not fetched.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from toolspec.errors import GenerationError
from toolspec.spec import ToolSpec

SDK_FOLDER: Final = (Path(__file__).resolve().parents[2] / "sdk").as_uri()

Project = Mapping[str, str]
"""The files of a project: relative path, with "/" between folders -> text."""

MAX_PROJECT_CHARACTERS: Final = 8 * 1024 * 1024  # of all files; a spec has at most 1 MiB

_PATH: Final = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")

# A fixed time and a fixed system make equal projects equal ZIP files, so that they can be compared
# and cached.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_REGULAR_FILE: Final = 0o100644


@dataclass(frozen=True, slots=True)
class Language:
    """One kind of project.

    Attributes:
        key: what commands and URLs call it.
        label: what people call it.
        summary: one sentence about the project.
        module: of this package with the function, imported when the language is first used.
        function: (ToolSpec) -> dict[path, text].
        needs_sdk: the function also takes the argument `sdk` of `generate_project`.
    """

    key: str
    label: str
    summary: str
    module: str
    function: str
    needs_sdk: bool = False


LANGUAGES: Final[Mapping[str, Language]] = {
    language.key: language
    for language in (
        Language(
            "python",
            "Python package",
            "An installable package with typed models, the factory and a test; "
            "you write the body of one method.",
            "toolspec.code.python_package",
            "python_package_project",
            needs_sdk=True,
        ),
        Language(
            "java",
            "Java project",
            "A Maven project with records, the factory and its service file; "
            "you write the body of one method.",
            "toolspec.code.java_project",
            "java_project",
        ),
    )
}


def generate_project(spec: ToolSpec, key: str, *, sdk: str = SDK_FOLDER) -> Project:
    """The files of the project for `spec` in the language `key`, sorted by path.

    Args:
        spec: of the tool.
        key: of `LANGUAGES`.
        sdk: the URL of the package `toolshelf-tools`, by default that of its folder on this
            machine.

    Raises:
        KeyError: there is no such language.
        GenerationError: a limit is exceeded.
    """
    language = LANGUAGES[key]
    module = import_module(language.module)
    generate: Callable[..., dict[str, str]] = getattr(module, language.function)
    project = generate(spec, sdk) if language.needs_sdk else generate(spec)
    for path in project:
        if ".." in path or not _PATH.fullmatch(path):
            message = "The names in the tool's spec lead to file names that are not allowed."
            raise GenerationError(message)
    size = sum(map(len, project.values()))
    if size > MAX_PROJECT_CHARACTERS:
        raise GenerationError(
            f"The generated code would have {size:,} characters; at most "
            f"{MAX_PROJECT_CHARACTERS:,} are allowed. Simplify the schemas of the tool."
        )
    return dict(sorted(project.items()))


def project_zip(project: Project, folder: str) -> bytes:
    """A ZIP of `project` within the folder `folder`. Equal projects have equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, text in sorted(project.items()):
            entry = zipfile.ZipInfo(f"{folder}/{path}", _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = _UNIX
            entry.external_attr = _REGULAR_FILE << 16
            archive.writestr(entry, text.encode())
    return buffer.getvalue()
