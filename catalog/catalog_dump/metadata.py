"""The metadata of a tool as one line of a catalog file (see format.py).

    {"tool":"get-weather","owner":"ada","toolkit":"Weather","tags":["outdoors"],
     "deprecation":{"note":"…","superseded_by":"weather.now"},
     "waivers":[{"rule":"name-not-portable","pointer":"","reason":"…"}],
     "access":{"visibility":"groups","groups":["team"],"maintainers":["grace"],"maintainer_groups":["team"]},
     "toolkit_access":{"name":"Weather","owner":"ada","visibility":"signed-in"}}

A member without a value is left out. `toolkit` is present if a user chose it, "" if the choice was no toolkit; `tags`
are the tags that users added to the spec's own. `access` is who maintains and sees the tool,
`toolkit_access` the same of its toolkit. A file for people who are not administrators has only the visibility
there, without names, so that a restricted tool stays restricted wherever it is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.errors import DocumentError, Problem
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON

MAX_METADATA_BYTES: Final = (
    4 * 1024 * 1024
)  # of a line: 500 waivers with the longest possible reasons fit
MAX_LISTED: Final = 1_000  # tags, and waivers, in a line: more than any tool has
MAX_NAME_CHARS: Final = 100  # of an unknown member's name in a report

_MEMBERS: Final = (
    "tool",
    "owner",
    "toolkit",
    "tags",
    "deprecation",
    "waivers",
    "access",
    "toolkit_access",
)
_OF_DEPRECATION: Final = ("note", "superseded_by")
_OF_ACCESS: Final = ("name", "owner", "visibility")
_LISTS_OF_ACCESS: Final = ("groups", "maintainers", "maintainer_groups")
_OF_WAIVER: Final = ("rule", "pointer", "reason")
_LIST: Final = f"an array of at most {MAX_LISTED:,}"


@dataclass(frozen=True, slots=True)
class DumpedDeprecation:
    """A deprecation that a user chose; `superseded_by` is the id of another tool, or ""."""

    note: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class DumpedWaiver:
    """A waiver of a rule's finding at one pointer, or of all its findings (pointer "")."""

    rule: str
    pointer: str
    reason: str


@dataclass(frozen=True, slots=True)
class DumpedAccess:
    """Who maintains and sees a tool or a toolkit. Only a toolkit's has its `name` and its `owner`."""

    name: str = ""
    owner: str = ""
    visibility: str = ""
    groups: tuple[str, ...] = ()
    maintainers: tuple[str, ...] = ()
    maintainer_groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolMetadata:
    """The metadata of a tool that users set.

    Attributes:
        owner: the owner's username; "" for none.
        toolkit: the chosen toolkit, "" for none; None if no user chose one.
        tags: the tags added to the spec's own.
        unknown: pointers to unknown members of the line.
        line_bytes: the length of the line; 0 if there is no line.
    """

    owner: str = ""
    toolkit: str | None = None
    tags: tuple[str, ...] = ()
    deprecation: DumpedDeprecation | None = None
    waivers: tuple[DumpedWaiver, ...] = ()
    access: DumpedAccess | None = None
    toolkit_access: DumpedAccess | None = None
    unknown: tuple[str, ...] = field(default=(), compare=False)
    line_bytes: int = field(default=0, compare=False)

    def differences(self, other: ToolMetadata) -> list[str]:
        """Pointers to the members that differ in `other`."""
        names = ("owner", "toolkit", "tags", "deprecation", "waivers", "access", "toolkit_access")
        return [f"/{name}" for name in names if getattr(self, name) != getattr(other, name)]


def metadata_json(tool_id: str, metadata: ToolMetadata) -> dict[str, JSON]:
    """The line as JSON; empty metadata has the first member only."""
    line: dict[str, JSON] = {"tool": tool_id}
    if metadata.owner:
        line["owner"] = metadata.owner
    if metadata.toolkit is not None:
        line["toolkit"] = metadata.toolkit
    if metadata.tags:
        line["tags"] = list(metadata.tags)
    if metadata.deprecation:
        line["deprecation"] = {
            "note": metadata.deprecation.note,
            "superseded_by": metadata.deprecation.superseded_by,
        }
    if metadata.waivers:
        line["waivers"] = [
            {"rule": waiver.rule, "pointer": waiver.pointer, "reason": waiver.reason}
            for waiver in metadata.waivers
        ]
    if metadata.access:
        line["access"] = _access_json(metadata.access)
    if metadata.toolkit_access:
        line["toolkit_access"] = _access_json(metadata.toolkit_access)
    return line


def _access_json(access: DumpedAccess) -> dict[str, JSON]:
    texts: dict[str, JSON] = {
        name: getattr(access, name) for name in _OF_ACCESS if getattr(access, name)
    }
    return texts | {
        name: list(getattr(access, name)) for name in _LISTS_OF_ACCESS if getattr(access, name)
    }


def read_metadata(line: dict[str, JSON], line_bytes: int) -> ToolMetadata:
    """Read a line of `line_bytes` bytes.

    Raises:
        DocumentError: a member has the wrong type or is too long a list; with a pointer into the line.
    """
    unknown = list(unknown_members(line, _MEMBERS))
    return ToolMetadata(
        owner=_text(line, "owner", ""),
        toolkit=_text(line, "toolkit", "") if "toolkit" in line else None,
        tags=_texts(line.get("tags", []), "/tags"),
        deprecation=_deprecation(line["deprecation"], unknown) if "deprecation" in line else None,
        waivers=tuple(_waivers(line.get("waivers", []), unknown)),
        access=_access(line, "access", unknown),
        toolkit_access=_access(line, "toolkit_access", unknown),
        unknown=tuple(unknown),
        line_bytes=line_bytes,
    )


def unknown_members(
    value: dict[str, JSON], known: tuple[str, ...], pointer: str = ""
) -> Iterator[str]:
    """Pointers to the members of `value` that are not `known`; `pointer` is that of `value`."""
    return (pointer_join(pointer, name[:MAX_NAME_CHARS]) for name in value if name not in known)


def _deprecation(value: JSON, unknown: list[str]) -> DumpedDeprecation:
    if not isinstance(value, dict):
        raise _wrong("/deprecation", "an object")
    unknown += unknown_members(value, _OF_DEPRECATION, "/deprecation")
    return DumpedDeprecation(*(_text(value, name, "/deprecation") for name in _OF_DEPRECATION))


def _waivers(value: JSON, unknown: list[str]) -> Iterator[DumpedWaiver]:
    if not isinstance(value, list) or len(value) > MAX_LISTED:
        raise _wrong("/waivers", _LIST)
    for number, waiver in enumerate(value):
        pointer = pointer_join("/waivers", number)
        if not isinstance(waiver, dict):
            raise _wrong(pointer, "an object")
        unknown += unknown_members(waiver, _OF_WAIVER, pointer)
        yield DumpedWaiver(*(_text(waiver, name, pointer) for name in _OF_WAIVER))


def _access(line: dict[str, JSON], member: str, unknown: list[str]) -> DumpedAccess | None:
    if member not in line:
        return None
    value, pointer = line[member], f"/{member}"
    if not isinstance(value, dict):
        raise _wrong(pointer, "an object")
    unknown += unknown_members(value, (*_OF_ACCESS, *_LISTS_OF_ACCESS), pointer)
    name, owner, visibility = (_text(value, name, pointer) for name in _OF_ACCESS)
    lists = (_texts(value.get(name, []), pointer_join(pointer, name)) for name in _LISTS_OF_ACCESS)
    return DumpedAccess(name, owner, visibility, *lists)


def _texts(value: JSON, pointer: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MAX_LISTED:
        raise _wrong(pointer, _LIST)
    for number, text in enumerate(value):
        if not isinstance(text, str):
            raise _wrong(pointer_join(pointer, number), "a string")
    return tuple(text for text in value if isinstance(text, str))


def _text(value: dict[str, JSON], name: str, pointer: str) -> str:
    """A member that is a string; "" if it is absent."""
    text = value.get(name, "")
    if not isinstance(text, str):
        raise _wrong(pointer_join(pointer, name), "a string")
    return text


def _wrong(pointer: str, wanted: str) -> DocumentError:
    return DocumentError(
        [Problem(pointer, f"`{pointer}` of this line is not {wanted}.", "catalog.line")]
    )
