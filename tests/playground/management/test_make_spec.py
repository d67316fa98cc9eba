"""`manage.py make_spec`: a spec from code."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.playground.runners import TOOLS


def make_spec(*words):
    """The exit code, stdout and the error."""
    out, errors = io.StringIO(), io.StringIO()
    try:
        call_command("make_spec", *words, stdout=out, stderr=errors)
    except CommandError as error:
        return error.returncode, out.getvalue(), errors.getvalue() + str(error)
    return 0, out.getvalue(), errors.getvalue()


def test_the_spec_of_a_registered_factory_is_written():
    code, text, _ = make_spec("playground.builtin.hash_text:hash_text")

    assert code == 0
    assert json.loads(text)["definition"]["name"] == "hash_text"


def test_a_package_need_not_be_installed():
    code, text, _ = make_spec("own_specs:PricedFactory", "--path", str(TOOLS))

    assert code == 0
    assert json.loads(text)["definition"]["parameters"]["required"] == ["item"]


@pytest.mark.parametrize(
    ("name", "code", "error"),
    [
        ("own_specs:InvalidFactory", 1, "The spec of own_specs:InvalidFactory is not valid."),
        ("own_specs:UndescribedFactory", 1, "has no description"),
        ("own_specs:MissingFactory", 1, "has no attribute 'MissingFactory'"),
        ("no_such_module:F", 1, "No module named 'no_such_module'"),
    ],
)
def test_what_has_no_valid_spec_exits_with_one_and_says_why(name, code, error):
    found, _, errors = make_spec(name, "--path", str(TOOLS))

    assert found == code
    assert error in errors


def test_a_name_that_nobody_has_exits_with_two_and_names_the_others(own_specs):
    code, _, errors = make_spec("nothing")

    assert code == 2
    assert "No factory is registered as 'nothing'. Registered: own_specs:InvalidFactory" in errors


def test_a_path_that_is_no_directory_exits_with_two(tmp_path):
    assert make_spec("a:b", "--path", str(tmp_path / "nowhere"))[0] == 2
