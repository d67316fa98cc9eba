"""Names that a newcomer would have to decode: none is left in the code, the templates and the styles."""

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("accounts", "catalog", "config", "playground", "sdk", "toolshelf_core", "toolspec")
FORBIDDEN = frozenset({
    "said", "say", "says", "saying", "told", "tell", "tells", "telling", "kept", "keep", "keeps", "keeping",
    "mend", "mends", "mended", "mending", "judge", "judges", "judged", "judging", "judgement", "taken", "carrier",
    "dear", "slip", "slips", "hear", "heard", "door", "doors", "shelf", "utils",
    "helpers",
})  # fmt: skip
ALLOWED_IN_TESTS = {"keep", "keeps", "say", "says"}  # the name of a test is a sentence
OF_LIBRARIES = {"WHITENOISE_KEEP_ONLY_HASHED_FILES"}
IDENTIFIER = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def files(folder, pattern="*"):
    return sorted(
        path
        for path in (ROOT / folder).rglob(pattern)
        if path.is_file() and "__pycache__" not in path.parts
    )


def defined_names(path):
    """Each name that a Python file defines, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name


def words_of(name):
    return {word.lower() for word in IDENTIFIER.findall(name)}


def test_no_identifier_uses_a_private_word():
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for folder in PACKAGES
        for path in files(folder, "*.py")
        if "migrations" not in path.parts
        for line, name in defined_names(path)
        if words_of(name) & FORBIDDEN and name not in OF_LIBRARIES
    ]

    assert found == []


def test_no_identifier_of_a_test_or_benchmark_uses_a_private_word():
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for folder in ("tests", "bench")
        for path in files(folder, "*.py")
        for line, name in defined_names(path)
        if words_of(name) & FORBIDDEN - ALLOWED_IN_TESTS
    ]

    assert found == []


def test_no_file_or_folder_uses_a_private_word():
    named = [
        path.relative_to(ROOT)
        for folder in (*PACKAGES, "templates", "static/css", "static/js", "tests")
        for path in files(folder)
        if path.suffix in {".py", ".html", ".css", ".js"}
    ]

    assert [str(path) for path in named if words_of("_".join(path.parts)) & FORBIDDEN] == []


def test_no_style_uses_a_private_word():
    classes = {
        name
        for path in files("static/css", "*.css")
        for name in re.findall(r"\.(-?[_a-zA-Z][\w-]*)", path.read_text(encoding="utf-8"))
    }

    assert sorted(name for name in classes if words_of(name) & FORBIDDEN) == []


def test_no_class_or_id_in_a_template_uses_a_private_word():
    named = {
        name
        for path in files("templates", "*.html")
        for names in re.findall(
            r"""\s(?:class|id)=["']([^"']+)["']""", path.read_text(encoding="utf-8")
        )
        for name in names.split()
    }

    assert sorted(name for name in named if words_of(name) & FORBIDDEN) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("is_kept_" + "empty", {"kept"}),
        ("SaidAgain", {"said"}),
        ("_JUDGED_BY", {"judged"}),
        ("taken-over", {"taken"}),
    ],
)
def test_a_private_word_is_found_however_it_is_written(name, words):
    assert words_of(name) & FORBIDDEN == words


def test_a_word_that_only_contains_a_private_one_is_allowed():
    assert words_of("bookkeeping, undertaken, doorway, leader") & FORBIDDEN == set()
