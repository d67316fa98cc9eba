"""The format of `export_catalog`: the current specs of tools as NDJSON.

Each line has what people set for the tool:

    {"tool": {"toolkit": "Weather", "tags": ["outdoors"], "owner": "ada", "visibility": "groups",
        "groups": ["team"]}, "spec": {…}}

A member of `tool` without a value is left out. `toolkit` is there if a person chose one, "" if they
chose none; `tags` are those that people added to the spec's own. `visibility` is that of the tool,
or else of its toolkit; without it, everyone sees the tool. A line contains usernames and names of
groups, but no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toolspec.errors import DocumentError, Problem
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, dumps, loads

MAX_METADATA_BYTES: Final = 256 * 1024  # of a line, besides the spec
_START: Final = re.compile(rb'\{"tool":\s*\{')
VISIBILITIES: Final = ("signed-in", "groups")

EARLIER_EXPORT: Final = (
    "This file was written by `export_catalog` of an earlier version, with the history of the "
    "tools. The commit 83165c8 of Toolshelf loads it into a new data folder, which this version "
    "migrates (docs/operations.md)."
)
ONLY_BY_COMMAND: Final = (
    "This file was written by `export_catalog`. Load it with `manage.py load_specs`, which also "
    "restores the toolkit, "
    "tags, owner and visibility of each tool."
)


@dataclass(frozen=True, slots=True)
class ExportedTool:
    """What people set for a tool.

    Attributes:
        toolkit: the chosen toolkit, "" for none; None if nobody chose.
        tags: those that people added.
        owner: a username, or "".
        visibility: "signed-in", "groups", or "" for everyone.
        groups: the names of those that see it, for the visibility "groups".
    """

    toolkit: str | None = None
    tags: tuple[str, ...] = ()
    owner: str = ""
    visibility: str = ""
    groups: tuple[str, ...] = ()


def is_export(start: bytes) -> bool:
    """Whether a file that starts with `start` is a file of `export_catalog`."""
    return _START.match(start) is not None


def is_earlier_export(start: bytes) -> bool:
    """Whether `start` is the start of a file by `export_catalog` of an earlier version."""
    return start.startswith(b'{"toolshelf":"catalog"')


def exported_line(tool: ExportedTool, source: str) -> str:
    """The line of a tool whose current spec is `source`, with its newline."""
    members: dict[str, JSON] = {}
    if tool.toolkit is not None:
        members["toolkit"] = tool.toolkit
    if tool.tags:
        members["tags"] = list(tool.tags)
    if tool.owner:
        members["owner"] = tool.owner
    if tool.visibility:
        members["visibility"] = tool.visibility
    if tool.groups:
        members["groups"] = list(tool.groups)
    line: JSON = {"tool": members, "spec": loads(source)}
    return dumps(line, blanks=False) + "\n"


def read_exported_line(line: bytes) -> tuple[ExportedTool, bytes]:
    """What people set for a tool, and the text of its spec.

    Raises:
        DocumentError: the line is not JSON, or not such a line; with a pointer into it.
    """
    value = loads(line, max_bytes=len(line))
    if not isinstance(value, dict) or set(value) != {"tool", "spec"}:
        raise _wrong("", "an object with `tool` and `spec`")
    members = value["tool"]
    if not isinstance(members, dict):
        raise _wrong("/tool", "an object")
    for name in members:
        if name not in ExportedTool.__slots__:
            raise _wrong(pointer_join("/tool", name), "known")
    visibility = _text(members, "visibility")
    if visibility and visibility not in VISIBILITIES:
        raise _wrong("/tool/visibility", " or ".join(map(repr, VISIBILITIES)))
    tool = ExportedTool(
        toolkit=_text(members, "toolkit") if "toolkit" in members else None,
        tags=tuple(_texts(members, "tags")),
        owner=_text(members, "owner"),
        visibility=visibility,
        groups=tuple(_texts(members, "groups")),
    )
    return tool, dumps(value["spec"], blanks=False).encode()


def _text(members: dict[str, JSON], name: str) -> str:
    text = members.get(name, "")
    if not isinstance(text, str):
        raise _wrong(f"/tool/{name}", "a string")
    return text


def _texts(members: dict[str, JSON], name: str) -> Iterator[str]:
    texts = members.get(name, [])
    if not isinstance(texts, Iterable) or isinstance(texts, (str, dict)):
        raise _wrong(f"/tool/{name}", "an array of strings")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise _wrong(f"/tool/{name}/{number}", "a string")
        yield text


def _wrong(pointer: str, wanted: str) -> DocumentError:
    message = f"`{pointer}` of this line of `export_catalog` is not {wanted}."
    return DocumentError([Problem(pointer, message, "export.line")])
