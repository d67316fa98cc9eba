"""Files of a response: what a tool returns, as content with a name and a media type."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any, Final

from toolshelf_tools.interfaces import File
from toolshelf_tools.type_conversion import is_plain

UNKNOWN: Final = "application/octet-stream"
JSON_TYPE: Final = "application/json"
# OpenAPI 3.0, and pydantic for `bytes`, write them instead of contentEncoding base64.
BASE64_FORMATS: Final = ("byte", "binary")
MAX_FILES: Final = 20
MAX_NAME: Final = 150
MEDIA_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,49}/[a-z0-9][a-z0-9!#$&^_.+-]{0,98}")
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
_TYPES: Final = MimeTypes()  # only those that Python itself knows, the same on every machine
_TYPES.add_type("audio/wav", ".wav")  # instead of audio/x-wav
_EXTENSIONS: Final = {
    "image/jpeg": ".jpg",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "text/plain": ".txt",
}
_SIGNATURES: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"ID3|\xff[\xfb\xf3\xf2]"), "audio/mpeg"),
    (re.compile(rb"OggS"), "audio/ogg"),
    (re.compile(rb"fLaC"), "audio/flac"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"PK\x03\x04"), "application/zip"),
)


class BadFileError(ValueError):
    """A file that cannot be part of the response. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class ResponseFile:
    """One file of a response.

    Attributes:
        pointer: JSON Pointer to it in the response.
        media_type: `UNKNOWN` if neither the tool nor the content shows it.
        is_whole: it is the complete response as JSON, of which the response has only the beginning.
    """

    name: str
    media_type: str
    content: bytes
    pointer: str = ""
    is_whole: bool = False

    def description(self) -> dict[str, Any]:
        """Its value in the response."""
        from hashlib import sha256  # noqa: PLC0415  it takes a while, and few responses have files

        return {
            "name": self.name,
            "mediaType": self.media_type,
            "size": len(self.content),
            "sha256": sha256(self.content).hexdigest(),
        }

    def base64(self) -> str:
        """Its value in the response where that is declared as a string in Base64."""
        return b64encode(self.content).decode()


def file_in_base64(data: str, *, media_type: str, name: str = "") -> File | str:
    """The file that another program sent as Base64; the string itself if it is not Base64."""
    try:
        content = b64decode(data, validate=True)
    except ValueError:
        return data
    media_type = _strip_parameters(media_type)
    if not MEDIA_TYPE.fullmatch(media_type):
        media_type = ""
    return File(content, media_type=media_type, name=name)


def _strip_parameters(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def as_file(response: object, annotation: object) -> object:
    """A response that is bytes or a path as a `File`; any other value unchanged.

    If the tool annotates the type of its response, a path outside the working folder is a value.
    """
    if isinstance(response, bytes | bytearray | memoryview):
        return File(response)  # type: ignore[arg-type]
    if not isinstance(response, Path):
        return response
    if not is_plain(annotation) and not _is_file_of_run(response):
        return response
    return File(path=response)


def _is_file_of_run(path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(Path.cwd().resolve()) and path.is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def read_file(file: File, pointer: str, *, max_bytes: int) -> ResponseFile:
    """Read a file of the response.

    Args:
        file: in a run, whose working folder is the current directory.
        pointer: JSON Pointer to it in the response.
        max_bytes: of its content.

    Raises:
        BadFileError: it cannot be read, is not in the working folder, is too large, or its media
            type is not one.
    """
    media_type = _strip_parameters(str(file.media_type))
    if media_type and not MEDIA_TYPE.fullmatch(media_type):
        raise BadFileError(
            f"{str(file.media_type)[:80]!r} is not a media type; write one such as 'image/png'."
        )
    path = Path(file.path or "")
    content = file.content
    if content is None:
        content = _read_content(path, max_bytes)
    _check_size(len(content), max_bytes)
    name = str(file.name) or path.name
    media_type = media_type or _TYPES.guess_type(name, strict=False)[0] or _detect_type(content)
    return ResponseFile(safe_name(name) or _default_name(media_type), media_type, content, pointer)


def _read_content(path: Path, max_bytes: int) -> bytes:
    try:
        return _read_from_folder(path, max_bytes)
    except BadFileError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFileError(
            f"The file {_shorten(path)} of the response cannot be read: {reason}."
        ) from None


def _read_from_folder(path: Path, max_bytes: int) -> bytes:
    short_path = _shorten(path)
    path = path.resolve(strict=True)
    if not path.is_relative_to(Path.cwd().resolve()):
        raise BadFileError(
            f"The file {short_path} is not in the working folder of the run. "
            "Write it there, or return its content."
        )
    if not path.is_file():
        raise BadFileError(f"{short_path} is not a file; only a file can be a response.")
    _check_size(path.stat().st_size, max_bytes)
    return path.read_bytes()


def _shorten(path: Path) -> str:
    return str(path)[:200]


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise BadFileError(
            f"A file of the response has {size:,} bytes; "
            f"{max_bytes:,} are left for the files of a response."
        )


def _detect_type(content: bytes) -> str:
    """The media type that the first bytes show; text, if all of it is UTF-8."""
    for signature, media_type in _SIGNATURES:
        if signature.match(content):
            return media_type
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return UNKNOWN
    return "text/plain" if text and "\0" not in text else UNKNOWN


def safe_name(name: str) -> str:
    """`name` as one that every system can store."""
    name = _UNSAFE.sub("_", name.encode("utf-8", "replace").decode()).strip(". ")
    if len(name) <= MAX_NAME:
        return name
    suffix = Path(name).suffix[:20]
    return name[: MAX_NAME - len(suffix)] + suffix


def _default_name(media_type: str) -> str:
    extension = _EXTENSIONS.get(media_type) or _TYPES.guess_extension(media_type, strict=False)
    return f"response{extension or '.bin'}"
