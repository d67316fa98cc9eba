"""Measure search quality: real questions with known answers, compared with plain BM25.

    .venv/bin/python -m bench.search_quality [--half seen|unseen]

Recall@5 is the share of a question's tools among the first five results; nDCG@10 rates their ranks
among the first ten. Plain BM25 is FTS5 with its default weights and tokenizer over id, name,
description, and the names and descriptions of parameters, with all words of the question joined by
OR.

Acceptable alternatives (`also_ok`) and tools of the same name (`same_name`) are neither right nor
wrong: they are removed from the results first. The ranking was developed with one half of the
questions ("seen"); the other half was only measured.

Source: Jarvelin, Kekalainen, "Cumulated gain-based evaluation of IR techniques", 2002 (nDCG).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sqlite3
import statistics
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests import corpora

POOLS = {"metatool": "specs_metatool", "bfcl-base": "specs_bfcl", "mcp-evals": "specs_mcp"}
HALVES = ("seen", "unseen")
MAX_RESULTS = 60  # results, of which the first ten are rated

Search = Callable[[str], list[str]]


@dataclass(frozen=True)
class Question:
    text: str
    relevant: frozenset[str]
    neutral: frozenset[str]
    half: str

    def rate(self, tool_ids: list[str]) -> tuple[float, float]:
        """(recall@5, nDCG@10) of search results, best first."""
        results = [tool_id for tool_id in tool_ids if tool_id not in self.neutral]
        recall = len(self.relevant.intersection(results[:5])) / len(self.relevant)
        gain = 0.0
        for rank, tool_id in enumerate(results[:10]):
            if tool_id in self.relevant:
                gain += _get_gain(rank)
        best_gain = sum(map(_get_gain, range(min(10, len(self.relevant)))))
        return recall, gain / best_gain


def _get_gain(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=HALVES, help="only these questions")
    half = parser.parse_args().half
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOOLSHELF_DATA_DIR"] = folder
        print(f"{'':24}{'':>10}{'recall@5':^22}{'nDCG@10':^22}")
        columns = f"{'BM25':>11}{'Toolshelf':>11}"
        print(f"{'pool':12}{'half':12}{'questions':>10}{columns * 2}")
        for pool in POOLS:
            measure(pool, [half] if half else [*HALVES, "both"])


def measure(pool: str, halves: list[str]) -> None:
    search_plainly, search_toolshelf = index_plainly(pool), index_in_toolshelf(pool)
    for half in halves:
        questions = [each for each in read_questions(pool) if half in {each.half, "both"}]
        recall, gain = average(questions, search_plainly)
        our_recall, our_gain = average(questions, search_toolshelf)
        print(
            f"{pool:12}{half:12}{len(questions):>10,}"
            f"{recall:>11.3f}{our_recall:>11.3f}{gain:>11.3f}{our_gain:>11.3f}"
        )


def average(questions: list[Question], search: Search) -> tuple[float, float]:
    ratings = [question.rate(search(question.text)) for question in questions]
    recalls, gains = zip(*ratings, strict=True)
    return statistics.mean(recalls), statistics.mean(gains)


def read_questions(pool: str) -> Iterator[Question]:
    for line in corpora.lines("queries"):
        row = json.loads(line)
        if row["pool"] == pool:
            relevant = frozenset(row["relevant"])
            neutral = {*(row.get("also_ok") or ()), *(row.get("same_name") or ())}
            half = HALVES[zlib.crc32(row["qid"].encode()) % 2]
            yield Question(row["query"], relevant, frozenset(neutral - relevant), half)


def read_lines(pool: str) -> list[str]:
    return corpora.lines(POOLS[pool])


def index_plainly(pool: str) -> Search:
    """The search of plain BM25."""
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE tools USING fts5(key UNINDEXED, id, name, description, parameters)"
    )
    for line in read_lines(pool):
        tool = json.loads(line)["definition"]
        texts = " ".join(collect_texts(tool.get("parameters")))
        row = (tool["id"], tool["id"], tool["name"], tool["description"], texts)
        database.execute("INSERT INTO tools VALUES (?, ?, ?, ?, ?)", row)

    def search(text: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        rows = database.execute(
            "SELECT key FROM tools WHERE tools MATCH ? ORDER BY rank LIMIT ?", (words, MAX_RESULTS)
        )
        return [key for (key,) in rows]

    return search


def collect_texts(schema: Any) -> Iterator[str]:
    """The names and descriptions of all properties, at any depth."""
    if isinstance(schema, list):
        for item in schema:
            yield from collect_texts(item)
    if isinstance(schema, dict):
        for name, member in (schema.get("properties") or {}).items():
            yield name
            if isinstance(member, dict) and isinstance(member.get("description"), str):
                yield member["description"]
            yield from collect_texts(member)
        for keyword in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
            yield from collect_texts(schema.get(keyword))


def index_in_toolshelf(pool: str) -> Search:
    """The search of the catalog, with only the specs of this pool."""
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
    publish_many([read_spec(line) for line in read_lines(pool)], by=None)
    names = dict(Tool.objects.values_list("pk", "tool_id"))
    return lambda text: [names[pk] for pk in CatalogSearch(words=text).hits.ranked[:MAX_RESULTS]]


if __name__ == "__main__":
    main()
