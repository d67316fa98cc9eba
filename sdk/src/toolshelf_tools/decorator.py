"""`@tool`: the factory of a tool that is one typed function."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from toolshelf_tools.docstrings import read_docstring
from toolshelf_tools.interfaces import DefinedTool, Definition
from toolshelf_tools.type_conversion import is_plain, response_type_of

P = ParamSpec("P")
R = TypeVar("R")

CONFIGURATION: Final = "configuration"
_VARIADIC: Final[dict[Any, str]] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}

Spec = str | bytes | PathLike[str] | Mapping[str, Any]


@overload
def tool(function: Callable[P, R], /) -> FunctionFactory[P, R]: ...


@overload
def tool(
    *,
    id: str = ...,
    name: str = ...,
    description: str = ...,
    examples: Sequence[Mapping[str, Any]] = ...,
    configuration: Any = ...,
    spec: Spec | None = ...,
) -> Callable[[Callable[P, R]], FunctionFactory[P, R]]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    id: str = "",  # noqa: A002  the name of the member
    name: str = "",
    description: str = "",
    examples: Sequence[Mapping[str, Any]] = (),
    configuration: Any = None,
    spec: Spec | None = None,
) -> Any:
    """Make a function the factory of a tool, which can still be called as the function.

        @tool
        def greet(name: str, *, polite: bool = False) -> str:
            \"\"\"Greet somebody.

            Args:
                name: The person to greet.
                polite: Whether to be formal.
            \"\"\"
            return f"Good evening, {name}." if polite else f"Hello, {name}!"

    The parameters of the function are those of the tool; their annotations, defaults and
    descriptions make the schema. A parameter named `configuration` receives the tool's
    configuration instead. The function may be `async`, and it may be a generator.

    Args:
        function: the function, if the decorator is used without arguments.
        id: of the tool; "" for its name.
        name: what the LLM sees; "" for the function's name.
        description: what the LLM sees; "" for the docstring, without its sections.
        examples: [{"description"?, "parameters"?, "returnValue"?}].
        configuration: the type of the configuration; None for the annotation of the parameter
            `configuration`.
        spec: a spec that was written by hand, instead of the one made from the function: a
            document, its JSON text, or the path of its file. The other arguments may then not be
            given.

    Raises:
        TypeError: the function cannot be a tool. The message names the parameter and the reason.
    """  # noqa: D214  of the example
    if spec is not None and (id or name or description or examples):
        raise TypeError("Pass @tool a spec, or id, name, description and examples, but not both.")

    def make_factory(function: Callable[..., Any]) -> FunctionFactory[..., Any]:
        definition = Definition(
            name=name or function.__name__,
            description=description or read_docstring(function.__doc__).description,
            id=id,
            examples=tuple(examples),
        )
        is_configurable = CONFIGURATION in inspect.signature(function).parameters
        if configuration is not None and not is_configurable:
            raise TypeError(
                f"@tool on {function.__qualname__}: "
                "it has no parameter `configuration` to receive it."
            )
        document = None
        if spec is not None:
            document = read_spec(spec)
            definition = Definition.from_spec(document)
        make = ConfigurableFunctionFactory if is_configurable else UnconfigurableFunctionFactory
        return make(function, definition, configuration, document)

    return make_factory if function is None else make_factory(function)


def read_spec(spec: Spec) -> Mapping[str, Any]:
    """Read a spec from JSON text or from the file of a path; a document is returned as it is."""
    if isinstance(spec, Mapping):
        return spec
    if isinstance(spec, PathLike):
        spec = Path(spec).read_bytes()
    document: dict[str, Any] = json.loads(spec)
    return document


class FunctionFactory(Generic[P, R]):
    """A tool's factory made from a function by `@tool`. Calling it calls the function.

    Attributes:
        function: the decorated function.
        spec: the spec that was written by hand; None if it is made from the function.

    If JSON has all types of the function, the schemas are made when they are first read, so that
    importing a tool does not wait for pydantic. Otherwise, they are made immediately, to refuse a
    type that a parameter or a response cannot have.
    """

    def __init__(
        self,
        function: Callable[P, R],
        definition: Definition,
        configuration: Any,
        document: Mapping[str, Any] | None,
    ) -> None:
        """Use `tool`."""
        self.function = function
        self.spec = document
        self._definition = definition
        self._hints = _read_hints(function)
        self._check_parameters()
        if configuration is not None:
            self._hints[CONFIGURATION] = configuration
        if not self._definition.description:
            raise TypeError(
                f"@tool on {function.__qualname__}: "
                "it has no docstring, but LLMs need a description."
            )
        functools.update_wrapper(self, function)
        if document is None and not all(map(is_plain, self._hints.values())):
            self._check_types()

    def _check_types(self) -> None:
        """Check that JSON can have each type, unless part of it is defined later in the module."""
        # Slow to import.
        from toolshelf_tools.schemas import is_undefined, make_schema  # noqa: PLC0415

        for name, hint in self._hints.items():
            try:
                if name == "return":
                    subject = "its response"
                    make_schema(self.response_type, of="response")
                else:
                    subject = f"the parameter `{name}`"
                    make_schema(hint, of="request")
            except TypeError as error:
                if not is_undefined(error):
                    raise TypeError(
                        f"@tool on {self.function.__qualname__}: {subject}: {error}."
                    ) from error

    def _check_parameters(self) -> None:
        for name, parameter in self._parameters.items():
            where = f"@tool on {self.function.__qualname__}: the parameter `{name}`"
            if stars := _VARIADIC.get(parameter.kind):
                raise TypeError(
                    f"{where} is `{stars}{name}`, which has no schema; "
                    "name the parameters, or take a list."
                )
            if name not in self._hints and name != CONFIGURATION:
                raise TypeError(f"{where} has no type annotation; its schema is generated from it.")

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<@tool {self.function.__module__}.{self.function.__qualname__}>"

    def tool_id(self) -> str:
        return self._definition.id

    @functools.cached_property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @functools.cached_property
    def definition(self) -> Definition:
        """The tool's definition: that of the spec it was made with, else made from the function.

        Raises:
            TypeError: no schema describes a type.
        """
        if self.spec is not None:
            return self._definition
        from toolshelf_tools.schemas import make_schema  # noqa: PLC0415  slow to import

        return_type = None
        if self.response_type is not Any:
            return_type = make_schema(self.response_type, of="response")
            if text := read_docstring(self.function.__doc__).returns:
                return_type.setdefault("description", text)
        parameters = make_schema(self.request_type, of="request")
        return dataclasses.replace(
            self._definition, parameters_schema=parameters, return_type_schema=return_type
        )

    @functools.cached_property
    def request_type(self) -> type:
        """The function's parameters as a dataclass."""
        texts = read_docstring(self.function.__doc__).arguments
        fields = []
        for name, parameter in self._parameters.items():
            if name != CONFIGURATION:
                annotation = _describe(self._hints[name], texts.get(name), parameter.default)
                fields.append((name, annotation, _make_field(parameter.default)))
        words = self.function.__name__.split("_")
        name = "".join(word.capitalize() for word in words) + "Parameters"
        namespace = {}
        if self.spec is None:  # else the spec says which members are allowed
            namespace["__pydantic_config__"] = {"extra": "forbid"}
        return dataclasses.make_dataclass(name, fields, kw_only=True, namespace=namespace)

    @functools.cached_property
    def response_type(self) -> Any:
        """The type of the response; `Any` if the function does not annotate it."""
        return response_type_of(self.function, default=Any)

    def _call(self, request: Any, **configuration: Any) -> R:
        values = vars(request) | configuration
        positional = []
        for name, parameter in self._parameters.items():
            if parameter.kind is parameter.POSITIONAL_ONLY:
                positional.append(values.pop(name))
        return self.function(*positional, **values)


class UnconfigurableFunctionFactory(FunctionFactory[P, R]):
    """The factory of a function without a parameter `configuration`."""

    def create(self) -> FunctionTool[R]:
        return FunctionTool(self, self._call)


class ConfigurableFunctionFactory(FunctionFactory[P, R]):
    """The factory of a function with a parameter `configuration`."""

    @functools.cached_property
    def configuration_type(self) -> Any:
        return self._hints.get(CONFIGURATION, dict)

    @functools.cached_property
    def configuration_schema(self) -> Any:
        """The JSON Schema of the configuration."""
        if self.spec is not None:
            return self.spec.get(CONFIGURATION)
        from toolshelf_tools.schemas import make_schema  # noqa: PLC0415  slow to import

        return make_schema(self.configuration_type, of="request")

    def create(self, configuration: Any) -> FunctionTool[R]:
        return FunctionTool(self, functools.partial(self._call, configuration=configuration))


class FunctionTool(DefinedTool, Generic[R]):
    """A tool made from a function. `call` returns what the function returns."""

    def __init__(self, factory: FunctionFactory[..., R], call: Callable[[Any], R]) -> None:
        """Use the factory's `create`."""
        self._factory = factory
        self.call = call

    @property
    def definition(self) -> Definition:
        return self._factory.definition

    @property
    def request_type(self) -> type:
        return self._factory.request_type

    @property
    def response_type(self) -> Any:
        return self._factory.response_type


def _read_hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:
        raise TypeError(
            f"@tool on {function.__qualname__}: an annotation cannot be evaluated: {error}"
        ) from error


def _describe(annotation: Any, text: str | None, default: Any) -> Any:
    """Add the description `text` to `annotation`, unless it has one, and a mutable default."""
    from pydantic import Field  # noqa: PLC0415  slow to import
    from pydantic.fields import FieldInfo  # noqa: PLC0415

    metadata = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    if text and not any(isinstance(each, FieldInfo) and each.description for each in metadata):
        annotation = Annotated[annotation, Field(description=text)]
    if isinstance(default, dict | list):
        annotation = Annotated[annotation, Field(json_schema_extra={"default": copy.copy(default)})]
    return annotation


def _make_field(default: Any) -> Any:
    if default is inspect.Parameter.empty:
        return dataclasses.field()
    if type(default).__hash__ is None:  # a dataclass refuses it: all instances would share it
        return dataclasses.field(default_factory=functools.partial(copy.deepcopy, default))
    return dataclasses.field(default=default)
