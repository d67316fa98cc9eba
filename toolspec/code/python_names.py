"""Python names for the names in a spec, which may be any text.

They are those of the project, its classes and their members.
Every name depends only on the spec, so generating again gives the same names.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from toolspec.spec import ToolSpec
from toolspec.text.reader import JSON

MAX_NAME: Final = 60  # characters of a generated name

_IDENTIFIER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Names that a member of a model cannot have: attributes of its base class, and the types in its
# annotations.
_RESERVED: Final = frozenset(dir(BaseModel)) | frozenset({
    "str", "int", "float", "bool", "list", "dict", "Annotated", "Any", "AwareDatetime",
    "ConfigDict", "Date", "Field", "JsonValue", "Literal", "Model", "UUID",
})  # fmt: skip
# The names of classes, and those of pydantic's own attributes, begin with these.
_RESERVED_STARTS: Final = ("Request", "Response", "Configuration", "model_")


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Names for "Get weather": the package get_weather_tool, the class GetWeatherTool."""

    package: str
    distribution: str
    tool: str
    factory: str

    @classmethod
    def of(cls, spec: ToolSpec) -> ToolNames:
        base = snake_name(spec.tool_id, default="tool").strip("_").removesuffix("_tool")
        package = f"{base}_tool" if base != "tool" else "generated_tool"
        name = pascal_name(spec.tool_id).removesuffix("Tool") or "Generated"
        if not name[0].isalpha():
            name = f"Tool{name}"
        return cls(package, package.replace("_", "-"), f"{name}Tool", f"{name}ToolFactory")


def python_schemas(spec: ToolSpec) -> dict[str, tuple[JSON, str]]:
    """The schemas that become types: Request, Response and, if the tool has one, Configuration."""
    parameters = spec.parameters
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    return_type = spec.return_type
    if return_type is None:
        return_type = True
    schemas: dict[str, tuple[JSON, str]] = {
        "Request": (parameters, "/definition/parameters"),
        "Response": (return_type, "/definition/returnType"),
    }
    if spec.configuration is not None:
        schemas["Configuration"] = (spec.configuration, "/configuration")
    return schemas


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """A different identifier for each of `names`; a name that can be one stays as it is."""
    ordered = sorted(set(names), key=lambda name: (identifier(name) != name, name))
    used: set[str] = set()
    return {name: make_unused(identifier(name), used) for name in ordered}


def identifier(name: str) -> str:
    """The identifier for the member `name` of a JSON object, in ASCII.

    "user-id" is user_id, "class" is class_.
    """
    result = name
    if len(name) > MAX_NAME or not _IDENTIFIER.fullmatch(name):
        result = _shorten("_".join(_split_words(name)), name) or "member"
        if not result[0].isalpha():
            result = f"member_{result}"
    is_reserved = result in _RESERVED or result.startswith(_RESERVED_STARTS)
    if is_reserved or keyword.iskeyword(result):
        return f"{result}_"
    return result


def snake_name(name: str, *, default: str) -> str:
    """`name` in small letters with underscores, for modules: "getWeather" is get_weather."""
    words = "_".join(_split_words(name))
    result = _shorten(_BOUNDARY.sub("_", words).lower(), name) or default
    if not result[0].isalpha():
        result = f"{default}_{result}"
    if keyword.iskeyword(result):
        return f"{result}_"
    return result


def pascal_name(name: str) -> str:
    """`name` as a part of a class name: "user-id" and "userId" are UserId.

    It is "" if `name` has no letters and digits.
    """
    words = [word[0].upper() + word[1:] for word in _split_words(name)]
    return _shorten("".join(words), name, separator="")


def make_unused(name: str, used: set[str], *, separator: str = "_") -> str:
    """`name`, or the first of name_2, name_3, … that is not in `used`, to which it is added."""
    result = name
    number = 1
    while result in used:
        number += 1
        result = f"{name.rstrip('_')}{separator}{number}"
    used.add(result)
    return result


def _split_words(name: str) -> list[str]:
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", ascii_name)


def _shorten(result: str, name: str, *, separator: str = "_") -> str:
    """`result`; or, if it is too long, its beginning and a few digits of a hash of `name`."""
    if len(result) <= MAX_NAME:
        return result
    start = result[: MAX_NAME - 9].rstrip("_")
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{start}{separator}{digest[:8]}"
