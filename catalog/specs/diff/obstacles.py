"""What keeps a schema from accepting everything that another one accepts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from catalog.jsontext.reader import JSON
from catalog.specs.diff.changes import Any, Edit, Path
from catalog.specs.diff.conjunction import Together


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason.

    Attributes:
        kind: which rule: "type", "required", "length".
        giver: what accepts the value; `taker`: what may refuse it. Both as they stand at `path`.
        subject: what the rule is about, where it may be about several: a member, a keyword.
        path: where in the value.
        keywords: of the taker that may say so.
        undeclared: only members are concerned that the giver does not declare.
        conditional: only values are concerned for which a condition holds.
        values: what is refused, where that can be listed.
        edits: they make values that may be refused.
        names: of members that no name in the path singles out, to try.
    """

    kind: str
    giver: Together
    taker: Together
    subject: str = ""
    path: Path = ()
    keywords: tuple[str, ...] = ()
    undeclared: bool = False
    conditional: bool = False
    values: tuple[JSON, ...] = ()
    edits: tuple[Edit, ...] = field(default=(), compare=False)
    names: tuple[str, ...] = ()

    def below(self, *tokens: str | int | Any) -> Obstacle:
        return replace(self, path=(*tokens, *self.path))
