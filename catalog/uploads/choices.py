"""The choices of a person about the imported tools of an upload: which to leave out, and other ids for some."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
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
        return Choices(self.skip.intersection(keys), {key: self.new_ids[key] for key in keys if key in self.new_ids})

    def with_shared_id(self, ids: Mapping[str, str]) -> set[str]:
        """The tools of a document that cannot have the id that they would get, because another tool gets it.

        These are tools with a new id, and those that are left out, which do not prevent others from having their id.

        Args:
            ids: of the tools of the document, new or not, by key.
        """
        if not self:
            return set()
        elsewhere = {key: new_id for key, new_id in self.new_ids.items() if key not in ids}
        numbers = Counter(one for key, one in {**elsewhere, **ids}.items() if key not in self.skip)
        return {
            key
            for key, one in ids.items()
            if (key in self.skip and numbers[one] > 0) or (key in self.new_ids and numbers[one] > 1)
        }

    def to_json(self) -> str:
        """The choices as JSON: {"skip": [key, …], "new_ids": {key: id, …}}; "" if there are none."""
        return json.dumps({"skip": sorted(self.skip), "new_ids": dict(self.new_ids)}) if self else ""

    @classmethod
    def from_json(cls, text: str) -> Choices:
        """The choices that `to_json` wrote; what is not such JSON, because a client sent something else, is ignored."""
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return NO_CHOICES
        skip, new_ids = (read.get("skip"), read.get("new_ids")) if isinstance(read, dict) else (None, None)
        return cls(
            frozenset(one for one in skip if isinstance(one, str)) if isinstance(skip, list) else frozenset(),
            {key: one for key, one in new_ids.items() if isinstance(one, str)} if isinstance(new_ids, dict) else {},
        )


NO_CHOICES: Final = Choices()


def key_of(source: str, offered_id: str, prefix: str) -> str:
    """The key of an imported tool: its file and the id that the import offers, without the prefix of all ids.

    It stays the same when the prefix or another tool of the document changes.
    """
    return f"{source}#{offered_id.removeprefix(f'{prefix}.')}"
