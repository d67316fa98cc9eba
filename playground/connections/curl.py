"""A request as a curl command, for the log. Credentials are masked before; bodies are shortened."""

from __future__ import annotations

import shlex
from typing import Final

from playground.connections.body import RequestBody
from playground.connections.request import Request
from playground.connections.security import Credentials

MAX_BODY_CHARACTERS: Final = 4_000


def curl(request: Request, credentials: Credentials) -> str:
    """The command that sends `request`; `credentials` have masked values."""
    words = ["curl", *(() if request.method == "GET" else ("-X", request.method)), request.url_with(credentials)]
    is_multipart = request.body is not None and bool(request.body.pieces)
    for name, value in request.headers_with(credentials):
        if not (is_multipart and name == "Content-Type"):  # curl makes its own boundary
            words += ["-H", f"{name}: {value}"]
    if request.body is not None:
        words += _body_words(request.body)
    return " ".join(map(shlex.quote, words))


def _body_words(body: RequestBody) -> list[str]:
    if not body.pieces:
        return ["--data-binary", _shown(body.content)]
    words: list[str] = []
    for piece in body.pieces:
        kind = f";type={piece.media_type}" if piece.media_type else ""
        content = f"@{piece.file_name}" if piece.file_name else _shown(piece.content)
        words += ["-F", f"{piece.name}={content}{kind}"]
    return words


def _shown(content: bytes) -> str:
    """The text of a body; its size if it is not text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"<{len(content):,} bytes>"
    if len(text) <= MAX_BODY_CHARACTERS:
        return text
    return f"{text[:MAX_BODY_CHARACTERS]}… ({len(text):,} characters)"
