"""The result of a comparison: changes, their verdicts and proofs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Literal, TypeAlias

from toolspec.text.reader import JSON

Verdict = Literal["breaking", "unknown", "wording", "compatible"]
Part = Literal["definition", "parameters", "returnType", "configuration"]

# The worst first.
VERDICTS: Final[tuple[Verdict, ...]] = (
    "breaking",
    "unknown",
    "wording",
    "compatible",
)
# Verdicts that need no approval by default.
HARMLESS: Final = frozenset({"compatible", "identical"})


class Any(Enum):
    """A step of a path to every item, or to every undeclared member."""

    ITEM = "[]"
    MEMBER = "*"


Edit: TypeAlias = Callable[[JSON], JSON]
"""Changes a value into a candidate for a proof.

Raises LookupError, TypeError or ValueError if it cannot.
"""
Path: TypeAlias = tuple[str | int | Any, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """A value that one revision accepts and the other refuses.

    Attributes:
        kind: its origin: an example of a spec, a recorded run, or generated as a "witness".
        value: the parameters, the response, or the configuration.
        source: which example or run; "" for a witness.
        message: why it is refused, in the words of validation.
        pointer: the refused part of the value.
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
        path: the position in the described values.
        kind: a stable code: "required-added", "type-changed".
        message: one sentence.
        verdict: "compatible" only if that is certain, or by convention; "wording" if only words
            changed that a model reads.
        before, after: JSON Pointers into the two specs; None if it is absent there.
        note: one more sentence, about callers whom a compatible change may still affect, or about
            instructions that are gone; "" if there is none.
        is_by_convention: it is compatible for all callers who use only what was declared; `proof`
            is then a value that uses something else.
        times: at how many positions in the values the same change of the schema has an effect.
        texts: the words before and now, of a change of words; else None.
    """

    part: Part
    path: Path
    kind: str
    message: str
    verdict: Verdict
    before: str | None
    after: str | None
    proof: Proof | None = None
    note: str = ""
    is_by_convention: bool = False
    times: int = 1
    texts: tuple[str, str] | None = None

    @property
    def strict_verdict(self) -> Verdict:
        """The verdict without conventions: "unknown" if only a convention makes it compatible."""
        return "unknown" if self.is_by_convention else self.verdict

    @property
    def place(self) -> str:
        """The path as a string: "address.lines[].text"; "" for the whole value."""
        return path_in_words(self.path)


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes of meaning between two specs, the worst first."""

    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Verdict | Literal["identical"]:
        """The worst of the changes; "identical" if there are none."""
        return worst(self.changes)

    @property
    def strict(self) -> Difference:
        """The same changes with their verdicts without conventions."""
        changes = []
        for change in self.changes:
            verdict = change.strict_verdict
            changes.append(replace(change, verdict=verdict, is_by_convention=False))
        return Difference(tuple(sort_worst_first(changes)))


def is_held(policy: str, changes: Sequence[Change]) -> bool:
    """Whether changes of a source's tool wait for approval.

    `policy` is that of the source: "automatic", "compatible" or "review".
    """
    if policy == "automatic":
        return False
    if policy == "review":
        return bool(changes)
    return worst(changes) not in HARMLESS


def worst(changes: Sequence[Change]) -> Verdict | Literal["identical"]:
    return min((change.verdict for change in changes), key=VERDICTS.index, default="identical")


def sort_worst_first(changes: Sequence[Change]) -> list[Change]:
    """The breaking changes first, and those that are compatible by convention before the others."""

    def rank(change: Change) -> tuple[int, int]:
        return VERDICTS.index(change.verdict), VERDICTS.index(change.strict_verdict)

    return sorted(changes, key=rank)


def path_in_words(path: Path) -> str:
    text = ""
    for token in path:
        if isinstance(token, int):
            text += f"[{token}]"
        elif token is Any.ITEM:
            text += "[]"
        elif token is Any.MEMBER:
            text += ".*"
        else:
            text += f".{token}"
    return text.removeprefix(".")
