"""The files of a response: their values in it, the rows that store them, and their downloads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from playground.runner.engine import RunEnd
from playground.runs.models import IMAGES, SOUNDS, Run, RunFile
from toolshelf_core.redaction import WITHHELD, Redactor
from toolshelf_tools.files import BASE64_FORMATS, MEDIA_TYPE, UNKNOWN, ResponseFile
from toolspec.schema.children import declared_at
from toolspec.schema.validation import CompiledSchema, Subschema
from toolspec.text.patch import set_at
from toolspec.text.pointers import exists_at
from toolspec.text.reader import JSON


def place_files(
    return_type: CompiledSchema | None, end: RunEnd, redactor: Redactor
) -> tuple[JSON, list[ResponseFile]]:
    """Give each file a value in the response, and remove secrets from its content and media type.

    Return the response and the files. The value is a description of the file; where the return type
    declares a string in Base64, it is the content. A file that cannot be searched for secrets is
    left out. A media type that neither the tool nor the content shows is that of the return type.
    """
    response, files = end.response, []
    for file in end.files:
        clean = _redact_file(file, redactor)
        has_value = not (end.is_cut or file.is_whole) and exists_at(response, file.pointer)
        value: JSON = WITHHELD
        if clean and has_value:
            schemas = declared_at(return_type.root, file.pointer) if return_type else []
            if file.media_type == UNKNOWN:
                clean = replace(clean, media_type=_media_type(schemas) or UNKNOWN)
            value = clean.base64() if _is_base64(schemas) else clean.description()
        if clean:
            files.append(clean)
        if has_value:
            response = set_at(response, file.pointer, value)
    return response, files


def _redact_file(file: ResponseFile, redactor: Redactor) -> ResponseFile | None:
    """The file without secrets, with the size and hash of the redacted content.

    None if it cannot be searched.
    """
    content = redactor.content(file.content)
    if content is None:
        return None
    return replace(
        file, content=content, media_type=redactor.lower_case(file.media_type) or UNKNOWN
    )


def make_rows(run: Run, files: Iterable[ResponseFile], redactor: Redactor) -> list[RunFile]:
    """Make the rows for the files of a run, without the secrets in name and pointer.

    `files` are those that `place_files` returned.
    """
    return [
        RunFile(
            run=run,
            number=number,
            name=redactor.text(file.name)[:150],
            media_type=file.media_type,
            pointer=redactor.text(file.pointer),
            is_whole_response=file.is_whole,
            size=len(file.content),
            sha256=sha256(file.content).hexdigest(),
            content=file.content,
        )
        for number, file in enumerate(files, start=1)
    ]


def _is_base64(schemas: Iterable[Subschema]) -> bool:
    """Whether a string in Base64 is declared, and no object, which a description is."""
    is_base64 = False
    for schema in schemas:
        keywords = schema.all_keywords
        if "properties" in keywords or keywords.get("type") == "object":
            return False
        encoding = str(keywords.get("contentEncoding")).lower()
        if encoding == "base64" or keywords.get("format") in BASE64_FORMATS:
            is_base64 = True
    return is_base64


def _media_type(schemas: Iterable[Subschema]) -> str:
    """The first `contentMediaType`, without its parameters; "" if there is none."""
    for schema in schemas:
        value = str(schema.all_keywords.get("contentMediaType", ""))
        media_type = value.partition(";")[0].strip().lower()
        if MEDIA_TYPE.fullmatch(media_type):
            return media_type
    return ""


def file_response(file: RunFile, *, inline: bool) -> HttpResponse:
    """The content of a file. The browser neither guesses another type nor runs anything in it.

    With `inline`, it shows an image or a sound instead of downloading it.
    """
    shows = inline and file.media_type in IMAGES | SOUNDS
    return HttpResponse(
        bytes(file.content),
        content_type=file.media_type,
        headers={
            "Content-Disposition": content_disposition_header(not shows, file.name) or "attachment",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "X-Content-Type-Options": "nosniff",
        },
    )
