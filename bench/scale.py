"""Measure the first page of a search in a large catalog, compared with a baseline ("floor"), in ms.

    .venv/bin/python -m bench.scale [--tools 10000] [--folder DIR] [--rounds 8] [--only CLASS …]
        [--only-load]

Specs are generated (see specs.py) and loaded by `load_specs` into a data directory, and into the
baseline's table (see floor.py). granian serves both, with the same number of processes and threads.
One client requests them in turns, so that a slow moment of the machine affects both. With
`--folder` the loaded data stays there for the next time.

Words are drawn by the number of tools that contain them: rare (2 to 20), medium (a thousandth to a
hundredth of all), common (the verbs that most names begin with). "ours, HTML" is the page or, for
typing, the part that changes; the facets are counted by a second request ("facets"). Toolshelf
caches results until the catalog changes. To measure the search itself, each query excludes another
word that no tool contains; "again" repeats the same query immediately. There is only one query
without words, which is cached.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlencode

from bench import floor
from bench.first_runs import measure_memory
from bench.load_specs import HIGH_RATES, load
from bench.specs import make_specs
from bench.timing import get_p95
from tests.site import ROOT, Site, free_port

FILE_SPECS = 50_000
COMMON = ("get", "list", "create", "search", "update", "delete")
WAYS = ("floor", "ours, JSON", "ours, HTML", "JSON again", "HTML again", "facets")
AGAIN = {"JSON again": "ours, JSON", "HTML again": "ours, HTML"}
PATHS = {"ours, JSON": "/api/v1/tools", "ours, HTML": "/tools/", "facets": "/facets/"}
PROCESSES, THREADS = "2", "16"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--only-load", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        prepare(folder, options.tools)
        if options.only_load:
            return
        database = folder / "site" / "toolshelf.sqlite3"
        classes = make_questions(database, options.tools, options.rounds)
        for name in set(classes).difference(options.only or classes):
            del classes[name]
        with closing(Servers(folder)) as servers:
            measure(servers, classes)
            memory = servers.measure_memory()
            print(f"memory of the server: {memory:,.0f} MiB ({PROCESSES} processes)")


def prepare(folder: Path, tools: int) -> None:
    """Load this number of `tools` into `folder`, unless they are there already."""
    done = folder / f"loaded-{tools}"
    if done.exists():
        return
    data_dir = folder / "site"
    data_dir.mkdir(parents=True)
    texts = make_specs(tools)
    files = []
    while lines := list(islice(texts, FILE_SPECS)):
        file = folder / f"specs-{len(files):03}.ndjson"
        file.write_text("\n".join(lines), encoding="utf-8")
        files.append(file)
    print(f"load_specs: {load(data_dir, *files):,.0f} specs/s", file=sys.stderr)
    floor.build(folder / "floor.sqlite3", _read_lines(files))
    for file in files:
        file.unlink()
    done.touch()


def _read_lines(files: list[Path]) -> Iterator[str]:
    for file in files:
        with file.open(encoding="utf-8") as lines:
            yield from lines


_numbers = count()


@dataclass(frozen=True)
class Question:
    """A query: words, whether they are being typed, and whether a facet is selected."""

    words: str
    typing: bool = False
    examples: bool = False

    def make_url(self, way: str) -> str:
        """The URL for `way`. If there are words, each URL of ours is different."""
        query = {}
        if self.words:
            query["q"] = self.words
        if self.examples:
            query["examples"] = "1"
        if way == "floor":
            if self.typing:
                query["typing"] = "1"
            return f"/search?{urlencode(query)}" if self.words else "/"
        if self.words:
            query["q"] = f"-never{next(_numbers)} {self.words}"
            if not self.typing:
                query["q"] += " "  # the last word is complete
        return f"{PATHS[way]}?{urlencode(query)}"


def make_questions(database: Path, tools: int, rounds: int) -> dict[str, list[Question]]:
    """For each class, one query per round."""
    chance = random.Random(1)
    rare = select_words(database, 2, 20)
    medium = select_words(database, max(20, tools // 1000), max(40, tools // 100))
    classes: dict[str, list[Question]] = defaultdict(list)

    def add(name: str, *words: str, typing: bool = False, examples: bool = False) -> None:
        classes[name].append(Question(" ".join(words), typing, examples))

    for number in range(rounds):
        common = COMMON[number % len(COMMON)]
        other_common = COMMON[(number + 1 + number % 3) % len(COMMON)]
        word, other_word = chance.choices(medium, k=2)
        add("list, no words")
        add("list, a facet", examples=True)
        add("rare word", chance.choice(rare))
        add("medium word", word)
        add("common word", common)
        add("get", "get")
        add("common and medium", common, other_word)
        add("medium and medium", word, other_word)
        add("common and common", common, other_common)
        add("typing, 3 letters", word[:3], typing=True)
        add("typing, second word", common, word[:4], typing=True)
        add("medium and a facet", other_word, examples=True)
        add("common and a facet", common, examples=True)
    return classes


def select_words(database: Path, at_least: int, at_most: int) -> list[str]:
    """Words that this number of tools contain; the program ends if there are none."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT min(word) FROM tool_word JOIN tool_stem USING (stem) WHERE documents BETWEEN ? "
            "AND ? AND length(word) BETWEEN 5 AND 12 AND word NOT GLOB '*[^a-z]*' GROUP BY stem "
            "ORDER BY 1 LIMIT 20000",
            (at_least, at_most),
        )
        words = [word for (word,) in rows]
    if not words:
        raise SystemExit(
            f"No word is in {at_least} to {at_most} of these tools; measure with more --tools."
        )
    return words


class Servers:
    """Both servers, each with a keep-alive connection."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--http", "1", "--no-ws"]
        command += ["--port", str(port), "--workers", PROCESSES, "--blocking-threads", THREADS]
        self.floor = subprocess.Popen(
            [*command, "--log-level", "error", "bench.floor:application"],
            cwd=ROOT,
            env={**os.environ, "FLOOR_DATABASE": str(folder / "floor.sqlite3")},
        )
        try:
            environment = {
                "TOOLSHELF_WEB_PROCESSES": PROCESSES,
                "TOOLSHELF_WEB_THREADS": THREADS,
                **HIGH_RATES,
            }
            self.site = Site(folder / "site", **environment)
            wait_for(port)
        except BaseException:
            self.floor.terminate()
            raise
        ours = http.client.HTTPConnection("127.0.0.1", self.site.port)
        self.connections = dict.fromkeys(WAYS, ours) | {
            "floor": http.client.HTTPConnection("127.0.0.1", port)
        }

    def ask_all_ways(self, question: Question) -> dict[str, float]:
        """The ms of each way."""
        urls: dict[str, str] = {}
        times = {}
        for way in WAYS:
            if way in AGAIN:
                urls[way] = urls[AGAIN[way]]
            else:
                urls[way] = question.make_url(way)
            times[way] = self.ask(way, question, urls[way])
        return times

    def ask(self, way: str, question: Question, url: str) -> float:
        """The ms of the request."""
        connection = self.connections[way]
        headers = {"HX-Request": "true"} if question.typing else {}
        began = time.perf_counter()
        connection.request("GET", url, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        took_ms = (time.perf_counter() - began) * 1000
        if answer.status != 200:
            raise RuntimeError(f"{question} of {way}: {answer.status} {body[:500]!r}")
        return took_ms

    def measure_memory(self) -> float:
        """The MiB of the site's processes without mapped files, shared pages divided (PSS)."""
        return measure_memory(self.site.process.pid, "Pss_Anon:")

    def close(self) -> None:
        self.site.stop()
        self.floor.terminate()
        self.floor.wait(10)


def wait_for(port: int) -> None:
    """Wait until a server listens on `port`."""
    deadline = time.monotonic() + 30
    while True:
        with socket.socket() as probe:
            if not probe.connect_ex(("127.0.0.1", port)):
                return
        if time.monotonic() > deadline:
            raise TimeoutError("The baseline's server did not start.")
        time.sleep(0.1)


def measure(servers: Servers, classes: dict[str, list[Question]]) -> None:
    # Once unmeasured, to warm up the processes and their database caches.
    for questions in classes.values():
        for question in questions[:4]:
            servers.ask_all_ways(question)
    print(f"{'':20}{''.join(f'{way:^17}' for way in WAYS)}{'ratio of p50':^26}")
    quantiles = f"{'p50':>8}{'p95':>7}  " * len(WAYS)
    print(f"{'':20}{quantiles}{'JSON':>6}{'HTML':>6}{'again':>7}{'again':>7}")
    all_times: dict[str, list[float]] = defaultdict(list)
    for name, questions in classes.items():
        times: dict[str, list[float]] = defaultdict(list)
        for question in questions:
            for way, took_ms in servers.ask_all_ways(question).items():
                times[way].append(took_ms)
                all_times[way].append(took_ms)
        print_row(name, times)
    print_row("all of these", all_times)


def print_row(name: str, times: dict[str, list[float]]) -> None:
    medians = {way: statistics.median(times[way]) for way in WAYS}
    line = f"{name:20}"
    for way in WAYS:
        line += f"{medians[way]:>8.1f}{get_p95(times[way]):>7.1f}  "
    for way in WAYS[1:5]:
        line += f"{medians[way] / medians['floor']:>6.1f}"
    print(line, flush=True)


if __name__ == "__main__":
    main()
