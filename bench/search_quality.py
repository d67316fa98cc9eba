"""Measure search quality: real questions with known answers, for Toolshelf and for plain BM25 over the same text.

    .venv/bin/python -m bench.search_quality [--half seen|unseen]

Recall@5 is the share of a question's tools among the first five results; nDCG@10 rates their ranks among the first ten.
Plain BM25 is FTS5 with its default weights and tokenizer over id, name, description, and the names and descriptions of
parameters, with all words of the question joined by OR.

Acceptable alternatives (`also_ok`) and tools of the same name (`same_name`) are neither right nor wrong: they are
removed from the results first. The ranking was developed with one half of the questions ("seen"); the other half was
only measured.

Source: Jarvelin, Kekalainen, "Cumulated gain-based evaluation of IR techniques", 2002 (nDCG).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests import corpora

POOLS = {"metatool": "specs_metatool", "bfcl-base": "specs_bfcl", "mcp-evals": "specs_mcp"}
HALVES = ("seen", "unseen")
LOOKED_AT = 60  # results, of which the first ten are rated

Search = Callable[[str], list[str]]


@dataclass(frozen=True)
class Question:
    text: str
    relevant: frozenset[str]
    neutral: frozenset[str]
    half: str

    def rate(self, found: list[str]) -> tuple[float, float]:
        """(recall@5, nDCG@10) of the tools' ids found, best first."""
        rated = [tool_id for tool_id in found if tool_id not in self.neutral]
        recall = len(self.relevant.intersection(rated[:5])) / len(self.relevant)
        gain = sum(
            _discount(rank) for rank, tool_id in enumerate(rated[:10]) if tool_id in self.relevant
        )
        return recall, gain / sum(map(_discount, range(min(10, len(self.relevant)))))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, help="only these questions")
    chosen = parser.parse_args().half
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOOLSHELF_DATA_DIR"] = folder
        print(f"{'':24}{'':>10}{'recall@5':^22}{'nDCG@10':^22}")
        print(f"{'pool':12}{'half':12}{'questions':>10}" + f"{'BM25':>11}{'Toolshelf':>11}" * 2)
        for pool in POOLS:
            plain, ours = plain_bm25(definitions(pool)), toolshelf(pool)
            for half in [chosen] if chosen else [*HALVES, "both"]:
                asked = [one for one in questions(pool) if half in {one.half, "both"}]
                (recall, gain), (our_recall, our_gain) = average(asked, plain), average(asked, ours)
                print(
                    f"{pool:12}{half:12}{len(asked):>10,}"
                    f"{recall:>11.3f}{our_recall:>11.3f}{gain:>11.3f}{our_gain:>11.3f}"
                )


def average(asked: list[Question], search: Search) -> tuple[float, float]:
    rated = [question.rate(search(question.text)) for question in asked]
    return sum(recall for recall, _ in rated) / len(rated), sum(gain for _, gain in rated) / len(
        rated
    )


def questions(pool: str) -> Iterator[Question]:
    for line in corpora.lines("queries"):
        one = json.loads(line)
        if one["pool"] == pool:
            relevant = frozenset(one["relevant"])
            neutral = (
                frozenset((one.get("also_ok") or []) + (one.get("same_name") or [])) - relevant
            )
            yield Question(
                one["query"], relevant, neutral, HALVES[zlib.crc32(one["qid"].encode()) % 2]
            )


def lines(pool: str) -> list[str]:
    return corpora.lines(POOLS[pool])


def definitions(pool: str) -> list[dict[str, Any]]:
    return [json.loads(line)["definition"] for line in lines(pool)]


# -- plain BM25 -------------------------------------------------------------------------------------------------------


def plain_bm25(tools: list[dict[str, Any]]) -> Search:
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE tools USING fts5(key UNINDEXED, id, name, description, parameters)"
    )
    database.executemany(
        "INSERT INTO tools VALUES (?, ?, ?, ?, ?)",
        [
            (
                one["id"],
                one["id"],
                one["name"],
                one["description"],
                " ".join(texts_of(one.get("parameters"))),
            )
            for one in tools
        ],
    )

    def search(text: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        found = database.execute(
            "SELECT key FROM tools WHERE tools MATCH ? ORDER BY rank LIMIT ?", (words, LOOKED_AT)
        )
        return [key for (key,) in found]

    return search


def texts_of(schema: Any) -> Iterator[str]:
    """The names and descriptions of all properties, at any depth."""
    if isinstance(schema, list):
        for one in schema:
            yield from texts_of(one)
    if isinstance(schema, dict):
        for name, one in (schema.get("properties") or {}).items():
            yield name
            if isinstance(one, dict) and isinstance(one.get("description"), str):
                yield one["description"]
            yield from texts_of(one)
        for keyword in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
            yield from texts_of(schema.get(keyword))


# -- ours -------------------------------------------------------------------------------------------------------------


def toolshelf(pool: str) -> Search:
    """The catalog, with only the specs of this pool."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from catalog.index import search_index
    from catalog.search.catalog_search import CatalogSearch
    from catalog.tools.models import Tool
    from catalog.tools.publishing import publish_many
    from toolspec.spec import read_spec

    call_command("migrate", verbosity=0)
    search_index().clear()
    Tool.objects.update(current=None)
    Tool.objects.all().delete()
    publish_many([read_spec(line) for line in lines(pool)], by=None)
    names = dict(Tool.objects.values_list("pk", "tool_id"))
    return lambda text: [names[pk] for pk in CatalogSearch(words=text).hits.ranked[:LOOKED_AT]]


if __name__ == "__main__":
    main()
