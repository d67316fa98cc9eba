"""Encode Python values as strict JSON: exactly, with a size limit, and without silent changes.

A value that JSON cannot represent is refused with a JSON Pointer to it. Subclasses of `str`, `int`
and `float` are written as their underlying value, whatever they override.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any, Final

from toolshelf_tools.interfaces import File

MAX_DEPTH: Final = 64
_INTEGER_END: Final = 10**300
_INSTEAD: Final = {
    "bytes": "decode it, or wrap it in a File",
    "bytearray": "decode it, or wrap it in a File",
    "set": "return a sorted list",
    "frozenset": "return a sorted list",
    "datetime": "return its isoformat(), or annotate the response type",
    "date": "return its isoformat(), or annotate the response type",
    "time": "return its isoformat(), or annotate the response type",
    "Decimal": "return a float or a string, or annotate the response type",
    "UUID": "return it as a string, or annotate the response type",
    "generator": "return a list",
}


class NotJSONError(ValueError):
    """A value that strict JSON cannot represent. The message says where, and why."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"The response is not JSON at {pointer or 'its root'}: {reason}.")
        self.pointer = pointer


class TooLargeError(ValueError):
    """The JSON text is longer than allowed.

    Attributes:
        beginning: the beginning of the text, nearly as long as allowed; it may end anywhere.
    """

    def __init__(self, max_bytes: int, beginning: bytes = b"") -> None:
        super().__init__(f"The response takes more than {max_bytes:,} bytes as JSON.")
        self.beginning = beginning


def _refuse_file(_file: File, pointer: str) -> Any:
    raise NotJSONError(pointer, "a File cannot be represented in JSON")


def encode(
    value: object,
    *,
    max_bytes: int,
    describe_file: Callable[[File, str], Any] = _refuse_file,
) -> bytes:
    """Write `value` as JSON text in UTF-8.

    Args:
        value: of plain types, and files.
        max_bytes: of the text.
        describe_file: the value to write for a file and its pointer.

    Raises:
        NotJSONError: NaN, an infinity, bytes, a set, a key that is not a string, a lone surrogate,
            a value that contains itself, …
        TooLargeError: the text takes more than `max_bytes`; raised before it is assembled.
    """
    writer = _Writer(max_bytes, describe_file=describe_file)
    writer.write(value, "")
    return b"".join(writer.pieces)


class _Writer:
    """The text so far, and the containers that are still open."""

    def __init__(self, max_bytes: int, *, describe_file: Callable[[File, str], Any]) -> None:
        self.pieces: list[bytes] = []
        self._max_bytes = max_bytes
        self._room = max_bytes
        self._describe_file = describe_file
        self._open: list[int] = []

    def write(self, value: object, pointer: str) -> None:
        method = _BY_TYPE.get(type(value)) or _find_method(value, pointer)
        method(self, value, pointer)

    def put(self, piece: bytes) -> None:
        if len(piece) > self._room:
            self.pieces.append(piece[: self._room])
            raise TooLargeError(self._max_bytes, b"".join(self.pieces))
        self._room -= len(piece)
        self.pieces.append(piece)

    def write_none(self, _value: None, _pointer: str) -> None:
        self.put(b"null")

    def write_bool(self, value: bool, _pointer: str) -> None:
        self.put(b"true" if value else b"false")

    def write_str(self, value: str, pointer: str) -> None:
        text = str.__str__(value)
        if len(text) > self._room:
            text = text[: self._room]  # `put` refuses it: its quotation marks no longer fit
        try:
            data = encode_basestring(text).encode()
        except UnicodeEncodeError:
            raise NotJSONError(pointer, "a string contains an unpaired surrogate") from None
        if "\0" in text:
            raise NotJSONError(pointer, "a string contains a NUL character")
        self.put(data)

    def write_int(self, value: int, pointer: str) -> None:
        number = int.__add__(value, 0)
        if not -_INTEGER_END < number < _INTEGER_END:
            raise NotJSONError(pointer, "the integer has more than 300 digits")
        self.put(b"%d" % number)

    def write_float(self, value: float, pointer: str) -> None:
        number = float.__pos__(value)
        if not math.isfinite(number):
            raise NotJSONError(pointer, f"{number} is not a JSON number")
        self.put(repr(number).encode())

    def write_file(self, value: File, pointer: str) -> None:
        self.write(self._describe_file(value, pointer), pointer)

    def write_array(self, value: list[object] | tuple[object, ...], pointer: str) -> None:
        self._enter(value, pointer)
        before = b"["
        for index, item in enumerate(value):
            self.put(before)
            self.write(item, f"{pointer}/{index}")
            before = b","
        self.put(b"[]" if before == b"[" else b"]")
        self._open.pop()

    def write_object(self, value: dict[object, object], pointer: str) -> None:
        self._enter(value, pointer)
        before = b"{"
        names: set[str] = set()
        for key, item in value.items():
            if not isinstance(key, str):
                kind = _add_article(type(key).__name__)
                raise NotJSONError(pointer, f"the key {_show_key(key)} is {kind}, not a string")
            name = str.__str__(key)
            if name in names:
                raise NotJSONError(pointer, f"the key {_show_key(name)} is a duplicate")
            names.add(name)
            self.put(before)
            self.write_str(name, pointer)
            self.put(b":")
            self.write(item, pointer_join(pointer, name))
            before = b","
        self.put(b"{}" if before == b"{" else b"}")
        self._open.pop()

    def _enter(self, container: object, pointer: str) -> None:
        if id(container) in self._open:
            raise NotJSONError(pointer, "the value contains a circular reference")
        if len(self._open) >= MAX_DEPTH:
            raise NotJSONError(pointer, f"it is nested more than {MAX_DEPTH} deep")
        self._open.append(id(container))


_BY_TYPE: Final[dict[type, Callable[[_Writer, Any, str], None]]] = {
    str: _Writer.write_str,
    bool: _Writer.write_bool,
    int: _Writer.write_int,
    float: _Writer.write_float,
    type(None): _Writer.write_none,
    dict: _Writer.write_object,
    list: _Writer.write_array,
    tuple: _Writer.write_array,
    File: _Writer.write_file,
}


def _find_method(value: object, pointer: str) -> Callable[[_Writer, Any, str], None]:
    for base, method in _BY_TYPE.items():
        if isinstance(value, base):
            return method
    name = type(value).__name__
    reason = f"{_add_article(name)} cannot be represented in JSON"
    if name in _INSTEAD:
        reason += f"; {_INSTEAD[name]}"
    raise NotJSONError(pointer, reason)


def pointer_join(pointer: str, *tokens: str | int) -> str:
    """`pointer` extended by `tokens`, each escaped (RFC 6901, section 3)."""
    for token in tokens:
        pointer += "/" + str(token).replace("~", "~0").replace("/", "~1")
    return pointer


def _add_article(name: str) -> str:
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return f"{article} {name}"


def _show_key(key: object) -> str:
    """Show a key in an error message, unless its `repr` may run code of the tool."""
    if type(key) in {str, int, float, bool, bytes, type(None)}:
        return repr(key)[:80]
    return "of this object"
