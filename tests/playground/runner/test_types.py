"""Requests, responses and configurations have the types that a tool annotates."""

import pytest

from tests.playground.runners import TOOLS
from toolspec.text.reader import loads

pytestmark = pytest.mark.alone


def test_a_request_becomes_the_dataclass_that_the_tool_annotates(runner):
    end = runner.run("typed_tools:order", loads('{"item": "a", "price": 19.90, "count": 2}'))

    assert end.response == {
        "type": "Order",
        "repr": "Order(item='a', price=Decimal('19.9'), count=2, note=None)",
    }


def test_a_decimal_gets_every_digit_that_was_written(runner):
    end = runner.run("typed_tools:numbers", loads("[0.1234567890123456789012345, 1e-20, 3]"))

    assert (
        end.response["repr"]
        == "[Decimal('0.1234567890123456789012345'), Decimal('1E-20'), Decimal('3')]"
    )


def test_annotated_types_are_loaded_before_a_run_is_forked(runner):
    assert runner.run("knowing_tools:Factory").response == {"known": ["Neighbour", "Question"]}


@pytest.mark.parametrize(
    "module",
    [
        "Factory.__module__ = 'elsewhere'\n",
        (
            "class Odd:\n    @property\n    def __args__(self): raise OSError\n    __origin__ = {}\n"
            "class Never:\n    request_type = response_type = list[Odd()]\n    def call(self, request): pass\n"
        ),
        (
            "class Beside:\n    __annotations__ = {'request': 'nowhere'}\n    __hash__ = None\n"
            "    def __call__(self, request): pass\nclass Never:\n    call = Beside()\n"
        ),
        "class Never:\n    def call(self, request: '1 / 0'): pass\n",
    ],
    ids=["module that is gone", "odd type", "callable without a hash", "annotation that raises"],
)
def test_annotations_that_fail_do_not_make_a_factory_unusable(own_runner, tmp_path, module):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    (tmp_path / "odd_types.py").write_text((TOOLS / "attack_tool.py").read_text() + "\n" + module)
    runner = own_runner(search_path=[tmp_path])

    end = runner.run("odd_types:Factory", {"code": "return 1"})

    assert (end.error, end.response) == (None, 1)


def test_a_run_finds_a_process_ready_right_after_another(own_runner):
    runner = own_runner()
    runner.call("return 1")

    for _ in range(20):
        before = len(runner.processes())
        assert runner.call("return 1").outcome == "returned"

    assert (
        len(runner.processes()) <= before + 1
    )  # two run supervisors alternate; no more are started


def test_a_request_that_does_not_match_is_refused_with_a_message(runner):
    end = runner.run("typed_tools:order", {"price": "cheap"})

    assert end.outcome == "raised"
    assert end.error == (
        "The parameters do not match the tool's own type Order: /item: Field required; "
        "/price: Input should be a valid decimal."
    )


def test_an_annotated_response_is_written_as_pydantic_does(runner):
    end = runner.run("typed_tools:returns")

    assert end.response == {
        "at": "2026-03-01T12:00:00Z",
        "lasts": "PT1H30M",
        "id": "00000000-0000-0000-0000-000000000005",
        "price": "19.90",
        "unit": "F",
    }


def test_the_collections_of_a_response_are_written_as_their_annotation_says(runner):
    end = runner.run("typed_tools:returns_collections")

    assert end.response == {"1": ["0.50"], "2": "a/b", "3": "**********"}


def test_a_dataclass_implies_its_own_type(runner):
    end = runner.run("typed_tools:returns_order")

    assert end.response == [{"item": "a", "price": "0.10", "count": 1, "note": None}]


@pytest.mark.parametrize("factory", ["Configurable", "ConfigurableByAnnotation"])
def test_a_configuration_becomes_the_type_that_the_factory_annotates(runner, factory):
    end = runner.run(f"typed_tools:{factory}", configuration={"unit": "F"})

    assert end.response == {"type": "Settings", "repr": "Settings(unit=<Unit.FAHRENHEIT: 'F'>)"}


def test_a_configuration_is_plain_without_an_annotation(runner):
    end = runner.run("typed_tools:PlainConfigurable", configuration={"key": [1]})

    assert end.response == {"type": "dict", "repr": "{'key': [1]}"}


def test_a_configurable_factory_gets_an_empty_configuration_if_there_is_none(runner):
    assert runner.run("typed_tools:PlainConfigurable").response["repr"] == "{}"
