"""The texts that a schema accepts, as far as its patterns, lengths and formats say; there may be fewer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from catalog.specs.diff.conjunction import Together
from catalog.specs.diff.regex_automata import LITTLE_EFFORT, NotUnderstood, automaton_of, literally, text_with

MAX_HARD: Final = 5
MAX_CHOICES: Final = 50  # that a pattern is held against
# Patterns that every text of a format matches.
LIKE_FORMATS: Final = {
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "date-time": r"^\d{4}-\d{2}-\d{2}[Tt]\d{2}:",
    "email": ".@.",
    "ipv4": r"^[0-9.]{7,15}$",
    "time": r"^\d{2}:\d{2}:\d{2}",
    "uri": "^[A-Za-z][A-Za-z0-9+.-]*:",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts that match all of `patterns`, of `least` to `most` characters."""

    patterns: frozenset[str]
    least: int = 0
    most: int | None = None

    @property
    def sketch(self) -> str | None:
        """One of them, where that is soon found."""
        try:
            return text_with(self.patterns, least=self.least, most=self.most, effort=LITTLE_EFFORT)
        except NotUnderstood:
            return None

    def also(self, patterns: frozenset[str]) -> Texts:
        """Those that match `patterns` too."""
        return replace(self, patterns=self.patterns | patterns)


@dataclass(slots=True)
class Puzzles:
    """Questions about texts; when too many were too hard, the rest stay open.

    Attributes:
        left: how many more may be too hard.
    """

    left: int = MAX_HARD

    def one(
        self, texts: Texts, *, missing: frozenset[str] = frozenset(), least: int = 0, most: int | None = None
    ) -> str | None:
        """One of `texts` within closer bounds that none of the patterns `missing` match; None where there is none.

        Raises:
            NotUnderstood: that cannot be found out.
        """
        if not self.left:
            raise NotUnderstood
        limits = [limit for limit in (texts.most, most) if limit is not None]
        try:
            return text_with(texts.patterns, missing, max(texts.least, least), min(limits, default=None))
        except NotUnderstood:
            self.left -= 1
            raise

    def are_among(self, texts: Texts, choices: list[str]) -> bool:
        """Whether all of `texts` are certainly among `choices`."""
        if not texts.patterns or len(choices) > MAX_CHOICES:
            return False
        try:
            return self.one(texts, missing=frozenset(map(literally, choices))) is None
        except NotUnderstood:
            return False

    def are_none(self, texts: Texts) -> bool:
        """Whether there is certainly no text among `texts`."""
        if texts.most is not None and texts.least > texts.most:
            return True
        try:
            return bool(texts.patterns) and self.one(texts) is None
        except NotUnderstood:
            return False


def texts_of(*wholes: Together) -> Texts:
    """The texts that all of `wholes` accept."""
    patterns = {value for whole in wholes for value in whole.values("pattern") if isinstance(value, str)}
    formats = {str(value) for whole in wholes for value in whole.values("format")}
    patterns |= {LIKE_FORMATS[name] for name in formats if name in LIKE_FORMATS}
    least = max((count for whole in wholes for count in whole.counts("minLength")), default=0)
    most = min((count for whole in wholes for count in whole.counts("maxLength")), default=None)
    understood = frozenset(pattern for pattern in patterns if automaton_of(pattern) is not None)
    return Texts(understood, least, most)
