"""Realistic specs for measuring, the same for the same seed. Words and shapes follow what MCP servers send."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

VERBS = """
    get list create update delete search find add remove set fetch read write send run check count convert
    export import merge move open close start stop sync upload validate watch
""".split()  # noqa: SIM905 - reads better than a list
NOUNS = """
    issue file user message event task branch page table query record contact channel calendar invoice order
    project folder report ticket comment label job log metric node pod image dataset model document row column
    session token webhook payment product review weather forecast location route flight hotel price stock
""".split()  # noqa: SIM905 - reads better than a list
QUALITIES = """
    open new recent active archived shared public private nested remote local pending failed daily
""".split()  # noqa: SIM905 - reads better than a list
SERVERS = [f"{first}-{second}-mcp" for first in NOUNS[:40] for second in ("server", "tools", "hub", "cloud", "kit")]
TYPES = ["string"] * 10 + ["integer", "number", "boolean", "array", "object"]
SENTENCES = (
    "{Verb} {quality} {noun}s of a {noun2} and return them.",
    "{Verb} a {noun} by its id. Use this tool when the user asks about a {noun2}.",
    "{Verb} one {quality} {noun}; the {noun2} must exist before.",
    "Use it to {verb} the {noun}s that belong to a {quality} {noun2}, page by page, newest first.",
)


def specs(count: int, *, seed: int = 1) -> Iterator[str]:
    """`count` texts of specs, each on one line; about 900 bytes on average."""
    chance = random.Random(seed)
    for number in range(count):
        yield json.dumps(_spec(chance, number))


def _spec(chance: random.Random, number: int) -> dict[str, Any]:
    verb, noun = chance.choice(VERBS), chance.choice(NOUNS)
    name = chance.choice((f"{verb}_{noun}", f"{verb}{noun.title()}", f"{verb}-{noun}s"))
    sentences = [_sentence(chance, verb, noun) for _ in range(chance.choice((1, 1, 2, 3)))]
    names = chance.sample(NOUNS, chance.randrange(1, 7))
    definition: dict[str, Any] = {
        "id": f"{chance.choice(SERVERS)}.{name}.{number}",
        "name": name,
        "description": " ".join(sentences),
        "parameters": {
            "type": "object",
            "properties": {f"{one}_{chance.choice(('id', 'name', 'filter'))}": _property(chance, one) for one in names},
            "required": [],
        },
    }
    if chance.random() < 0.1:
        definition["returnType"] = {"type": "object", "properties": {noun: {"type": "string"}}}
    if chance.random() < 0.05:
        definition["examples"] = [{"description": sentences[0], "parameters": {}}]
    document: dict[str, Any] = {"definition": definition}
    if chance.random() < 0.1:
        document["configuration"] = {"type": "object", "properties": {"apiKey": {"type": "string", "writeOnly": True}}}
    return document


def _property(chance: random.Random, noun: str) -> dict[str, Any]:
    kind = chance.choice(TYPES)
    schema: dict[str, Any] = {"type": kind, "description": _sentence(chance, chance.choice(VERBS), noun)}
    if kind == "array":
        schema["items"] = {"type": "string"}
    if kind == "object":
        schema["properties"] = {other: {"type": "string"} for other in chance.sample(NOUNS, 3)}
    if kind == "string" and chance.random() < 0.2:
        schema["enum"] = chance.sample(QUALITIES, 3)
    return schema


def _sentence(chance: random.Random, verb: str, noun: str) -> str:
    words = {"verb": verb, "Verb": verb.title(), "noun": noun}
    return chance.choice(SENTENCES).format(**words, noun2=chance.choice(NOUNS), quality=chance.choice(QUALITIES))
