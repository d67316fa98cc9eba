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
    """
    if spec is not None and (id or name or description or examples):
        raise TypeError("Pass @tool a spec, or id, name, description and examples, but not both.")

    def factory_of(function: Callable[..., Any]) -> FunctionFactory[..., Any]:
        given = Definition(
            name=name or function.__name__,
            description=description or read_docstring(function.__doc__).description,
            id=id,
            examples=tuple(examples),
        )
        is_configurable = CONFIGURATION in inspect.signature(function).parameters
        if configuration is not None and not is_configurable:
            raise TypeError(
                f"@tool on {function.__qualname__}: it has no parameter `configuration` to receive it."
            )
        made = ConfigurableFunctionFactory if is_configurable else UnconfigurableFunctionFactory
        return made(function, given, configuration, None if spec is None else read_spec(spec))

    return factory_of if function is None else factory_of(function)


def read_spec(spec: Spec) -> Mapping[str, Any]:
    """The document of a spec: itself, or read from JSON text or from the file of a path."""
    if isinstance(spec, Mapping):
        return spec
    document: dict[str, Any] = json.loads(
        Path(spec).read_bytes() if isinstance(spec, PathLike) else spec
    )
    return document


class FunctionFactory(Generic[P, R]):
    """A tool's factory made from a function by `@tool`. Calling it calls the function.

    Attributes:
        function: the decorated function.
        spec: the spec that was written by hand; None if it is made from the function.

    Schemas of types that JSON has are made when they are first read, so that importing a tool does
    not wait for pydantic; those of other types at once, so that one that cannot be a parameter or a
    response is refused.
    """

    def __init__(
        self,
        function: Callable[P, R],
        given: Definition,
        configuration: Any = None,
        document: Mapping[str, Any] | None = None,
    ) -> None:
        """Use `tool`."""
        self.function = function
        self.spec = document
        self._given = given if document is None else Definition.from_spec(document)
        self._hints = _hints_of(function)
        self._check_parameters()
        if configuration is not None:
            self._hints[CONFIGURATION] = configuration
        if not self._given.description:
            raise TypeError(
                f"@tool on {function.__qualname__}: it has no docstring, but LLMs need a description."
            )
        functools.update_wrapper(self, function)
        if document is None and not all(map(is_plain, self._hints.values())):
            self._check_types()

    def _check_types(self) -> None:
        """Check that JSON can have each type, unless a part of one is defined later in the module."""
        from toolshelf_tools.schemas import is_undefined, schema_of  # noqa: PLC0415  slow to import

        for name, hint in self._hints.items():
            where, annotation = f"the parameter `{name}`", hint
            if name == "return":
                where, annotation = "its response", self.response_type
            try:
                schema_of(annotation, of="response" if name == "return" else "request")
            except TypeError as error:
                if not is_undefined(error):
                    raise TypeError(
                        f"@tool on {self.function.__qualname__}: {where}: {error}."
                    ) from error

    def _check_parameters(self) -> None:
        for name, parameter in self._parameters.items():
            where = f"@tool on {self.function.__qualname__}: the parameter `{name}`"
            if stars := _VARIADIC.get(parameter.kind):
                raise TypeError(
                    f"{where} is `{stars}{name}`, which has no schema; name the parameters, or take a list."
                )
            if name not in self._hints and name != CONFIGURATION:
                raise TypeError(f"{where} has no type annotation; its schema is generated from it.")

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<@tool {self.function.__module__}.{self.function.__qualname__}>"

    def tool_id(self) -> str:
        return self._given.id

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
            return self._given
        from toolshelf_tools.schemas import schema_of  # noqa: PLC0415  slow to import

        returned = None
        if self.response_type is not Any:
            returned = schema_of(self.response_type, of="response")
            if text := read_docstring(self.function.__doc__).returns:
                returned.setdefault("description", text)
        parameters = schema_of(self.request_type, of="request")
        return dataclasses.replace(
            self._given, parameters_schema=parameters, return_type_schema=returned
        )

    @functools.cached_property
    def request_type(self) -> type:
        """The function's parameters as a dataclass."""
        texts = read_docstring(self.function.__doc__).arguments
        fields = []
        for name, parameter in self._parameters.items():
            if name != CONFIGURATION:
                annotation = _described(self._hints[name], texts.get(name), parameter.default)
                fields.append((name, annotation, _field_of(parameter.default)))
        name = (
            "".join(word.capitalize() for word in self.function.__name__.split("_")) + "Parameters"
        )
        namespace = (
            {} if self.spec is not None else {"__pydantic_config__": {"extra": "forbid"}}
        )  # the spec decides
        return dataclasses.make_dataclass(name, fields, kw_only=True, namespace=namespace)

    @functools.cached_property
    def response_type(self) -> Any:
        """The type of the response; `Any` if the function does not annotate it."""
        return response_type_of(self.function, default=Any)

    def _call(self, request: Any, **configuration: Any) -> R:
        values = {
            field.name: getattr(request, field.name) for field in dataclasses.fields(request)
        } | configuration
        names = [
            name for name, each in self._parameters.items() if each.kind is each.POSITIONAL_ONLY
        ]
        positional = [values.pop(name) for name in names]
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
        from toolshelf_tools.schemas import schema_of  # noqa: PLC0415  slow to import

        return schema_of(self.configuration_type, of="request")

    def create(self, configuration: Any) -> FunctionTool[R]:
        return FunctionTool(self, functools.partial(self._call, configuration=configuration))


class FunctionTool(DefinedTool, Generic[R]):
    """A tool made from a function. Its response is what the function returns: also a coroutine, or a generator."""

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


def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except Exception as error:
        raise TypeError(
            f"@tool on {function.__qualname__}: an annotation cannot be evaluated: {error}"
        ) from error


def _described(annotation: Any, text: str | None, default: Any) -> Any:
    """`annotation` with the description `text`, unless it has one, and with a default that is copied for each call."""
    from pydantic import Field  # noqa: PLC0415  slow to import
    from pydantic.fields import FieldInfo  # noqa: PLC0415

    annotated = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    if text and not any(isinstance(each, FieldInfo) and each.description for each in annotated):
        annotation = Annotated[annotation, Field(description=text)]
    if _is_mutable(default) and isinstance(default, dict | list):
        annotation = Annotated[annotation, Field(json_schema_extra={"default": copy.copy(default)})]
    return annotation


def _field_of(default: Any) -> Any:
    if default is inspect.Parameter.empty:
        return dataclasses.field()
    if _is_mutable(default):
        return dataclasses.field(default_factory=functools.partial(copy.deepcopy, default))
    return dataclasses.field(default=default)


def _is_mutable(default: Any) -> bool:
    """Whether a dataclass refuses it as a default, because all instances would share it."""
    return type(default).__hash__ is None
