"""An installable Python package that implements a tool: only the body of `call` is missing."""

from __future__ import annotations

from typing import Final

from toolspec.code.project_text import filled, literal, one_line, quoted_block
from toolspec.code.python_models import imports_source, python_models
from toolspec.code.python_names import ToolNames, python_schemas
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.reader import JSON, dumps


def python_package_project(spec: ToolSpec, sdk: str) -> dict[str, str]:
    """The files of the package: relative path -> text.

    `sdk` is the URL of the package `toolshelf-tools`: an index may have another package of that name.

    """
    names = ToolNames.of(spec)
    models = python_models(python_schemas(spec))
    values = {
        "PACKAGE": names.package,
        "DISTRIBUTION": names.distribution,
        "TOOL": names.tool,
        "FACTORY": names.factory,
        "TITLE": one_line(spec.name),
        "SDK": literal(f"toolshelf-tools @ {sdk}"),
        "SDK_FOR_TESTS": literal(f"toolshelf-tools[testing] @ {sdk}"),
        "SUMMARY": literal(one_line(spec.description) or one_line(spec.name)),
        "DESCRIPTION": quoted_block(spec.description),
        "PARAMETERS": literal(_sample(spec.parameters, spec.sha256)),
        "CONFIGURATION": literal(_sample(spec.configuration, spec.sha256)),
    }
    tool = _CONFIGURABLE_TOOL if spec.configuration is not None else _TOOL
    source = f"src/{names.package}"
    return {
        "pyproject.toml": filled(_PYPROJECT, values),
        "README.md": filled(_README, values),
        ".gitignore": _GITIGNORE,
        f"{source}/__init__.py": filled(_INIT, values),
        f"{source}/py.typed": "",
        f"{source}/spec.json": spec.source,
        f"{source}/definition.py": _DEFINITION,
        f"{source}/models.py": f"{_MODELS}{imports_source(models.imports)}\n\n\n{models.source}",
        f"{source}/tool.py": filled(tool, values),
        "tests/test_tool.py": filled(_TEST, values),
    }


def _sample(schema: JSON, seed: str) -> str:
    """A value for `schema` as JSON; {} if none is found."""
    if schema is None:
        return "{}"
    try:
        return dumps(sample(compile_schema(schema), seed))
    except NoValue:
        return "{}"


_PYPROJECT: Final = """\
[project]
name = "<<DISTRIBUTION>>"
version = "0.1.0"
description = <<SUMMARY>>
readme = "README.md"
requires-python = ">=3.11"
dependencies = [
  "pydantic>=2.11",
  # From Toolshelf itself. An index may have another package of that name.
  <<SDK>>,
]

[project.optional-dependencies]
test = ["mypy", "pytest", <<SDK_FOR_TESTS>>]

[project.entry-points."toolshelf.factories"]
<<PACKAGE>> = "<<PACKAGE>>.tool:<<FACTORY>>"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.metadata]
allow-direct-references = true

[tool.hatch.build.targets.wheel]
packages = ["src/<<PACKAGE>>"]

[tool.mypy]
strict = true
files = ["src", "tests"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

_GITIGNORE: Final = ".venv/\n__pycache__/\ndist/\n"

_INIT: Final = '''\
"""A tool for Toolshelf, generated from its spec: see README.md."""

from .tool import <<FACTORY>>, <<TOOL>>

__all__ = ["<<FACTORY>>", "<<TOOL>>"]
'''

_DEFINITION: Final = '''\
"""The definition of the tool, with the values of its spec (spec.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolshelf_tools import Definition, Schema, ToolDefinition

SPEC = Path(__file__).with_name("spec.json").read_text(encoding="utf-8")
DEFINITION = Definition.from_spec(SPEC)


class SpecDefinition(ToolDefinition):
    """The members of `ToolDefinition` from the spec."""

    @property
    def id(self) -> str:
        return DEFINITION.id

    @property
    def name(self) -> str:
        return DEFINITION.name

    @property
    def description(self) -> str:
        return DEFINITION.description

    @property
    def parameters_schema(self) -> Schema:
        return DEFINITION.parameters_schema

    @property
    def return_type_schema(self) -> Schema:
        return DEFINITION.return_type_schema

    @property
    def examples(self) -> Sequence[Mapping[str, Any]]:
        return DEFINITION.examples
'''

_MODELS: Final = '''\
"""The types of the tool, generated from the schemas of its spec. Generate them again when the spec changes.

A constraint that Python's types do not have is checked by Toolshelf before and after each run.
"""

from __future__ import annotations

'''

_TOOL: Final = '''\
"""The tool and its factory. Implement `call`."""

from __future__ import annotations

from toolshelf_tools import Tool, UnconfigurableToolFactory

from .definition import DEFINITION, SpecDefinition
from .models import Request, Response


class <<TOOL>>(SpecDefinition, Tool[Request, Response]):
    request_type = Request
    response_type = Response

    def call(self, request: Request) -> Response:
        raise NotImplementedError("Implement <<TOOL>>.call")


class <<FACTORY>>(UnconfigurableToolFactory):
    """Registered in pyproject.toml as an entry point of the group toolshelf.factories."""

    def tool_id(self) -> str:
        return DEFINITION.id

    def create(self) -> <<TOOL>>:
        return <<TOOL>>()
'''

_CONFIGURABLE_TOOL: Final = '''\
"""The tool and its factory. Implement `call`."""

from __future__ import annotations

from toolshelf_tools import ConfigurableToolFactory, Tool

from .definition import DEFINITION, SpecDefinition
from .models import Configuration, Request, Response


class <<TOOL>>(SpecDefinition, Tool[Request, Response]):
    request_type = Request
    response_type = Response

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration

    def call(self, request: Request) -> Response:
        raise NotImplementedError("Implement <<TOOL>>.call")


class <<FACTORY>>(ConfigurableToolFactory[Configuration]):
    """Registered in pyproject.toml as an entry point of the group toolshelf.factories."""

    configuration_type = Configuration

    def tool_id(self) -> str:
        return DEFINITION.id

    def create(self, configuration: Configuration) -> <<TOOL>>:
        return <<TOOL>>(configuration)
'''

_TEST: Final = '''\
"""The tool does what its spec declares."""

from __future__ import annotations

import json

import pytest
from <<PACKAGE>> import <<FACTORY>>
from <<PACKAGE>>.definition import DEFINITION, SPEC
from toolshelf_tools.testing import Example, call, examples_of

FACTORY = <<FACTORY>>()
# Generated from the schemas: the configuration of the tool, and parameters for a call.
CONFIGURATION = json.loads(<<CONFIGURATION>>)
PARAMETERS = json.loads(<<PARAMETERS>>)


def test_the_factory_is_for_the_tool_of_the_spec() -> None:
    assert FACTORY.tool_id() == DEFINITION.id


def test_the_tool_can_be_called() -> None:
    call(FACTORY, PARAMETERS, configuration=CONFIGURATION)


@pytest.mark.parametrize("example", examples_of(FACTORY, spec=SPEC, configuration=CONFIGURATION), ids=str)
def test_an_example(example: Example) -> None:
    example.check()
'''

_README: Final = """\
# <<DISTRIBUTION>>

A tool for Toolshelf. Its description in the spec:

<<DESCRIPTION>>

This package was generated from the spec. Only one method is missing: `<<TOOL>>.call` in `src/<<PACKAGE>>/tool.py`.

| file in `src/<<PACKAGE>>/` | |
| --- | --- |
| `spec.json` | the spec as it was published |
| `definition.py` | the definition, read from `spec.json` |
| `models.py` | the types of the request, the response and the configuration, generated from the schemas |
| `tool.py` | the tool and its factory: write the implementation here |

## Develop

```
python -m venv .venv
.venv/bin/pip install -e ".[test]"
.venv/bin/mypy
.venv/bin/pytest
```

`pyproject.toml` names the address of `toolshelf-tools` at the Toolshelf that generated this package, with its hash. A
newer Toolshelf serves a newer one, which the installer then refuses: generate the package again, and take the address
from its `pyproject.toml`.

`pytest` calls the tool with a sample and with each example of the spec. It fails with `NotImplementedError` until you
have written `call`.

A field of a model that is not set is left out of the JSON. Where a schema has no counterpart in Python's types, the
type is `JsonValue`, and a comment says why. Constraints that are not types (`not`, `if`, `dependentRequired`) are
checked by Toolshelf before and after each run.

## Run it in Toolshelf

Install the package into Toolshelf's environment, with its own pip. The entry point in `pyproject.toml` registers the
factory. Toolshelf has `pydantic` and `toolshelf-tools`; install what else your tool needs first.

```
/path/to/toolshelf/.venv/bin/pip install --no-build-isolation --no-deps .
```

Then sign in to Toolshelf as an administrator and press "Reload installed packages", or restart it.
"""
