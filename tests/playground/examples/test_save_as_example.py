import json

import pytest

from playground.examples.save_as_example import CannotSaveExample, with_example
from toolspec.spec import read_spec
from toolspec.text.reader import loads


def saved(source, *, description="one", parameters=None, return_value=...):
    parameters = {"a": 1} if parameters is None else parameters
    return_value = {"b": 2} if return_value is ... else return_value
    return with_example(
        source, description=description, parameters=parameters, return_value=return_value
    )


LAID_OUT = """{
  "definition": {
    "name": "t",
    "description": "d",
    "examples": [
      {
        "parameters": {}
      }
    ]
  }
}
"""


def test_the_example_is_the_only_change():
    assert saved(LAID_OUT) == LAID_OUT.replace(
        """        "parameters": {}
      }
""",
        """        "parameters": {}
      },
      {
        "description": "one",
        "parameters": {
          "a": 1
        },
        "returnValue": {
          "b": 2
        }
      }
""",
    )


def test_a_spec_without_examples_gets_the_member():
    source = '{\n\t"definition": {\n\t\t"name": "t",\n\t\t"description": "d"\n\t}\n}'

    made = saved(source, description="")

    assert made == (
        '{\n\t"definition": {\n\t\t"name": "t",\n\t\t"description": "d",\n\t\t"examples": [\n\t\t\t{\n'
        '\t\t\t\t"parameters": {\n\t\t\t\t\t"a": 1\n\t\t\t\t},\n\t\t\t\t"returnValue": {\n\t\t\t\t\t"b": 2\n'
        "\t\t\t\t}\n\t\t\t}\n\t\t]\n\t}\n}"
    )


@pytest.mark.parametrize(
    "source",
    [
        '{"definition": {"name": "t", "description": "d"}}',
        '{"definition":{"name":"t","description":"d","examples":[]}}',
        '{"definition": {"examples": [{"parameters": {"x": "]"}}], "name": "t", "description": "d"}, "x": [1]}',
        '{\r\n "definition": {\r\n  "name": "t",\r\n  "description": "d"\r\n }\r\n}',
        LAID_OUT,
        json.dumps(json.loads(LAID_OUT), indent=4),
    ],
)
def test_the_result_is_the_same_spec_with_one_more_example(source):
    before, after = read_spec(source), read_spec(saved(source))

    assert after.examples[:-1] == before.examples
    assert after.examples[-1].parameters == {"a": 1}
    assert after.examples[-1].return_value == {"b": 2}
    assert (after.name, after.parameters, after.document.keys()) == (
        before.name,
        before.parameters,
        before.document.keys(),
    )


def test_numbers_stay_as_they_were_written():
    made = saved(LAID_OUT, parameters=loads('{"a": 1.50, "b": 12345678901234567890.1}'))

    assert '"a": 1.50' in made
    assert '"b": 12345678901234567890.1' in made


def test_the_parameters_of_an_example_must_be_an_object():
    with pytest.raises(CannotSaveExample, match="must be an object"):
        saved(LAID_OUT, parameters=[1])


@pytest.mark.parametrize("value", ["text", [1, 2], None, 7])
def test_any_response_can_be_the_return_value_of_an_example(value):
    assert read_spec(saved(LAID_OUT, return_value=value)).examples[-1].return_value == value
