"""Python names for the names in a spec, which may be any text: of the project, its classes and their members.

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
_BOUNDARY: Final = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
# Names that a member of a model cannot have: attributes of its base class, and the types in its annotations.
_RESERVED: Final = frozenset({
    *dir(BaseModel), "str", "int", "float", "bool", "list", "dict",
    "Annotated", "Any", "AwareDatetime", "ConfigDict", "Date", "Field", "JsonValue", "Literal", "Model", "UUID",
})  # fmt: skip
_OF_CLASSES: Final = (
    "Request",
    "Response",
    "Configuration",
)  # the names of classes begin with these


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
        name = name if name[0].isalpha() else f"Tool{name}"
        return cls(package, package.replace("_", "-"), f"{name}Tool", f"{name}ToolFactory")


def python_schemas(spec: ToolSpec) -> dict[str, tuple[JSON, str]]:
    """The schemas that become types: Request, Response and, if the tool has one, Configuration."""
    no_members: JSON = {"type": "object", "properties": {}}
    schemas: dict[str, tuple[JSON, str]] = {
        "Request": (
            no_members if spec.parameters is None else spec.parameters,
            "/definition/parameters",
        ),
        "Response": (
            True if spec.return_type is None else spec.return_type,
            "/definition/returnType",
        ),
    }
    if spec.configuration is not None:
        schemas["Configuration"] = (spec.configuration, "/configuration")
    return schemas


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """A different identifier for each of `names`; a name that can be one stays as it is."""
    ordered = sorted(set(names), key=lambda name: (identifier(name) != name, name))
    found: dict[str, str] = {}
    used: set[str] = set()
    for name in ordered:
        found[name] = unused(identifier(name), used)
    return found


def identifier(name: str) -> str:
    """The identifier for the member `name` of a JSON object, in ASCII: "user-id" is user_id, "class" is class_."""
    if len(name) <= MAX_NAME and _IDENTIFIER.fullmatch(name):
        made = name
    else:
        made = _shortened("_".join(_words(name)), name) or "member"
        made = made if made[0].isalpha() else f"member_{made}"
    is_reserved = (
        keyword.iskeyword(made) or made in _RESERVED or made.startswith(("model_", *_OF_CLASSES))
    )
    return f"{made}_" if is_reserved else made


def snake_name(name: str, *, default: str) -> str:
    """`name` in small letters with underscores, for modules and functions: "getWeather" is get_weather."""
    words = [part.lower() for word in _words(name) for part in _BOUNDARY.split(word) if part]
    made = _shortened("_".join(words), name) or default
    made = made if made[0].isalpha() else f"{default}_{made}"
    return f"{made}_" if keyword.iskeyword(made) else made


def pascal_name(name: str) -> str:
    """`name` as a part of a class name: "user-id" and "userId" are UserId; "" if it has no letters and digits."""
    parts = [part for word in _words(name) for part in _BOUNDARY.split(word) if part]
    return _shortened("".join(part[0].upper() + part[1:] for part in parts), name, separator="")


def unused(name: str, used: set[str], *, separator: str = "_") -> str:
    """`name`, or the first of name_2, name_3, … that is not in `used`, to which it is added."""
    made, number = name, 1
    while made in used:
        number += 1
        made = f"{name.rstrip('_')}{separator}{number}"
    used.add(made)
    return made


def _words(name: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.findall(r"[A-Za-z0-9]+", folded)


def _shortened(made: str, name: str, *, separator: str = "_") -> str:
    """`made`; or, if it is too long, its beginning and a few digits of a hash of `name`."""
    if len(made) <= MAX_NAME:
        return made
    return f"{made[: MAX_NAME - 9].rstrip('_')}{separator}{hashlib.sha256(name.encode()).hexdigest()[:8]}"
