"""What a comparison finds, as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from catalog.jsontext.reader import JSON

Verdict = Literal["breaking", "unknown", "compatible"]
Part = Literal["definition", "parameters", "returnType", "configuration"]

VERDICTS: Final[tuple[Verdict, ...]] = ("breaking", "unknown", "compatible")  # the worst first


class Any(Enum):
    """A step of a path that stands for many: every item, or every member that no name singles out."""

    ITEM = "[]"
    MEMBER = "*"


Edit: TypeAlias = Callable[[JSON], JSON]
"""Makes a candidate of what stands at a place of a value; raises LookupError or TypeError where it cannot."""
Path: TypeAlias = tuple[str | int | Any, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """A value that one revision accepts and the other refuses.

    Attributes:
        kind: where it comes from: an example of a spec, a recorded run, or made for this.
        value: the parameters, the response, or the configuration.
        source: which example or run; "" for a made one.
        message: why it is refused, as validation says it.
        pointer: into the value: what is refused.
    """

    kind: Literal["example", "run", "witness"]
    value: JSON
    source: str
    message: str
    pointer: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of meaning.

    Attributes:
        part: of the spec.
        path: the place in the values that are described.
        kind: what sort of change, a stable code: "required-added", "type-changed".
        message: one sentence.
        verdict: "compatible" is said only where it is certain.
        before, after: JSON Pointers into the two specs; None where there is nothing.
        times: at how many places of the values the same change of the schema is met.
    """

    part: Part
    path: Path
    kind: str
    message: str
    verdict: Verdict
    before: str | None
    after: str | None
    proof: Proof | None = None
    times: int = 1

    @property
    def place(self) -> str:
        """The path in one text: "address.lines[].text"; "" for the whole value."""
        return place_of(self.path)


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes of meaning between two specs, the worst first."""

    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Verdict | Literal["identical"]:
        """The worst of the changes; "identical" where nothing changed that means anything."""
        return worst(self.changes)

    def verdict_of(self, part: Part) -> Verdict | Literal["identical"]:
        """The worst of the changes of one part."""
        return worst([change for change in self.changes if change.part == part])


def worst(changes: Sequence[Change]) -> Verdict | Literal["identical"]:
    return min((change.verdict for change in changes), key=VERDICTS.index, default="identical")


def place_of(path: Path) -> str:
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        elif token is Any.ITEM:
            text += "[]"
        else:
            text += f".{token.value if isinstance(token, Any) else token}"
    return text.removeprefix(".")
