"""Measure the catalog's pages and lists over HTTP: one client, p50 and p95 in ms.

    .venv/bin/python -m bench.pages [--tools 10000] [--rounds 200]

The server is the production server, with its own data directory that `load_specs` fills.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.specs import specs
from tests.site import ROOT, Site

PATHS = (
    ("a page of static text", "/healthz"),
    ("home", "/"),
    ("the list", "/tools/"),
    ("the list, second page", "/tools/?cursor={cursor}"),
    ("search, a rare word", "/tools/?q=hotel+forecast"),
    ("search, a common word", "/tools/?q=get"),
    ("search as you type", "/tools/?q=create+iss"),
    ("search by facet", "/tools/?q=user&configurable=1"),
    ("API, list", "/api/v1/tools"),
    ("API, search", "/api/v1/tools?q=hotel+forecast"),
    ("API, a common word", "/api/v1/tools?q=get"),
    ("a tool's page", "/tools/{slug}/"),
    ("a tool by the API", "/api/v1/tools/{slug}"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "specs.ndjson"
        file.write_text("\n".join(specs(options.tools)))
        data_dir = Path(folder) / "data"
        data_dir.mkdir()
        fill(file, data_dir)
        site = Site(data_dir)
        try:
            measure(site, options.rounds)
        finally:
            site.stop()


def fill(file: Path, data_dir: Path) -> None:
    environment = {**os.environ, "TOOLSHELF_DATA_DIR": str(data_dir)}
    for words in (["migrate", "--verbosity=0"], ["load_specs", "--quiet", str(file)]):
        subprocess.run([sys.executable, "manage.py", *words], cwd=ROOT, env=environment, check=True)


def measure(site: Site, rounds: int) -> None:
    address = urlsplit(site.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)
    first = get_json(connection, "/api/v1/tools?limit=20")
    names = {"cursor": first["next"], "slug": first["items"][0]["slug"]}
    paths = [(label, path.format(**names)) for label, path in PATHS]
    times: dict[str, list[float]] = {label: [] for label, _ in paths}
    for _ in range(rounds):  # interleaved, so that a slow moment of the machine affects every path
        for label, path in paths:
            started = time.perf_counter()
            get(connection, path)
            times[label].append((time.perf_counter() - started) * 1000)
    print(f"{'':28}{'p50':>8}{'p95':>8}")
    for label, timings in times.items():
        print(f"{label:28}{statistics.median(timings):>8.1f}{statistics.quantiles(timings, n=20)[18]:>8.1f}")


def get(connection: http.client.HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (path, answer.status, body[:500])
    return body


def get_json(connection: http.client.HTTPConnection, path: str) -> Any:
    return json.loads(get(connection, path))


if __name__ == "__main__":
    main()
