"""Realistic specs for measurements, the same for the same seed.

Each is a real spec (of an MCP server or a function collection) in which the words for its subject are replaced by
others throughout the text. So names, sentences, parameters and sizes are like those of real specs, and words have the
frequencies of a language: few are common, most are rare, and the number of words grows with the specs. A tenth of the
specs have a configuration, a fifth have examples.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
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
    definition id name description parameters returntype examples configuration type properties items required
    enum default format minimum maximum pattern title string integer number boolean object array null true
    false anyof oneof allof const ref schema defs additionalproperties http https json draft org the and for
    with that this from are not use used uses using can will one all any each when where which what has have
    its into only also other than then more most must may should such same new via per e.g i.e etc returns
    return optional tool tools value values list get set create update delete remove add search find fetch
    read write send run check make show you your they them their there these those some both either about
    after before between but was were been
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


def specs(count: int, *, seed: int = 1) -> Iterator[str]:
    """`count` texts of specs, each on one line; about 900 bytes on average."""
    chance = random.Random(seed)
    originals = _originals()
    words = _Words(originals, count, chance)
    toolkits = [words.coin() for _ in range(max(1, count // TOOLS_PER_TOOLKIT))]
    used: Counter[str] = Counter()
    for _ in range(count):
        pieces, about = chance.choice(originals)
        document = json.loads(_exchanged(pieces, {word: words.draw() for word in about}))
        definition = document["definition"]
        toolkit = toolkits[int(len(toolkits) * chance.random() ** 2)]
        tool_id = (
            f"{toolkit}-{chance.choice(('mcp', 'server', 'tools', 'api'))}.{definition['name']}"
        )
        used[tool_id] += 1
        definition["id"] = tool_id if used[tool_id] == 1 else f"{tool_id}-{used[tool_id]}"
        if chance.random() < 0.5:
            definition["description"] += f" Part of {toolkit.title()}."
        if chance.random() < 0.2:
            definition["examples"] = [
                {"description": definition["description"].split(". ")[0], "parameters": {}}
            ]
        if chance.random() < 0.1:
            document["configuration"] = _CONFIGURATION
        yield json.dumps(document, ensure_ascii=False)


def _originals() -> list[tuple[list[str], list[str]]]:
    """The texts of the real specs, each split at the words for its subject, and those words."""
    found: list[tuple[list[str], list[str]]] = []
    for source in SOURCES:
        for line in corpora.lines(source):
            if len(line) <= MAX_BYTES:
                about = _about(json.loads(line)["definition"])
                found.append((_pieces(line, about), about))
    return found


def _about(definition: dict[str, Any]) -> list[str]:
    """The words of its name, and the three longest words of its description."""
    name = [part.lower() for part in _PART.findall(definition["name"])]
    longest = sorted(
        {word.lower() for word in _WORD.findall(definition["description"])},
        key=lambda one: (-len(one), one),
    )
    return [
        word
        for word in dict.fromkeys([*name, *longest[:3]])
        if len(word) > 2 and word not in _UNCHANGED
    ]


class _Words:
    """Words to draw from, the first ones often and the last ones rarely."""

    def __init__(
        self, originals: list[tuple[list[str], list[str]]], count: int, chance: random.Random
    ) -> None:
        self.chance = chance
        self.known = Counter(word for _, about in originals for word in about)
        common = [word for word, _ in self.known.most_common()]
        coined = [self.coin() for _ in range(int(count * WORDS_PER_SPEC))]
        self.all = [*common, *coined]
        self.shares = list(accumulate(1 / (rank + 20) for rank in range(len(self.all))))

    def draw(self) -> str:
        return self.chance.choices(self.all, cum_weights=self.shares)[0]

    def coin(self) -> str:
        """An invented word, like the name of a product."""
        syllables = self.chance.choices(_SYLLABLES, k=self.chance.choice((2, 2, 3, 3, 4)))
        return "".join(syllables)


_SYLLABLES = [
    first + vowel + last
    for first in "bcdfgklmnprstvz"
    for vowel in "aeiou"
    for last in ("", "n", "r", "s", "x")
]


def _pieces(text: str, about: list[str]) -> list[str]:
    """`text` split at the words of `about`, as words or in names: every second piece is one of them."""
    if not about:
        return [text]
    longest_first = sorted(about, key=len, reverse=True)
    either = "|".join(f"{word}|{word.capitalize()}" for word in longest_first)
    return re.split(rf"(?<![a-z])({either})(?![a-z])", text)


def _exchanged(pieces: list[str], others: dict[str, str]) -> str:
    new = list(pieces)
    for place in range(1, len(pieces), 2):
        word = pieces[place]
        other = others[word.lower()]
        new[place] = other.capitalize() if word[0].isupper() else other
    return "".join(new)
