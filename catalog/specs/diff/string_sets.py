"""The strings that a schema accepts, by its patterns, lengths and formats: at least all accepted strings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from catalog.specs.diff.conjunction import Conjunction
from catalog.specs.diff.regex_automata import (
    SMALL_EFFORT,
    UnsupportedPattern,
    automaton_of,
    find_string,
    literal_pattern,
)

MAX_FAILURES: Final = 5
MAX_CHOICES: Final = 50  # that a pattern is compared with
# A pattern that every string of the format matches.
PATTERN_OF_FORMAT: Final = {
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "date-time": r"^\d{4}-\d{2}-\d{2}[Tt]\d{2}:",
    "email": ".@.",
    "ipv4": r"^[0-9.]{7,15}$",
    "time": r"^\d{2}:\d{2}:\d{2}",
    "uri": "^[A-Za-z][A-Za-z0-9+.-]*:",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}


@dataclass(frozen=True, slots=True)
class StringSet:
    """Strings that match all of `patterns`, of `least` to `most` characters."""

    patterns: frozenset[str]
    least: int = 0
    most: int | None = None

    @property
    def sample(self) -> str | None:
        """One of them; None if it is not found quickly."""
        try:
            return find_string(self.patterns, least=self.least, most=self.most, effort=SMALL_EFFORT)
        except UnsupportedPattern:
            return None

    def also(self, patterns: frozenset[str]) -> StringSet:
        """Those of them that also match `patterns`."""
        return replace(self, patterns=self.patterns | patterns)


@dataclass(slots=True)
class StringSearch:
    """Searches for strings; after too many failed searches, all others fail immediately.

    Attributes:
        left: how many more may fail.
    """

    left: int = MAX_FAILURES

    def find(
        self,
        strings: StringSet,
        *,
        missing: frozenset[str] = frozenset(),
        least: int = 0,
        most: int | None = None,
    ) -> str | None:
        """One of `strings` within tighter bounds that matches none of the patterns `missing`; None if there is none.

        Raises:
            NotUnderstood: the answer is not known.
        """
        if not self.left:
            raise UnsupportedPattern
        limits = [limit for limit in (strings.most, most) if limit is not None]
        try:
            return find_string(
                strings.patterns, missing, max(strings.least, least), min(limits, default=None)
            )
        except UnsupportedPattern:
            self.left -= 1
            raise

    def are_among(self, strings: StringSet, choices: list[str]) -> bool:
        """Whether all of `strings` are certainly among `choices`."""
        if not strings.patterns or len(choices) > MAX_CHOICES:
            return False
        try:
            return self.find(strings, missing=frozenset(map(literal_pattern, choices))) is None
        except UnsupportedPattern:
            return False

    def is_empty(self, strings: StringSet) -> bool:
        """Whether `strings` is certainly empty."""
        if strings.most is not None and strings.least > strings.most:
            return True
        try:
            return bool(strings.patterns) and self.find(strings) is None
        except UnsupportedPattern:
            return False


def strings_of(*wholes: Conjunction) -> StringSet:
    """The strings that all of `wholes` accept."""
    patterns = {
        value for whole in wholes for value in whole.values("pattern") if isinstance(value, str)
    }
    formats = {str(value) for whole in wholes for value in whole.values("format")}
    patterns |= {PATTERN_OF_FORMAT[name] for name in formats if name in PATTERN_OF_FORMAT}
    least = max((count for whole in wholes for count in whole.counts("minLength")), default=0)
    most = min((count for whole in wholes for count in whole.counts("maxLength")), default=None)
    understood = frozenset(pattern for pattern in patterns if automaton_of(pattern) is not None)
    return StringSet(understood, least, most)
