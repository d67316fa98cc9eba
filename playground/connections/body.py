"""The body of a request in its media type, from the JSON value that describes it.

JSON has no bytes, so where the media type or the schema asks for bytes, a string is a data URL
(`data:image/png;base64,…`), whose content is sent; any other string is sent as UTF-8.

Sources: OpenAPI 3.1.1, "Encoding Object", "Considerations for File Uploads"; RFC 7578 (multipart/form-data); RFC 2397.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote_plus, unquote_to_bytes

from playground.connections.serialization import Style, in_query, text_of
from toolshelf_tools import ToolError

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
BYTES: Final = "application/octet-stream"
_DATA_URL: Final = re.compile(r"data:([^,;]*(?:;(?!base64,)[^,;]*)*)(;base64)?,(.*)", re.DOTALL)
_STYLES: Final = ("style", "explode", "allowReserved", "collectionFormat")


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a multipart body; `media_type` is "" for plain text."""

    name: str
    content: bytes = field(repr=False)
    media_type: str = ""
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The body of a request. `pieces` are the parts of a multipart body, for the log."""

    content: bytes = field(repr=False)
    media_type: str
    pieces: tuple[Piece, ...] = ()


def body_of(value: Any, media_type: str, schema: Any, encoding: Mapping[str, Any]) -> RequestBody:
    """The body that `value` describes.

    Args:
        value: JSON.
        media_type: as the document declares it; "*/*" is JSON.
        schema: of `value`, to know which strings are bytes.
        encoding: of the members of a form, by name: {"contentType"?, "style"?, "explode"?, "allowReserved"?}.

    Raises:
        ToolError: the media type needs another type of value.
    """
    essence = media_type.partition(";")[0].strip().lower()
    if essence.endswith(("/json", "+json")) or essence in {"*/*", "application/*"}:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return RequestBody(text.encode(), "application/json" if "*" in essence else media_type)
    if essence in {FORM, MULTIPART} and not isinstance(value, dict):
        raise ToolError(f"A body of the type {essence} requires an object, but the value is {_kind(value)}.")
    if essence == FORM:
        return RequestBody(_form(value, encoding).encode(), media_type)
    if essence == MULTIPART:
        return _multipart(value, schema, encoding)
    if isinstance(value, str):
        return RequestBody(bytes_of(value)[0] if is_binary(schema, media_type) else value.encode(), media_type)
    return RequestBody(text_of(value).encode(), media_type)


def bytes_of(text: str) -> tuple[bytes, str]:
    """The content of a data URL and its media type; of any other text, its UTF-8 and "".

    Raises:
        ToolError: the data URL is not valid base64.
    """
    found = _DATA_URL.fullmatch(text)
    if found is None:
        return text.encode(), ""
    media_type, is_base64, data = found.groups()
    try:
        content = base64.b64decode(data, validate=True) if is_base64 else unquote_to_bytes(data)
    except binascii.Error as error:
        raise ToolError(f"The data URL {text[:30]}… is not valid base64: {error}.") from None
    return content, media_type


def is_binary(schema: Any, media_type: str = "") -> bool:
    """Whether strings of `schema` are bytes: by the media type, `format: binary` (3.0) or `contentMediaType` (3.1)."""
    essence = media_type.partition(";")[0].strip().lower()
    if essence and not essence.startswith("text/") and essence != FORM:
        return True
    if not isinstance(schema, dict) or "contentEncoding" in schema:
        return False
    return schema.get("format") == "binary" or "contentMediaType" in schema


def _form(value: Mapping[str, Any], encoding: Mapping[str, Any]) -> str:
    """Objects are JSON and arrays are repeated, unless a style is declared ("Encoding Object")."""
    parts: list[str] = []
    for name, member in value.items():
        declared = _declared(encoding, name)
        if any(key in declared for key in _STYLES):
            parts += in_query(name, member, Style.of(declared, "form"))
            continue
        items = member if isinstance(member, list) else [member]
        parts += [f"{quote_plus(name)}={quote_plus(text_of(item))}" for item in items if item is not None]
    return "&".join(parts)


def _multipart(value: Mapping[str, Any], schema: Any, encoding: Mapping[str, Any]) -> RequestBody:
    pieces = [
        _piece(name, item, _schema_of_items(schema, name, member), _declared(encoding, name))
        for name, member in value.items()
        for item in (member if isinstance(member, list) else [member])
        if item is not None
    ]
    boundary = secrets.token_hex(16)
    content = b"".join(b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary.encode(), _head(one), one.content) for one in pieces)
    closing = f"--{boundary}--\r\n".encode()
    return RequestBody(content + closing, f"{MULTIPART}; boundary={boundary}", tuple(pieces))


def _piece(name: str, item: Any, schema: Any, declared: Mapping[str, Any]) -> Piece:
    media_type = str(declared.get("contentType", "")).partition(",")[0].strip()
    media_type = "" if "*" in media_type else media_type
    if isinstance(item, str) and is_binary(schema, media_type):
        content, own_type = bytes_of(item)
        return Piece(name, content, media_type or own_type or BYTES, file_name=name)
    if isinstance(item, dict):
        return Piece(name, text_of(item).encode(), media_type or "application/json")
    return Piece(name, text_of(item).encode(), media_type)


def _head(piece: Piece) -> bytes:
    head = f'Content-Disposition: form-data; name="{_quoted(piece.name)}"'
    head += f'; filename="{_quoted(piece.file_name)}"' if piece.file_name else ""
    head += f"\r\nContent-Type: {_one_line(piece.media_type)}" if piece.media_type else ""
    return head.encode()


def _quoted(text: str) -> str:
    """As browsers write names in multipart bodies (HTML, "multipart/form-data encoding algorithm")."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "", text)


def _declared(encoding: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    declared = encoding.get(name)
    return declared if isinstance(declared, dict) else {}


def _schema_of_items(schema: Any, name: str, member: Any) -> Any:
    """The schema of one part: of the member, or of the items of an array."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    found = properties.get(name) if isinstance(properties, dict) else None
    if isinstance(found, dict) and isinstance(member, list):
        return found.get("items")
    return found


def _kind(value: Any) -> str:
    kinds = {type(None): "null", bool: "a boolean", str: "a string", list: "an array"}
    return kinds.get(type(value), "a number")
