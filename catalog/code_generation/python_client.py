"""A Python module that runs a tool through the API of the site: typed arguments, a typed result."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from catalog.code_generation.project_text import filled, literal, one_line, quoted_block
from catalog.code_generation.python_models import (
    Member,
    PythonModels,
    imports_source,
    python_models,
)
from catalog.code_generation.python_names import ToolNames, python_schemas, unused
from catalog.specs.spec import ToolSpec

MAX_ARGUMENTS: Final = 100  # of the function; with more members it takes a `Request`
_TEMPLATE: Final = (
    files("catalog.code_generation").joinpath("python_client.txt").read_text(encoding="utf-8")
)
# Names that the module uses itself, so the function cannot have them.
_RESERVED: Final = frozenset(
    {
        "run",
        "result_of",
        "json",
        "os",
        "time",
        "urllib",
        "field",
        "dataclass",
        "date",
        "model_serializer",
    }
)


def python_client_project(spec: ToolSpec) -> dict[str, str]:
    """The module and a README: relative path -> text."""
    names = ToolNames.of(spec)
    function = unused(names.function, set(_RESERVED))
    models = python_models(python_schemas(spec))
    module = f"{names.package.removesuffix('_tool')}_client"
    arguments = _arguments(models)
    values = {
        "MODULE": module,
        "TITLE": one_line(spec.name),
        "DESCRIPTION": quoted_block(spec.description),
        "FUNCTION": function,
        "CALL": f"{function}({', '.join(f'{each.name}=...' for each in arguments if not each.is_optional)})"
        if arguments is not None
        else f"{function}(...)",
    }
    return {
        f"{module}.py": _module(spec, models, function, arguments),
        "README.md": filled(_README, values),
    }


def _arguments(models: PythonModels) -> tuple[Member, ...] | None:
    """The members of the request that become arguments; None if it becomes one argument itself."""
    members = models.roots["Request"]
    return members if members is not None and len(members) <= MAX_ARGUMENTS else None


def _module(
    spec: ToolSpec, models: PythonModels, function: str, arguments: tuple[Member, ...] | None
) -> str:
    imports = {module: set(names) for module, names in models.imports.items()}
    imports["typing"].add("Literal")
    imports["pydantic"] |= {"TypeAdapter", "ValidationError"}
    is_configurable = "Configuration" in models.roots
    return filled(
        _TEMPLATE,
        {
            "IMPORTS": imports_source(imports),
            "SLUG": literal(spec.slug),
            "MODELS": models.source.rstrip(),
            "FUNCTION_SOURCE": _of_request(function)
            if arguments is None
            else _of_arguments(function, arguments),
            "CONFIGURATION_DOC": _CONFIGURATION_DOC if is_configurable else "",
            "CONFIGURATION_FIELDS": _CONFIGURATION_FIELDS if is_configurable else "",
            "CONFIGURATION_BODY": _CONFIGURATION_BODY if is_configurable else "",
        },
    )


def _of_request(function: str) -> str:
    return filled(_FUNCTION_OF_REQUEST, {"FUNCTION": function})


def _of_arguments(function: str, arguments: tuple[Member, ...]) -> str:
    options = unused("options", {each.name for each in arguments})
    required = [each for each in arguments if not each.is_optional]
    optional = [each for each in arguments if each.is_optional]
    lines = [
        *(f"{each.name}: {each.type_}" for each in required),
        *(f"{each.name}: {_or_none(each.type_)} = None" for each in optional),
        f"{options}: Options | None = None",
    ]
    values = {
        "FUNCTION": function,
        "ARGUMENTS": "".join(f"    {line},\n" for line in ["*", *lines]),
        "REQUIRED": _dictionary(required),
        "OPTIONAL": _dictionary(optional),
        "OPTIONS": options,
    }
    return filled(_FUNCTION_OF_ARGUMENTS, values)


def _or_none(type_: str) -> str:
    return type_ if type_.endswith("None") else f"{type_} | None"


def _dictionary(members: list[Member]) -> str:
    if not members:
        return "{}"
    return (
        "{\n"
        + "".join(f"            {literal(each.name)}: {each.name},\n" for each in members)
        + "        }"
    )


# Names of members never begin with an underscore, so the arguments hide nothing that the body uses.
_FUNCTION_OF_ARGUMENTS: Final = '''\
def <<FUNCTION>>(
<<ARGUMENTS>>) -> Response:
    """Run the tool and return its response. The class `Request` describes the arguments.

    An optional argument that is None is left out.

    Raises:
        ToolshelfError: see its subclasses.
        pydantic.ValidationError: an argument does not have its type.
    """
    return _run_members(
        <<REQUIRED>>,
        <<OPTIONAL>>,
        <<OPTIONS>>,
    )


def _run_members(required: dict[str, Any], optional: dict[str, Any], options: Options | None) -> Response:
    given = required | {name: value for name, value in optional.items() if value is not None}
    return run(Request(**given), options)'''

_FUNCTION_OF_REQUEST: Final = '''\
def <<FUNCTION>>(request: Request, *, options: Options | None = None) -> Response:
    """Run the tool with `request` and return its response.

    Raises:
        ToolshelfError: see its subclasses.
    """
    return run(request, options)'''

_CONFIGURATION_DOC: Final = """\
        configuration: the configuration of the tool, for this call only.
        saved_configuration: instead, the name of a configuration that you have saved on the site.
"""
_CONFIGURATION_FIELDS: Final = """\
    configuration: Configuration | None = field(default=None, repr=False)
    saved_configuration: str | None = None
"""
_CONFIGURATION_BODY: Final = """\
    if options.configuration is not None:
        adapter: TypeAdapter[Configuration] = TypeAdapter(Configuration)
        body["configuration"] = adapter.dump_python(options.configuration, mode="json", by_alias=True)
    if options.saved_configuration is not None:
        body["saved_configuration"] = options.saved_configuration
"""

_README: Final = """\
# <<MODULE>>

A typed client for a tool of Toolshelf. Its description in the spec:

<<DESCRIPTION>>

Copy `<<MODULE>>.py` into your project. It needs Python 3.11 or later and `pydantic`, nothing else.

```
pip install "pydantic>=2.10"
export TOOLSHELF_URL=https://toolshelf.example.org
export TOOLSHELF_TOKEN=...   # a token with the scope `run`
```

```python
from <<MODULE>> import Failed, Options, Violation, <<FUNCTION>>

response = <<CALL>>
```

`Options` has the address, the token, the time limit and the mode: `options=Options(mode="mock")` gives a response that
is generated from the spec. A long run is polled until `timeout_s`. Every failure is an exception, a subclass of
`ToolshelfError`: `RequestFailed`, `StillRunning`, `Refused`, `Failed`, `Violation`. All except `RequestFailed` have the
run in `run`, as the API returns it.
"""
