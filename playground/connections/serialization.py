"""Parameters as text, in the styles of OpenAPI. An absent, null or empty value is not sent, as in RFC 6570.

    simple             path, header     blue,black,brown      R,100,G,200      R=100,G=200
    label              path             .blue,black,brown     .blue.black
    matrix             path             ;color=blue,black     ;color=blue;color=black
    form               query, cookie    color=blue,black      color=blue&color=black
    spaceDelimited     query            color=blue%20black
    pipeDelimited      query            color=blue%7Cblack
    deepObject         query            color[R]=100&color[G]=200

Sources: OpenAPI 3.1.1, "Parameter Object", "Style Values" and appendix C; Swagger 2.0, "Parameter Object"
(`collectionFormat`); RFC 6570.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

Encode = Callable[[str], str]

_RESERVED_IN_VALUES: Final = (
    ":/?@!$'()*,;"  # RFC 3986, section 2.2, without those that end or divide a query
)
_COLLECTION_FORMATS: Final[Mapping[str, tuple[str, bool]]] = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
_DELIMITERS: Final[Mapping[str, str]] = {
    "form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """How a parameter is written: its style, whether its items are written one by one, and what stays unescaped."""

    name: str
    explode: bool
    encode: Encode

    @classmethod
    def of(cls, wire: Mapping[str, Any], default: str) -> Style:
        """The style of a parameter.

        Args:
            wire: as in the extension `x-openapi`: {"style"?, "explode"?, "allowReserved"?, "collectionFormat"?}.
            default: of its location.
        """
        encode = _except_reserved if wire.get("allowReserved") is True else escaped
        collection = _COLLECTION_FORMATS.get(str(wire.get("collectionFormat")))
        if collection is not None:
            name, is_repeated = collection
            return cls(name if default == "form" else default, is_repeated, encode)
        name = str(wire.get("style") or default)
        explode = wire.get("explode")
        return cls(
            name,
            explode if isinstance(explode, bool) else name in {"form", "cookie", "deepObject"},
            encode,
        )


def escaped(text: str) -> str:
    return quote(text, safe="")


def _except_reserved(text: str) -> str:
    return quote(text, safe=_RESERVED_IN_VALUES)


def unescaped(text: str) -> str:
    return text


def text_of(value: object) -> str:
    """A value inside a parameter as text: strings as they are, anything else as JSON."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )


def is_absent(value: object) -> bool:
    """Whether RFC 6570 regards it as undefined."""
    return value is None or value in ([], {})


def in_path(name: str, value: object, style: Style) -> str:
    """The text that replaces `{name}` in a path."""
    encode, explode = style.encode, style.explode
    if style.name == "matrix":
        if isinstance(value, dict):
            pairs = _pairs(value, encode)
            flat = ",".join(part for pair in pairs for part in pair)
            return (
                "".join(f";{key}={one}" for key, one in pairs)
                if explode
                else f";{encode(name)}={flat}"
            )
        items = (
            [encode(text_of(item)) for item in value]
            if isinstance(value, list)
            else [encode(text_of(value))]
        )
        return "".join(
            f";{encode(name)}={item}" for item in (items if explode else [",".join(items)])
        )
    start, delimiter = (".", "." if explode else ",") if style.name == "label" else ("", ",")
    return start + _joined(value, delimiter, explode=explode, encode=encode)


def in_header(value: object, style: Style) -> str:
    """The value of a header: style simple, not escaped."""
    return _joined(value, ",", explode=style.explode, encode=unescaped)


def in_query(name: str, value: object, style: Style) -> list[str]:
    """The parts of a query, such as `color=blue`, to be joined by "&"."""
    encode, key = style.encode, escaped(name)
    if is_absent(value):
        return []
    if style.name == "deepObject" and isinstance(value, dict):
        return list(_deep(key, value, encode))
    if not isinstance(value, (list, dict)):
        return [f"{key}={encode(text_of(value))}"]
    if style.explode or style.name not in _DELIMITERS:
        if isinstance(value, dict):
            return [
                f"{escaped(inner)}={encode(text_of(one))}"
                for inner, one in value.items()
                if one is not None
            ]
        return [f"{key}={encode(text_of(item))}" for item in value]
    return [f"{key}={_joined(value, _DELIMITERS[style.name], explode=False, encode=encode)}"]


def _joined(value: object, delimiter: str, *, explode: bool, encode: Encode) -> str:
    if isinstance(value, dict):
        between = "=" if explode else delimiter
        return delimiter.join(f"{key}{between}{one}" for key, one in _pairs(value, encode))
    if isinstance(value, list):
        return delimiter.join(encode(text_of(item)) for item in value)
    return encode(text_of(value))


def _pairs(value: Mapping[str, object], encode: Encode) -> list[tuple[str, str]]:
    return [(encode(key), encode(text_of(one))) for key, one in value.items() if one is not None]


def _deep(key: str, value: Mapping[str, object], encode: Encode) -> list[str]:
    """`filter[a][b]=1`. OpenAPI leaves arrays undefined here; they are repeated, as most servers expect."""
    parts: list[str] = []
    for name, inner in value.items():
        path = f"{key}%5B{escaped(name)}%5D"
        if isinstance(inner, dict):
            parts += _deep(path, inner, encode)
        elif isinstance(inner, list):
            parts += [f"{path}={encode(text_of(item))}" for item in inner]
        elif inner is not None:
            parts.append(f"{path}={encode(text_of(inner))}")
    return parts
