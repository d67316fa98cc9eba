"""Instructions to the model that do not describe the tool: a description can be an attack.

Low on false alarms rather than complete: each pattern was tried on the real tools of the corpora.

Source: OWASP, "LLM01: Prompt Injection"; Invariant Labs, "MCP Security Notification: Tool Poisoning
Attacks".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from toolspec.lint.context import SpecRule, Subject
from toolspec.lint.findings import Finding
from toolspec.lint.registry import make_finding
from toolspec.lint.rules.descriptions import texts_of
from toolspec.text.reader import JSON

MAX_CHARACTERS: Final = 200_000  # of the different texts of one spec: 1,000 take at most 6 ms
SHOWN_CHARACTERS: Final = 120
UNSEARCHED: Final = (
    f"The descriptions, titles and names have more than {MAX_CHARACTERS:,} characters together, "
    "so that not all of them were searched for instructions to the model."
)

_FILE: Final = Path(__file__).with_name("injection_patterns.txt")
_NAME: Final = re.compile(r"([A-Z]+) = (.+)")
# Bounded like words: unbounded repetitions side by side take quadratic time.
_BETWEEN_WORDS: Final = r"\W{1,4}"
_WORD: Final = r"\w{1,40}"


@cache
def _instruction() -> re.Pattern[str]:
    """The patterns of the file as one."""
    names: dict[str, str] = {}
    patterns: list[str] = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        definition = _NAME.fullmatch(line)
        if definition:
            names[definition[1]] = definition[2]
        elif line and not line.startswith("#"):
            patterns.append(line)
    text = "|".join(f"(?:{pattern})" for pattern in patterns)
    while placeholder := re.search("<([A-Z]+)>", text):
        text = text.replace(placeholder.group(), names[placeholder[1]])
    text = text.replace(" ", _BETWEEN_WORDS).replace(r"\w+", _WORD).replace(r"\w*", r"\w{0,40}")
    return re.compile(text, re.IGNORECASE | re.DOTALL)


def find_instructions(subject: Subject) -> Iterator[Finding]:
    document = subject.spec.document
    for pointer, phrase in injected_phrases(document):
        quote = phrase[:SHOWN_CHARACTERS]
        message = f"“{quote}” instructs the model instead of describing the tool."
        yield make_finding("description-instructs", pointer, message)
    unsearched = unsearched_text(document)
    if unsearched is not None:
        yield make_finding("description-instructs", unsearched, f"{UNSEARCHED} Shorten them.")


def injected_phrases(document: JSON) -> Iterator[tuple[str, str]]:
    """(pointer of a description, title or name; the phrase in it that instructs the model)."""
    left = MAX_CHARACTERS
    phrases: dict[str, str] = {}
    for pointer, text in texts_of(document):
        if text not in phrases:
            phrases[text] = find_phrase(text[: max(left, 0)])
            left -= len(text)
        if phrases[text]:
            yield pointer, phrases[text]


def unsearched_text(document: JSON) -> str | None:
    """The pointer of the first text that `injected_phrases` does not search to its end.

    None if it searches all.
    """
    left = MAX_CHARACTERS
    known: set[str] = set()
    for pointer, text in texts_of(document):
        if text not in known:
            known.add(text)
            left -= len(text)
        if left < 0:
            return pointer
    return None


def find_phrase(text: str) -> str:
    """The first part of `text` that instructs the model beyond describing the tool.

    "" if there is none.
    """
    phrase = _instruction().search(" ".join(text.split()))
    return phrase.group() if phrase else ""


OF_SPECS: Final[tuple[SpecRule, ...]] = (find_instructions,)
