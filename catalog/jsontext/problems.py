"""Problems: what is wrong with a document, as values.

Nothing here knows Django. A problem points into a document by JSON Pointer (RFC 6901).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

MAX_PROBLEMS: Final = 50  # of one document: nobody reads more


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a document.

    `pointer` is a JSON Pointer into the document, `rule` a stable code ("json.syntax", "gate.ref-remote",
    "schema.enum"), `message` one plain sentence. `line` and `column` count from 1 in the text as uploaded.
    """

    pointer: str
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = None
    line: int | None = None
    column: int | None = None

    def as_json(self) -> dict[str, str | int]:
        """The problem as JSON, without the members that are not known."""
        return {name: value for name, value in asdict(self).items() if value is not None}
