"""The body of a request in its media type, from the JSON value that describes it.

JSON has no bytes, so where the media type or the schema asks for bytes, a string is a data URL
(`data:image/png;name=p.png;base64,…`), whose content is sent; any other string is sent as UTF-8.
Where the schema asks for bytes as text (`contentEncoding`, `format: byte`), the content of a data
URL is sent in Base64.

Sources: OpenAPI 3.1.1, "Encoding Object", "Considerations for File Uploads"; RFC 7578
(multipart/form-data); RFC 2397; RFC 9110, "Accept" (media type ranges).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import quote_plus, unquote, unquote_to_bytes

from playground.connections.serialization import Style, expand_query, text_of
from toolshelf_tools import ToolError
from toolspec.schema.children import declared_at
from toolspec.schema.validation import Subschema, compile_schema
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join

FORM: Final = "application/x-www-form-urlencoded"
BYTES: Final = "application/octet-stream"
_DATA_URL: Final = re.compile(r"data:([^,;]*(?:;(?!base64,)[^,;]*)*)(;base64)?,(.*)", re.DOTALL)
HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_STYLES: Final = ("style", "explode", "allowReserved", "collectionFormat")
# How bytes become text, by the values of `contentEncoding` and of `format`.
_AS_TEXT: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "base64": base64.b64encode,
    "byte": base64.b64encode,
    "base64url": base64.urlsafe_b64encode,
}


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a multipart body.

    `media_type` is "" for plain text. `headers` are further ones.
    """

    name: str
    content: bytes = field(repr=False)
    media_type: str = ""
    file_name: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The body of a request. `pieces` are the parts of a multipart body, for the log."""

    content: bytes = field(repr=False)
    media_type: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class DataURL:
    """The parts of a data URL; `media_type` and `file_name` are "" if it names none."""

    content: bytes = field(repr=False)
    media_type: str = ""
    file_name: str = ""


def make_body(
    value: Any,
    media_type: str,
    schema: Any,
    encoding: Mapping[str, Any],
) -> RequestBody:
    """The body that `value` describes.

    Args:
        value: JSON.
        media_type: as the document declares it, possibly a range ("image/*"); "*/*" is JSON unless
            bytes are declared.
        schema: of `value`, with its definitions, to know which strings are bytes.
        encoding: of the members of a form, by name: {"contentType"?, "headers"?, "style"?,
            "explode"?, "allowReserved"?}.

    Raises:
        ToolError: the media type needs another type of value, or a file whose type the range
            includes.
    """
    essence = _essence(media_type)
    is_range = "*" in essence
    root = compile_schema(schema).root
    if isinstance(value, str) and is_range and _takes_bytes(essence, declared_at(root, "")):
        return _make_file_body(value, media_type)
    if essence.endswith(("/json", "+json")) or essence in {"*/*", "application/*"}:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return RequestBody(text.encode(), "application/json" if is_range else media_type)
    if (essence == FORM or _is_multipart(essence)) and not isinstance(value, dict):
        kind = _describe_type(value)
        raise ToolError(
            f"A body of the type {essence} requires an object, but the value is {kind}."
        )
    if essence == FORM:
        return RequestBody(_write_form(value, encoding).encode(), media_type)
    if _is_multipart(essence):
        return _make_multipart(value, essence, root, encoding)
    if isinstance(value, dict | list):
        raise ToolError(
            f"A body of the type {essence} cannot be made from {_describe_type(value)}. "
            "Sync the source again: the tool then takes the body as text."
        )
    content = text_of(value).encode()
    if isinstance(value, str):
        file = _find_file(value, declared_at(root, ""), media_type)
        content = file.content if file else content
    return RequestBody(content, "text/plain" if is_range else media_type)


def _takes_bytes(essence: str, declared: list[Subschema]) -> bool:
    """Whether a string that is sent in this range is bytes."""
    if essence in {"*/*", "application/*"} or essence.endswith("+json"):
        return is_binary(declared)
    return essence != "text/*" or is_binary(declared)


def _make_file_body(value: str, media_range: str) -> RequestBody:
    file = read_data_url(value)
    media_type = _choose_type(media_range, file.media_type or BYTES)
    if not media_type:
        reason = f"{file.media_type} is not one" if file.media_type else "the value names none"
        raise ToolError(
            f"The body must have a type of the range {media_range}, but {reason}. "
            "Give a data URL with its type, such as data:image/png;base64,…"
        )
    return RequestBody(file.content, media_type)


def read_data_url(text: str) -> DataURL:
    """The parts of a data URL; any other text has only a content, its UTF-8.

    The parameter `name` or `filename`, which libraries for forms add, is the name of the file.

    Raises:
        ToolError: the data URL is not valid base64.
    """
    match = _DATA_URL.fullmatch(text)
    if match is None:
        return DataURL(text.encode())
    head, is_base64, data = match.groups()
    try:
        content = base64.b64decode(data, validate=True) if is_base64 else unquote_to_bytes(data)
    except binascii.Error as error:
        raise ToolError(f"The data URL {text[:30]}… is not valid base64: {error}.") from None
    media_type, *parameters = [part.strip() for part in head.split(";")]
    file_name = ""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.lower() in {"name", "filename"}:
            file_name = unquote(value).replace("\\", "/").rpartition("/")[2]
        elif parameter:
            media_type += f";{parameter}"
    return DataURL(content, media_type, file_name)


def is_binary(declared: Iterable[Subschema], media_type: str = "") -> bool:
    """Whether strings are bytes.

    By the media type, `format: binary` (3.0) or `contentMediaType` (3.1).

    `declared`: the subschemas that may apply to the string.
    """
    essence = _essence(media_type)
    if essence and not essence.startswith("text/") and essence != FORM:
        return True
    is_declared = False
    for subschema in declared:
        keywords = subschema.all_keywords
        if keywords.get("contentEncoding", "binary") != "binary":
            return False
        if keywords.get("format") == "binary":
            is_declared = True
        if "contentMediaType" in keywords or "contentEncoding" in keywords:
            is_declared = True
    return is_declared


def _find_encoder(declared: Iterable[Subschema]) -> Callable[[bytes], bytes] | None:
    """The function that writes bytes as text, if a string holds bytes so; else None."""
    for subschema in declared:
        keywords = subschema.all_keywords
        for name in (keywords.get("contentEncoding"), keywords.get("format")):
            if isinstance(name, str) and name.lower() in _AS_TEXT:
                return _AS_TEXT[name.lower()]
    return None


def _write_form(value: Mapping[str, Any], encoding: Mapping[str, Any]) -> str:
    """Objects are JSON and arrays are repeated, unless a style is declared ("Encoding Object")."""
    parts: list[str] = []
    for name, member in value.items():
        declared = members_of(encoding.get(name))
        if not declared.keys().isdisjoint(_STYLES):
            parts += expand_query(name, member, Style.of(declared, "form"))
            continue
        for item in member if isinstance(member, list) else [member]:
            if item is not None:
                parts.append(f"{quote_plus(name)}={quote_plus(text_of(item))}")
    return "&".join(parts)


def _make_multipart(
    value: Mapping[str, Any],
    essence: str,
    root: Subschema,
    encoding: Mapping[str, Any],
) -> RequestBody:
    pieces = tuple(_make_pieces(value, root, encoding))
    boundary = secrets.token_hex(16)
    chunks = []
    for piece in pieces:
        head = f"--{boundary}\r\n{_write_head(piece)}\r\n\r\n"
        chunks += [head.encode(), piece.content, b"\r\n"]
    chunks.append(f"--{boundary}--\r\n".encode())
    return RequestBody(b"".join(chunks), f"{essence}; boundary={boundary}", pieces)


def _make_pieces(
    value: Mapping[str, Any],
    root: Subschema,
    encoding: Mapping[str, Any],
) -> Iterator[Piece]:
    """A part for each member, and for each item of an array."""
    for name, member in value.items():
        declared = members_of(encoding.get(name))
        headers = tuple(_list_part_headers(declared))
        items = {pointer_join("", name): member}
        if isinstance(member, list):
            items = {pointer_join("", name, index): item for index, item in enumerate(member)}
        for pointer, item in items.items():
            if item is not None:
                piece = _make_piece(name, item, declared_at(root, pointer), declared)
                yield replace(piece, headers=headers)


def _list_part_headers(declared: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in members_of(declared.get("headers")).items():
        if HEADER_NAME.fullmatch(name):
            yield name, _join_lines(str(value))


def _make_piece(
    name: str,
    item: Any,
    schema: list[Subschema],
    declared: Mapping[str, Any],
) -> Piece:
    ranges = str(declared.get("contentType", ""))
    media_type = _choose_type(ranges, "")
    if isinstance(item, dict | list):
        if media_type and not _essence(media_type).endswith(("/json", "+json")):
            kind = _describe_type(item)
            raise ToolError(
                f"The part `{name}` has the type {media_type}, which cannot be made from {kind}."
            )
        return Piece(name, text_of(item).encode(), media_type or "application/json")
    file = None
    if isinstance(item, str):
        file = _find_file(item, schema, media_type)
        if file is None and "*" in ranges and _DATA_URL.fullmatch(item):
            file = read_data_url(item)
    if file is None:
        return Piece(name, text_of(item).encode(), media_type)
    file_type = file.media_type or BYTES
    if ranges:
        file_type = _choose_type(ranges, file_type)
    if not file_type:
        reason = "the value names no type"
        if file.media_type:
            reason = f"the file has the type {file.media_type}"
        raise ToolError(f"The part `{name}` must have a type of the range {ranges}, but {reason}.")
    return Piece(name, file.content, file_type, file.file_name or name)


def _find_file(text: str, declared: list[Subschema], media_type: str) -> DataURL | None:
    """The file that a string describes, in Base64 if the schema declares this.

    None if it is text.
    """
    encode = _find_encoder(declared)
    if encode is None:
        return read_data_url(text) if is_binary(declared, media_type) else None
    if not _DATA_URL.fullmatch(text):
        return None
    file = read_data_url(text)
    return replace(file, content=encode(file.content))


def _choose_type(ranges: str, own_type: str) -> str:
    """The type of a file: its own if one of the list `ranges` includes it.

    Else the first complete one of the list; "" if there is none.
    """
    listed = [part.strip() for part in ranges.split(",")]
    own_essence = _essence(own_type)
    for media_range in filter(None, listed):
        start, is_range, _ = _essence(media_range).partition("*")
        if own_type and is_range and own_essence.startswith(start):
            return own_type
        if own_type and own_essence == start:
            return own_type
    return next((part for part in listed if part and "*" not in part), "")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _is_multipart(essence: str) -> bool:
    return essence.startswith("multipart/")


def _write_head(piece: Piece) -> str:
    head = f'Content-Disposition: form-data; name="{_quote(piece.name)}"'
    if piece.file_name:
        head += f'; filename="{_quote(piece.file_name)}"'
    if piece.media_type:
        head += f"\r\nContent-Type: {_join_lines(piece.media_type)}"
    for name, value in piece.headers:
        head += f"\r\n{name}: {value}"
    return head


def _quote(text: str) -> str:
    """As browsers write names (HTML, "multipart/form-data encoding algorithm")."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _join_lines(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "", text)


def _describe_type(value: Any) -> str:
    kinds = {
        type(None): "null",
        bool: "a boolean",
        str: "a string",
        list: "an array",
        dict: "an object",
    }
    return kinds.get(type(value), "a number")
