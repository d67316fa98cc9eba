"""Realistic specs for measurements, the same for the same seed.

Each is a real spec (of an MCP server or a function collection) in which the words for its subject
are replaced by others throughout the text. So names, sentences, parameters and sizes are like those
of real specs, and words have the frequencies of a language: few are common, most are rare, and the
number of words grows with the specs. A tenth of the specs have a configuration, a fifth have
examples.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain, product
from typing import Any

from tests import corpora

SOURCES = ("specs_mcp", "specs_mcp", "specs_bfcl", "specs_taubench", "specs_metatool")
MAX_BYTES = 8_000  # a few real ones are far longer; they would measure JSON rather than searching
TOOLS_PER_TOOLKIT = 15
WORDS_PER_SPEC = 0.04  # new words per additional spec

_WORD = re.compile(r"[A-Za-z]+")
_PART = re.compile(r"[A-Z]?[a-z]+")
# Words of the format and of English grammar, which are not replaced.
_UNCHANGED_WORDS = """
    definition id name description parameters returntype examples configuration type properties
    items required enum default format minimum maximum pattern title string integer number
    boolean object array null true false anyof oneof allof const ref schema defs
    additionalproperties http https json draft org the and for with that this from are not use
    used uses using can will one all any each when where which what has have its into only also
    other than then more most must may should such same new via per e.g i.e etc returns return
    optional tool tools value values list get set create update delete remove add search find
    fetch read write send run check make show you your they them their there these those some
    both either about after before between but was were been
"""
_UNCHANGED = frozenset(_UNCHANGED_WORDS.split())
_CONFIGURATION = {
    "type": "object",
    "properties": {
        "apiKey": {"type": "string", "description": "API key of the account", "writeOnly": True},
        "baseUrl": {"type": "string", "description": "Where the service is reached"},
    },
    "required": ["apiKey"],
}


@dataclass(frozen=True)
class Original:
    """A real spec.

    Attributes:
        subject: the words for its subject, in lower case.
        pieces: its text, split at these words: every second piece is one of them.
    """

    subject: list[str]
    pieces: list[str]

    def rewrite(self, substitutes: dict[str, str]) -> str:
        """The text with other words for the subject."""
        text = self.pieces[0]
        for word, rest in zip(self.pieces[1::2], self.pieces[2::2], strict=True):
            substitute = substitutes[word.lower()]
            if word[0].isupper():
                substitute = substitute.capitalize()
            text += substitute + rest
        return text


def make_specs(count: int, *, seed: int = 1) -> Iterator[str]:
    """`count` texts of specs, each on one line; about 900 bytes on average."""
    chance = random.Random(seed)
    originals = _read_originals()
    words = _Words(originals, count, chance)
    toolkits = [words.coin() for _ in range(max(1, count // TOOLS_PER_TOOLKIT))]
    uses: Counter[str] = Counter()
    for _ in range(count):
        original = chance.choice(originals)
        document = json.loads(original.rewrite({word: words.draw() for word in original.subject}))
        definition = document["definition"]
        toolkit = toolkits[int(len(toolkits) * chance.random() ** 2)]
        kind = chance.choice(("mcp", "server", "tools", "api"))
        tool_id = f"{toolkit}-{kind}.{definition['name']}"
        uses[tool_id] += 1
        if uses[tool_id] > 1:
            tool_id = f"{tool_id}-{uses[tool_id]}"
        definition["id"] = tool_id
        if chance.random() < 0.5:
            definition["description"] += f" Part of {toolkit.title()}."
        if chance.random() < 0.2:
            sentence = definition["description"].split(". ")[0]
            definition["examples"] = [{"description": sentence, "parameters": {}}]
        if chance.random() < 0.1:
            document["configuration"] = _CONFIGURATION
        yield json.dumps(document, ensure_ascii=False)


def _read_originals() -> list[Original]:
    originals = []
    for source in SOURCES:
        for line in corpora.lines(source):
            if len(line) <= MAX_BYTES:
                subject = _find_subject(json.loads(line)["definition"])
                originals.append(Original(subject, _split(line, subject)))
    return originals


def _find_subject(definition: dict[str, Any]) -> list[str]:
    """The words of its name, and the three longest words of its description."""
    names = [part.lower() for part in _PART.findall(definition["name"])]
    words = sorted(set(_WORD.findall(definition["description"].lower())))
    words.sort(key=len, reverse=True)
    candidates = dict.fromkeys([*names, *words[:3]])
    return [word for word in candidates if len(word) > 2 and word not in _UNCHANGED]


def _split(text: str, subject: list[str]) -> list[str]:
    """`text` split at the words of its subject, whether they are words or parts of names."""
    if not subject:
        return [text]
    longest_first = sorted(subject, key=len, reverse=True)
    words = "|".join(f"{word}|{word.capitalize()}" for word in longest_first)
    return re.split(rf"(?<![a-z])({words})(?![a-z])", text)


class _Words:
    """Words to draw from, the first ones often and the last ones rarely."""

    def __init__(self, originals: list[Original], count: int, chance: random.Random) -> None:
        self.chance = chance
        known = Counter(chain.from_iterable(original.subject for original in originals))
        self.all = [word for word, _ in known.most_common()]
        self.all += [self.coin() for _ in range(int(count * WORDS_PER_SPEC))]
        self.shares = list(accumulate(1 / (rank + 20) for rank in range(len(self.all))))

    def draw(self) -> str:
        return self.chance.choices(self.all, cum_weights=self.shares)[0]

    def coin(self) -> str:
        """An invented word, like the name of a product."""
        syllables = self.chance.choices(_SYLLABLES, k=self.chance.choice((2, 2, 3, 3, 4)))
        return "".join(syllables)


_SYLLABLES = list(map("".join, product("bcdfgklmnprstvz", "aeiou", ("", "n", "r", "s", "x"))))
