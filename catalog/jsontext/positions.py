"""Where every value of a JSON text stands, so that a part of it can be changed and the rest stay as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from catalog.jsontext.pointers import split_pointer

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


@dataclass(slots=True)
class Span:
    """One value: from `start` to `end` in the text.

    Attributes:
        begins: where its entry begins: at the name of a member, else at the value.
        entries: what an object or array holds, by name or index.
    """

    start: int
    begins: int
    end: int = 0
    entries: dict[str, Span] = field(default_factory=dict)

    def at(self, pointer: str) -> Span:
        """The span of what `pointer` names.

        Raises:
            LookupError: nothing stands there.
        """
        span = self
        for token in split_pointer(pointer):
            span = span.entries[token]
        return span


def spans_of(text: str) -> Span:
    """The span of the whole of `text`, which is known to be JSON, with all that is in it. Linear, without recursion."""
    outer = Span(0, 0)
    open_now: list[tuple[Span, bool]] = [(outer, False)]  # and whether it is an object
    name: tuple[str, int] | None = None
    for match in _TOKEN.finditer(text):
        token, (around, is_object) = match.group(), open_now[-1]
        if token in {"]", "}"}:
            open_now.pop()[0].end = match.end()
        elif token in {",", ":"}:
            continue
        elif is_object and name is None:
            name = (json.loads(token), match.start())
        else:
            key, begins = name or (str(len(around.entries)), match.start())
            span = around.entries[key] = Span(match.start(), begins, match.end())
            name = None
            if token in {"[", "{"}:
                open_now.append((span, token == "{"))  # noqa: S105 - no secret, but a piece of JSON
    return outer.entries["0"]
