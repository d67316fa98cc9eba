"""Read the bodies of requests that contain specs. The size is checked before reading."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParserError
from ninja.errors import HttpError

from catalog.uploads.file_types import NDJSON_TYPES, YAML_TYPES, Kind
from catalog.uploads.limits import check_size
from catalog.uploads.multipart import WatchedForm
from catalog.uploads.pieces import CHUNK_BYTES, Piece
from catalog.uploads.readers import pieces_of
from toolspec.errors import Problem, SpecError

IN_MEMORY_BYTES = 1024 * 1024

BYTES_TYPE = "application/octet-stream"  # the client leaves it to the reader to detect the format


def spec_text(request: HttpRequest) -> bytes:
    """The body as the text of one spec.

    Raises:
        SpecError: it is empty or too long.
        HttpError: the content type is not JSON.
    """
    limit = settings.MAX_SPEC_BYTES
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise too_long()
    text = request.read(limit + 1)
    if len(text) > limit:
        raise too_long()
    if not text.strip():
        raise SpecError(
            [
                Problem(
                    "", "The body is empty; send a spec as JSON.", "json.syntax", line=1, column=1
                )
            ]
        )
    if not _is_json(request):
        raise HttpError(415, f"Send a spec as application/json, not as {request.content_type}.")
    return text


def too_long() -> SpecError:
    message = f"A spec can have at most {settings.MAX_SPEC_BYTES:,} bytes."
    return SpecError([Problem("", message, "json.too-large", line=1, column=1)])


def uploaded_pieces(request: HttpRequest) -> Iterator[Piece]:
    """The texts in an upload: in the files of a form, or in the body.

    Raises:
        SpecError: a part of the form is not a file, there is no file, or the upload is too large.
        HttpError: the form cannot be read at all, or the content type is not supported.
    """
    kind = _kind(request.content_type)
    if request.content_type == "multipart/form-data":
        with _files(request) as files:
            check_size(sum(file.size or 0 for file in files))
            for file in files:
                yield from file_pieces(file.name or "file", cast("BinaryIO", file.file))
        return
    if kind is None and not _is_json(request):
        raise HttpError(
            415,
            f"Send specs as JSON, NDJSON, YAML, or files of a form, not as {request.content_type}.",
        )
    check_size(int(request.META.get("CONTENT_LENGTH") or 0))
    with _spooled(request) as body:
        yield from pieces_of(
            "body",
            body,
            kind=kind,
            max_bytes=settings.MAX_SPEC_BYTES,
            max_document_bytes=settings.MAX_DOCUMENT_BYTES,
        )


@contextmanager
def _files(request: HttpRequest) -> Iterator[list[UploadedFile[Any]]]:
    """The files of a form, in the order of their fields' names; raises for a part that Django would ignore."""
    flaws: list[str] = []
    fields: QueryDict
    if getattr(request, "_read_started", False):  # the CSRF check has already parsed the form
        fields, by_name = request.POST, request.FILES
    else:
        form = WatchedForm(request, request.headers["Content-Type"])
        try:
            fields, by_name = request.parse_file_upload(request.META, cast("Any", form))
        except MultiPartParserError as error:
            raise HttpError(400, f"The form cannot be read: {str(error).rstrip('.')}.") from error
        flaws = form.flaws()
    files = [file for _, listed in sorted(by_name.lists()) for file in listed]
    try:
        if not flaws and (strays := fields.keys() - {"csrfmiddlewaretoken"}):
            flaws = [
                f"The part {name!r} is a field, not a file; give it a file name."
                for name in sorted(strays)
            ]
        if not flaws and not files:
            flaws = ["The form contains no file."]
        if flaws:
            raise SpecError([Problem("", flaw, "upload.part") for flaw in flaws])
        yield files
    finally:
        for file in files:
            file.close()


def _is_json(request: HttpRequest) -> bool:
    declared = request.content_type or ""
    is_json_suffix = declared.startswith("application/") and declared.endswith("+json")
    return is_json_suffix or declared in {"application/json", BYTES_TYPE}


def file_pieces(name: str, file: BinaryIO) -> Iterator[Piece]:
    return pieces_of(
        name,
        file,
        max_bytes=settings.MAX_SPEC_BYTES,
        max_document_bytes=settings.MAX_DOCUMENT_BYTES,
    )


def _kind(content_type: str | None) -> Kind | None:
    if content_type in NDJSON_TYPES:
        return "ndjson"
    if content_type in YAML_TYPES or (content_type or "").endswith("+yaml"):
        return "yaml"
    return None


@contextmanager
def _spooled(request: HttpRequest) -> Iterator[BinaryIO]:
    """The body as a seekable file; a middleware has already limited its size."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as file:
        while chunk := request.read(CHUNK_BYTES):
            file.write(chunk)
        file.seek(0)
        yield cast("BinaryIO", file)
