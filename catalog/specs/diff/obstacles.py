"""A reason why one schema may refuse a value that another accepts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from catalog.jsontext.reader import JSON
from catalog.specs.diff.changes import Any, Edit, Path
from catalog.specs.diff.conjunction import Conjunction


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One such reason.

    Attributes:
        kind: the rule: "type", "required", "minLength".
        producer, consumer: the schemas at `path`; the producer accepts the value, the consumer may refuse it.
        subject: the member or pattern that the rule is about, if it may be about several.
        path: the position in the value.
        keywords: the keywords of the consumer that may refuse the value.
        undeclared: it only concerns members that the producer allows without declaring or requiring them.
        conditional: it only concerns values that fulfil a condition.
        certain: it breaks callers even though no value shows it: a size above `MAX_REPEATED`.
        values: the refused values, if they can be listed.
        edits: make values that may be refused.
        names: to try for the undeclared members in `path`.
    """

    kind: str
    producer: Conjunction
    consumer: Conjunction
    subject: str = ""
    path: Path = ()
    keywords: tuple[str, ...] = ()
    undeclared: bool = False
    conditional: bool = False
    certain: bool = False
    values: tuple[JSON, ...] = ()
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    names: tuple[str, ...] = ()

    def below(self, *tokens: str | int | Any) -> Obstacle:
        return replace(self, path=(*tokens, *self.path))
