"""Measure the first page of a search in a large catalog, compared with a baseline ("floor"): p50 and p95 in ms.

    .venv/bin/python -m bench.scale [--tools 10000] [--folder DIR] [--rounds 8] [--only CLASS …] [--only-load]

Specs are generated (see specs.py) and loaded by `load_specs` into a data directory, and into the baseline's table (see
floor.py). granian serves both, with the same number of processes and threads. One client requests them in turns, so
that a slow moment of the machine affects both. With `--folder` the loaded data stays there for the next time.

Words are drawn by the number of tools that contain them: rare (2 to 20), medium (a thousandth to a hundredth of all),
common (the verbs that most names begin with). "ours, HTML" is the whole page or, for typing, the part that changes; the
facets are counted by a second request ("facets"). Toolshelf caches results until the catalog changes. To measure the
search itself, each query excludes another word that no tool contains; "again" repeats the same query immediately. There
is only one query without words, which is cached.
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
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from urllib.parse import urlencode

from bench import floor
from bench.load_specs import HIGH_RATES, load
from bench.specs import specs
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
        classes = questions(folder / "site" / "toolshelf.sqlite3", options.tools, options.rounds)
        classes = {
            name: asked
            for name, asked in classes.items()
            if name in options.only or not options.only
        }
        with closing(Served(folder)) as served:
            measure(served, classes)
            print(f"memory of the server: {served.memory_mib():,.0f} MiB ({PROCESSES} processes)")


# -- queries ----------------------------------------------------------------------------------------------------------


def prepare(folder: Path, tools: int) -> None:
    """Load this number of `tools` into `folder`, unless they are there already."""
    done = folder / f"loaded-{tools}"
    if done.exists():
        return
    data_dir = folder / "site"
    data_dir.mkdir(parents=True)
    made = specs(tools)
    files = [folder / f"specs-{number:03}.ndjson" for number in range(-(-tools // FILE_SPECS))]
    for file in files:
        file.write_text("".join(f"{text}\n" for text in islice(made, FILE_SPECS)), encoding="utf-8")
    print(f"load_specs: {load(data_dir, *files):,.0f} specs/s", file=sys.stderr)
    floor.build(folder / "floor.sqlite3", _lines(files))
    for file in files:
        file.unlink()
    done.touch()


def _lines(files: list[Path]) -> Iterator[str]:
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

    def address(self, way: str) -> str:
        """The URL for `way`. If there are words, each URL of ours is different."""
        chosen = {"q": self.words} if self.words else {}
        if self.examples:
            chosen["examples"] = "1"
        if way == "floor":
            chosen |= {"typing": "1"} if self.typing else {}
            return f"/search?{urlencode(chosen)}" if self.words else "/"
        if self.words:  # the last one is complete if a space follows it
            chosen["q"] = f"-never{next(_numbers)} {self.words}{'' if self.typing else ' '}"
        return f"{PATHS[way]}?{urlencode(chosen)}"


def questions(database: Path, tools: int, rounds: int) -> dict[str, list[Question]]:
    """For each class, one query per round."""
    chance = random.Random(1)
    rare = _words(database, 2, 20)
    medium = _words(database, max(20, tools // 1000), max(40, tools // 100))

    def drawn(*pools: list[str]) -> list[str]:
        return [" ".join(chance.choice(pool) for pool in pools) for _ in range(rounds)]

    common = [COMMON[number % len(COMMON)] for number in range(rounds)]
    begun = [f"{common[number]} {chance.choice(medium)[:4]}" for number in range(rounds)]
    return {
        "list, no words": [Question("")] * rounds,
        "list, a facet": [Question("", examples=True)] * rounds,
        "rare word": [Question(words) for words in drawn(rare)],
        "medium word": [Question(words) for words in drawn(medium)],
        "common word": [Question(words) for words in common],
        "get": [Question("get")] * rounds,
        "common and medium": [Question(words) for words in drawn(list(COMMON), medium)],
        "medium and medium": [Question(words) for words in drawn(medium, medium)],
        "common and common": [
            Question(f"{word} {COMMON[(number + 1 + number % 3) % len(COMMON)]}")
            for number, word in enumerate(common)
        ],
        "typing, 3 letters": [Question(word[:3], typing=True) for word in drawn(medium)],
        "typing, second word": [Question(words, typing=True) for words in begun],
        "medium and a facet": [Question(words, examples=True) for words in drawn(medium)],
        "common and a facet": [Question(words, examples=True) for words in common],
    }


def _words(database: Path, at_least: int, at_most: int) -> list[str]:
    """Words that this number of tools contain; the program ends if there are none."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        found = opened.execute(
            "SELECT min(word) FROM tool_word JOIN tool_stem USING (stem) WHERE documents BETWEEN ? "
            "AND ? AND length(word) BETWEEN 5 AND 12 AND word NOT GLOB '*[^a-z]*' GROUP BY stem "
            "ORDER BY 1 LIMIT 20000",
            (at_least, at_most),
        )
        words = [word for (word,) in found]
    if not words:
        raise SystemExit(
            f"No word is in {at_least} to {at_most} of these tools; measure with more --tools."
        )
    return words


# -- asking -----------------------------------------------------------------------------------------------------------


class Served:
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
        """The time of each, in ms."""
        addresses = {way: question.address(way) for way in WAYS if way not in AGAIN}
        return {way: self.ask(way, question, addresses[AGAIN.get(way, way)]) for way in WAYS}

    def ask(self, way: str, question: Question, address: str) -> float:
        """The time of the request, in ms."""
        connection = self.connections[way]
        headers = {"HX-Request": "true"} if question.typing else {}
        started = time.perf_counter()
        connection.request("GET", address, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        took_ms = (time.perf_counter() - started) * 1000
        if answer.status != 200:
            raise RuntimeError(f"{question} of {way}: {answer.status} {body[:500]!r}")
        return took_ms

    def memory_mib(self) -> float:
        """The proportional memory (PSS) of the site's processes, without mapped files."""
        kib = 0
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.getpgid(int(folder.name)) == os.getpgid(self.site.process.pid):
                    for line in (folder / "smaps_rollup").read_text().splitlines():
                        kib += int(line.split()[1]) if line.startswith("Pss_Anon:") else 0
            except OSError:
                continue
        return kib / 1024

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


def measure(served: Served, classes: dict[str, list[Question]]) -> None:
    for (
        asked
    ) in classes.values():  # once unmeasured, to warm up the processes and their database caches
        for question in asked[:4]:
            served.ask_all_ways(question)
    all_measured: dict[str, list[float]] = {way: [] for way in WAYS}
    print(f"{'':20}" + "".join(f"{way:^17}" for way in WAYS) + f"{'ratio of p50':^26}")
    print(
        f"{'':20}"
        + f"{'p50':>8}{'p95':>7}  " * len(WAYS)
        + f"{'JSON':>6}{'HTML':>6}{'again':>7}{'again':>7}"
    )
    for name, asked in classes.items():
        measured: dict[str, list[float]] = {way: [] for way in WAYS}
        for question in asked:
            for way, took_ms in served.ask_all_ways(question).items():
                measured[way].append(took_ms)
        print_row(name, measured)
        for way in WAYS:
            all_measured[way] += measured[way]
    print_row("all of these", all_measured)


def print_row(name: str, measured: dict[str, list[float]]) -> None:
    p50 = {way: statistics.median(times) for way, times in measured.items()}
    p95 = {
        way: statistics.quantiles(times, n=20, method="inclusive")[18]
        for way, times in measured.items()
    }
    line = "".join(f"{p50[way]:>8.1f}{p95[way]:>7.1f}  " for way in WAYS)
    ratios = [p50[way] / p50["floor"] for way in WAYS[1:5]]
    print(f"{name:20}{line}" + "".join(f"{ratio:>6.1f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()
