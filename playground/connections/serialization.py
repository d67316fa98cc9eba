"""Parameters as text, in the styles of OpenAPI.

An absent, null or empty value is not sent, as in RFC 6570.

    simple             path, header     blue,black,brown      R,100,G,200      R=100,G=200
    label              path             .blue,black,brown     .blue.black
    matrix             path             ;color=blue,black     ;color=blue;color=black
    form               query, cookie    color=blue,black      color=blue&color=black
    spaceDelimited     query            color=blue%20black
    pipeDelimited      query            color=blue%7Cblack
    deepObject         query            color[R]=100&color[G]=200

Sources: OpenAPI 3.1.1, "Parameter Object", "Style Values" and appendix C; Swagger 2.0,
"Parameter Object" (`collectionFormat`); RFC 6570.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

Encode = Callable[[str], str]

# RFC 3986, section 2.2, without those that end or divide a query.
_RESERVED_IN_VALUES: Final = ":/?@!$'()*,;"
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
    """How a parameter is written.

    Attributes:
        explode: whether its items are written one by one.
        encode: escapes names and values, or leaves some characters unescaped.
    """

    name: str
    explode: bool
    encode: Encode

    @classmethod
    def of(cls, wire: Mapping[str, Any], default: str) -> Style:
        """The style of a parameter.

        Args:
            wire: as in the extension `x-openapi`: {"style"?, "explode"?, "allowReserved"?,
                "collectionFormat"?}.
            default: of its location.
        """
        encode = _escape_except_reserved if wire.get("allowReserved") is True else escape
        collection = _COLLECTION_FORMATS.get(str(wire.get("collectionFormat")))
        if collection is not None:
            name, is_repeated = collection
            return cls(name if default == "form" else default, is_repeated, encode)
        name = str(wire.get("style") or default)
        explode = wire.get("explode")
        if not isinstance(explode, bool):
            explode = name in {"form", "cookie", "deepObject"}
        return cls(name, explode, encode)


def escape(text: str) -> str:
    return quote(text, safe="")


def _escape_except_reserved(text: str) -> str:
    return quote(text, safe=_RESERVED_IN_VALUES)


def text_of(value: object) -> str:
    """A value inside a parameter as text: strings as they are, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_absent(value: object) -> bool:
    """Whether RFC 6570 regards it as undefined."""
    return value is None or value in ([], {})


def expand_path(
    name: str,
    value: object,
    style: Style,
) -> str:
    """The text that replaces `{name}` in a path."""
    if style.name == "matrix":
        return _expand_matrix(name, value, style)
    if style.name != "label":
        return _join(value, ",", explode=style.explode, encode=style.encode)
    delimiter = "." if style.explode else ","
    return "." + _join(value, delimiter, explode=style.explode, encode=style.encode)


def _expand_matrix(
    name: str,
    value: object,
    style: Style,
) -> str:
    key = style.encode(name)
    if isinstance(value, dict):
        pairs = _encode_pairs(value, style.encode)
        if style.explode:
            return "".join(f";{member}={text}" for member, text in pairs)
        return f";{key}=" + ",".join(f"{member},{text}" for member, text in pairs)
    items = value if isinstance(value, list) else [value]
    texts = [style.encode(text_of(item)) for item in items]
    if not style.explode:
        texts = [",".join(texts)]
    return "".join(f";{key}={text}" for text in texts)


def expand_header(value: object, style: Style) -> str:
    """The value of a header: style simple, not escaped."""
    return _join(value, ",", explode=style.explode, encode=str)


def expand_query(
    name: str,
    value: object,
    style: Style,
) -> list[str]:
    """The parts of a query, such as `color=blue`, to be joined by "&"."""
    encode, key = style.encode, escape(name)
    if is_absent(value):
        return []
    if style.name == "deepObject" and isinstance(value, dict):
        return _expand_deep_object(key, value, encode)
    if not isinstance(value, list | dict):
        return [f"{key}={encode(text_of(value))}"]
    if not style.explode and style.name in _DELIMITERS:
        text = _join(value, _DELIMITERS[style.name], explode=False, encode=encode)
        return [f"{key}={text}"]
    if isinstance(value, list):
        return [f"{key}={encode(text_of(item))}" for item in value]
    members = [(name, member) for name, member in value.items() if member is not None]
    return [f"{escape(name)}={encode(text_of(member))}" for name, member in members]


def _join(
    value: object,
    delimiter: str,
    *,
    explode: bool,
    encode: Encode,
) -> str:
    if isinstance(value, dict):
        between = "=" if explode else delimiter
        pairs = _encode_pairs(value, encode)
        return delimiter.join(f"{key}{between}{text}" for key, text in pairs)
    if isinstance(value, list):
        return delimiter.join(encode(text_of(item)) for item in value)
    return encode(text_of(value))


def _encode_pairs(value: Mapping[str, object], encode: Encode) -> list[tuple[str, str]]:
    pairs = []
    for key, member in value.items():
        if member is not None:
            pairs.append((encode(key), encode(text_of(member))))
    return pairs


def _expand_deep_object(
    key: str,
    value: Mapping[str, object],
    encode: Encode,
) -> list[str]:
    """`filter[a][b]=1`.

    OpenAPI leaves arrays undefined here; they are repeated, as most servers expect.
    """
    parts: list[str] = []
    for name, member in value.items():
        path = f"{key}%5B{escape(name)}%5D"
        if isinstance(member, dict):
            parts += _expand_deep_object(path, member, encode)
        elif isinstance(member, list):
            parts += [f"{path}={encode(text_of(item))}" for item in member]
        elif member is not None:
            parts.append(f"{path}={encode(text_of(member))}")
    return parts
