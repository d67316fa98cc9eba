"""Read a source in a process of its own, with limits on time, memory and size."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from catalog.sources.models import Source
from toolshelf_core.encryption import Unreadable
from toolshelf_core.errors import OutgoingError
from toolshelf_core.site_addresses import read_address_policy

SECONDS: Final = 30
MAX_BYTES: Final = 10_000_000  # of the tools of an MCP server
MAX_TOOLS: Final = 10_000
START_S: Final = 15  # for starting Python and importing the client on a busy machine
TIMEOUT_S: Final = SECONDS + START_S
# Commands of "mcp-stdio" need a path and a home; TLS may need the operator's certificates.
_ENVIRONMENT: Final = ("PATH", "HOME", "LANG", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
_UNREADABLE_CREDENTIALS: Final = (
    "The credentials of the source can no longer be decrypted: their key is not in TOOLSHELF_CONFIGURATION_KEYS. "
    "Set them again."
)


@dataclass(frozen=True, slots=True)
class RemoteTool:
    """A tool of an MCP server: its name, its definition as JSON, and the hash of that (`reader.definition_sha256`)."""

    name: Any
    text: str = field(repr=False)
    sha256: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The content that a source sent.

    Attributes:
        title: the name and version that an MCP server reports.
        tools: of an MCP server, at most `MAX_TOOLS`; None for an OpenAPI document.
        document: the document; "" for an MCP server.
        new_ids: instead of those that its tools would get, by their names; and
        replaces: whether its tools follow revisions of any origin; both chosen by the person who adds
            the source.
    """

    title: str = ""
    tools: list[RemoteTool] | None = field(default=None, repr=False)
    document: str = field(default="", repr=False)
    new_ids: Mapping[str, str] = field(default_factory=dict)
    replaces: bool = False


def read_source(source: Source, timeout_s: float = TIMEOUT_S) -> Reading:
    """Read all tools of `source`: within 30 s, at most 10,000 tools, and as many bytes as their kind may have.

    Args:
        source: stored or not.
        timeout_s: for the process that reads it, with its start.

    Raises:
        OutgoingError: it cannot be reached or read; the message says why.
    """
    if source.document:
        return Reading(document=source.document)
    policy = read_address_policy()
    job = {
        "kind": source.kind,
        "address": source.address,
        "headers": _headers(source),
        "networks": policy.allowed_networks,
        "proxy": policy.proxy,
        "seconds": min(SECONDS, timeout_s),
        "max_bytes": settings.MAX_DOCUMENT_BYTES if source.kind == "openapi" else MAX_BYTES,
        "max_tools": MAX_TOOLS,
    }
    result = _run(json.dumps(job), timeout_s)
    if "error" in result:
        raise OutgoingError(result["error"])
    if "document" in result:
        return Reading(document=result["document"])
    return Reading(result["title"], [RemoteTool(**tool) for tool in result["tools"]])


@sensitive_variables()
def _headers(source: Source) -> dict[str, str]:
    try:
        return source.headers
    except Unreadable as error:
        raise OutgoingError(_UNREADABLE_CREDENTIALS) from error


@sensitive_variables("job")
def _run(job: str, timeout_s: float) -> dict[str, Any]:
    process = subprocess.Popen(
        [sys.executable, "-m", "catalog.sources.reader"],
        cwd=settings.BASE_DIR,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(job, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        allowed_s = min(SECONDS, timeout_s)
        raise OutgoingError(
            f"It took longer than the {allowed_s:.0f} seconds that are allowed."
        ) from None
    finally:
        _end_group(process)
    try:
        result: dict[str, Any] = json.loads(output)
    except ValueError:
        raise OutgoingError(
            "Reading the source used more memory or time than is allowed."
        ) from None
    return result


def _end_group(process: subprocess.Popen[str]) -> None:
    """End the process and what it started (the command of a source)."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
