"""The documentation of the settings: it is written from them, and no variable that the code reads is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from config import env
from config.env import VARIABLES
from config.management.commands.document_settings import write_table

pytestmark = pytest.mark.unit

CODE = ("catalog", "config", "playground", "toolspec", "manage.py")
NOT_SETTINGS = {
    "DJANGO_SETTINGS_MODULE",  # Django's: the module that contains the settings
    "SSL_CERT_FILE",  # OpenSSL's own variables
    "SSL_CERT_DIR",
    "TOOLSHELF_SERVES_OTHER_MACHINES",  # set by `serve`, for its processes
    "TOOLSHELF_TOKEN",  # the token of `check_specs`, which asks another site
    "CELERY_BROKER_URL",  # the former name of TOOLSHELF_REDIS
    "http_proxy",  # set by the runner, in processes of tools with the network `outward`
}


def modules() -> Iterator[Path]:
    for part in CODE:
        path = settings.BASE_DIR / part
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) == "os.environ"


def names_read(tree: ast.Module) -> Iterator[str]:
    """The names of variables that a module reads: literals and constants of the module."""
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        named: ast.expr | None = None
        if isinstance(node, ast.Subscript) and is_environment(node.value):
            named = node.slice
        elif isinstance(node, ast.Call) and node.args:
            function = ast.unparse(node.func)
            owner, _, method = function.rpartition(".")
            reads = owner == "os.environ" and method in {"get", "setdefault", "pop"}
            if reads or function == "os.getenv" or function == "env.read":
                named = node.args[0]
        if isinstance(named, ast.Constant) and isinstance(named.value, str):
            yield named.value
        elif isinstance(named, ast.Name) and named.id in constants:
            yield str(constants[named.id])


def test_every_variable_that_the_code_reads_is_in_the_table():
    read = {
        name
        for path in modules()
        for name in names_read(ast.parse(path.read_text(encoding="utf-8")))
    }
    documented = set(re.findall(r"^\| `(\w+)` \|", write_table(), re.MULTILINE))

    assert read - documented - NOT_SETTINGS == set()
    assert {"TOOLSHELF_DATA_DIR", "TOOLSHELF_REDIS", "LOG_LEVEL"} <= read
    assert documented - read == set()


def test_every_way_to_read_a_variable_is_noticed():
    source = "\n".join(
        [
            'NAME = "A"',
            "import os; from config import env",
            'os.environ.get(NAME); os.environ["B"]; os.getenv("C"); env.read("D", int, 5, "")',
            'os.environ.setdefault("E", ""); {}.get("F"); env.format_bytes(5)',
        ]
    )

    assert sorted(names_read(ast.parse(source))) == list("ABCDE")


def test_the_file_is_up_to_date():
    written = (settings.BASE_DIR / "docs" / "settings.md").read_text(encoding="utf-8")

    assert written == write_table(), "Run manage.py document_settings."


def test_the_command_writes_the_file(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "docs").mkdir()

    call_command("document_settings")

    assert (tmp_path / "docs" / "settings.md").read_text(encoding="utf-8") == write_table()


def test_each_variable_has_a_meaning_in_a_sentence_that_fits_into_a_table():
    for variable in VARIABLES.values():
        assert variable.meaning.endswith("."), variable
        assert not {"|", "\n"} & set(variable.meaning + variable.default), variable


def test_the_table_does_not_depend_on_the_values_of_this_machine():
    assert str(settings.BASE_DIR) not in write_table()
    assert settings.SECRET_KEY not in write_table()


@pytest.mark.parametrize(
    ("number", "shown"), [(262_144, "256 KiB"), (64 * 1024**2, "64 MiB"), (1000, "1,000")]
)
def test_sizes_have_units(number, shown):
    assert env.format_bytes(number) == shown
