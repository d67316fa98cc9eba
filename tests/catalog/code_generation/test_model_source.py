"""Only code of the expected form is accepted from the generator."""

import pytest

from catalog.code_generation.model_source import Unexpected, comment_lines, model_source

ROOTS = "class Roots(Model):\n    root_0: Request\n"
REQUEST = "class Request(Model):\n    a: {annotation}{value}\n"


def read(text):
    return model_source(
        text,
        roots={"Request": "root_0"},
        classes={"Request": frozenset({"a"})},
        comments={("Request", "a"): ["why"]},
    )


def test_the_parts_of_expected_code_are_returned():
    found = read(
        f"from generated import Model\n{REQUEST.format(annotation='str', value='')}{ROOTS}"
    )

    assert found.classes == ["class Request(Model):\n    # JsonValue: why.\n    a: str"]
    assert found.roots == {"Request": "Request"}


@pytest.mark.parametrize(
    "text",
    [
        "import os\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        "from os import path\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        "from pydantic import BaseModel\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        "x = 1\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        "print()\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        REQUEST.format(annotation="os.PathLike", value="") + ROOTS,
        REQUEST.format(annotation="'str'", value="") + ROOTS,
        REQUEST.format(annotation="list[exec('x')]", value="") + ROOTS,
        REQUEST.format(annotation="Annotated[str, Field(default_factory=print)]", value="") + ROOTS,
        REQUEST.format(annotation="Literal[print()]", value="") + ROOTS,
        REQUEST.format(annotation="str", value=" = print()") + ROOTS,
        REQUEST.format(annotation="str", value=" = f'{1}'") + ROOTS,
        REQUEST.format(annotation="str", value="\n    b: str") + ROOTS,
        REQUEST.format(annotation="str", value="\n    def f(self): pass") + ROOTS,
        "class Other(Model):\n    a: str\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        "class Request(dict):\n    a: str\n" + ROOTS,
        "@print\n" + REQUEST.format(annotation="str", value="") + ROOTS,
        ROOTS,
        "class Request(",
    ],
)
def test_other_code_is_refused(text):
    with pytest.raises(Unexpected):
        read(text)


def test_a_comment_is_one_line_of_ascii():
    assert comment_lines(["a\nimport os\u2028x"]) == ["# JsonValue: a?import os?x."]
