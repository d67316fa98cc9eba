"""Names of the tool and its parameters.

Sources: the rules of the providers, in `toolspec.exports.format_rules`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from toolspec.exports.aliases import NameRule
from toolspec.exports.format_rules import ANTHROPIC, GEMINI, MCP, OPENAI
from toolspec.lint.context import SpecRule, Subject, properties_of
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.member_names import find_misnamed
from toolspec.schema.describe import join_words
from toolspec.text.patch import Operation

PROVIDERS: Final = (MCP, OPENAI, ANTHROPIC, GEMINI)
LEGAL: Final = NameRule("A-Za-z0-9_-", 64, "", first="A-Za-z_")  # accepted by all of them
_WORD: Final = re.compile(r"[^\W\d_]+")
_CONFUSED: Final = frozenset(
    {"LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "LISU", "FULLWIDTH"}
)
# Cyrillic and Greek letters that look like Latin ones: a word made only of these is just as
# deceptive.
_LOOK_LATIN: Final = frozenset("аеорсухіјѕԁԛԝһАВЕКМНОРСТХІЈЅοαινρυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_SPLIT: Final = re.compile(r"[^A-Za-z0-9]+")


def check_name(subject: Subject) -> Iterator[Finding]:
    spec = subject.spec
    rejecting = [rules.label for rules in PROVIDERS if not rules.name.allows(spec.name)]
    if not rejecting:
        return
    verb = "does" if len(rejecting) == 1 else "do"
    message = f"{join_words(rejecting, 'and')} {verb} not accept the tool name “{spec.name}”."
    yield make_finding("name-not-portable", "/definition/name", message, _rename(subject))


def _rename(subject: Subject) -> Fix | None:
    """A legal name from the letters of the old one, which becomes the tool's id."""
    name = _SPLIT.sub("_", subject.spec.name).strip("_")
    if not LEGAL.allows(name):
        return None
    operations = [Operation("replace", "/definition/name", name)]
    definition = subject.spec.document["definition"]
    if isinstance(definition, dict) and "id" not in definition:
        operations.insert(0, Operation("add", "/definition/id", subject.spec.name))
    return Fix(f"Rename it to {name}", tuple(operations))


def check_member_names(subject: Subject) -> Iterator[Finding]:
    part = subject.part("parameters")
    if part is None or ANTHROPIC.members is None:
        return
    for name, node in properties_of(part.map.root):
        if not ANTHROPIC.members.allows(name):
            message = f"Anthropic does not accept the parameter name “{name[:80]}”."
            yield make_finding("member-name-not-portable", part.pointer_to(node), message)


def find_mixed_scripts(subject: Subject) -> Iterator[Finding]:
    """Words of the id and the name in which letters of one script look like those of another."""
    definition = subject.spec.document["definition"]
    for member in ("id", "name"):
        text = definition.get(member) if isinstance(definition, dict) else None
        word = _mixed_word(text) if isinstance(text, str) and not text.isascii() else None
        if word is None:
            continue
        letters = [letter for letter in word if not letter.isascii()]
        names = ", ".join(map(_describe_letter, letters[:3]))
        message = f"The word “{word[:40]}” of the {member} has letters that look like Latin ones:"
        message += f" {names}."
        yield make_finding("name-mixed-scripts", f"/definition/{member}", message)


def _describe_letter(letter: str) -> str:
    return f"{letter} (U+{ord(letter):04X}, {_script(letter).title()})"


def _mixed_word(text: str) -> str | None:
    has_latin = any(letter.isascii() and letter.isalpha() for letter in text)
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii():
            continue
        if has_latin and _LOOK_LATIN.issuperset(word):
            return word
        if len(_CONFUSED.intersection(map(_script, word))) > 1:
            return word
    return None


def _script(letter: str) -> str:
    """The script of a letter, which is the first word of its name in Unicode."""
    return unicodedata.name(letter, "").partition(" ")[0]


def find_misspelt_members(subject: Subject) -> Iterator[Finding]:
    for member in find_misnamed(subject.spec.document):
        around = member.pointer.rpartition("/")[0]
        move = Operation("move", f"{around}/{member.meant}", source=member.pointer)
        fix = Fix(f"Rename it to {member.meant}", (move,)) if member.fits else None
        yield make_finding("member-misspelt", member.pointer, member.message, fix)


OF_SPECS: Final[tuple[SpecRule, ...]] = (
    check_name,
    check_member_names,
    find_mixed_scripts,
    find_misspelt_members,
)
