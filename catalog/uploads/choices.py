"""How an upload imports tools, and the choices of a person about them: which to leave out, and other ids for some."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.sources.discovery import Connection
from toolspec.imports import ImportedSpec

REQUEST_S: Final = 7.0  # of CPU time for reading the documents of one request; storing takes more
MAX_NEW_ID_CHARACTERS: Final = (
    1_000  # more than any id may have, so that a longer one is shown with its problem
)


@dataclass(frozen=True)
class Choices:
    """The choices, by the keys of the tools (see `key_of`).

    Attributes:
        skip: the tools to leave out. A dry run reports them, too.
        new_ids: ids instead of those that the import offers; only for ids that the import made up.
    """

    skip: frozenset[str] = frozenset()
    new_ids: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.skip or self.new_ids)

    def only(self, keys: Collection[str]) -> Choices:
        """The choices about the tools with these keys."""
        return Choices(
            self.skip.intersection(keys),
            {key: self.new_ids[key] for key in keys if key in self.new_ids},
        )

    def to_json(self) -> str:
        """The choices as JSON: {"skip": [key, …], "new_ids": {key: id, …}}; "" if there are none."""
        return (
            json.dumps({"skip": sorted(self.skip), "new_ids": dict(self.new_ids)}) if self else ""
        )

    @classmethod
    def from_json(cls, text: str) -> Choices:
        """The choices that `to_json` wrote; what is not such JSON, because a client sent something else, is ignored."""
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return NO_CHOICES
        skip, new_ids = (
            (read.get("skip"), read.get("new_ids")) if isinstance(read, dict) else (None, None)
        )
        return cls(
            keys_in(skip),
            {
                clean(key): clean_id(one)
                for key, one in new_ids.items()
                if key and isinstance(one, str)
            }
            if isinstance(new_ids, dict)
            else {},
        )


NO_CHOICES: Final = Choices()


@dataclass(frozen=True)
class ImportOptions:
    """How the tools of documents in other formats are imported.

    Attributes:
        prefix: of their ids; None: taken from the document; "": nothing.
        replace: whether a document replaces that of its source, and its tools also follow revisions of another origin.
        choices: which to leave out, and other ids.
        offers_all: whether the person saw all tools of the documents, also those that are left out since
            an earlier upload, and chooses among them.
        seconds: the CPU time for reading all documents; None without a limit. Tools that are not
            finished by then are rejected.
        connection: through which the tools of the only document run; None: they have mocks only.
    """

    prefix: str | None = None
    replace: bool = False
    choices: Choices = NO_CHOICES
    seconds: float | None = None
    offers_all: bool = False
    connection: Connection | None = None


NO_OPTIONS: Final = ImportOptions()


def key_of(source: str, number: str, imported: ImportedSpec, prefix: str) -> str:
    """The key of an imported tool: its file, its document in it, and the id that the import offers, without the prefix.

    It stays the same when the prefix or another tool of the document changes.

    Args:
        source: the name of the file.
        number: of the document, among those of files with this name.
        imported: the tool.
        prefix: with which the import lets ids begin, or "".
    """
    if imported.has_own_id:
        return f"{source}#{number}#={imported.tool_id}"
    return f"{source}#{number}#{name_in(imported, prefix)}"


def name_in(imported: ImportedSpec, prefix: str) -> str:
    """The name of an imported tool in its source: its id without the prefix."""
    return imported.tool_id.removeprefix(f"{prefix}.") if prefix else imported.tool_id


def keys_in(value: object) -> frozenset[str]:
    """The keys in an array that a client sent; nothing if it is not one."""
    return (
        frozenset(clean(one) for one in value if one and isinstance(one, str))
        if isinstance(value, list)
        else frozenset()
    )


def clean(text: str) -> str:
    """Text that a client sent, without parts of characters (lone surrogates), which cannot be encoded."""
    return text.encode(errors="replace").decode()


def clean_id(text: str) -> str:
    """An id that a client sent; the rest of one that is far too long is cut off."""
    return clean(text).strip()[:MAX_NEW_ID_CHARACTERS]
