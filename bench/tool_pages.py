"""Measure the page of each tool in a catalog: CPU time, HTML, and bytes transferred with gzip.

    TOOLSHELF_DATA_DIR=<folder> .venv/bin/python -m bench.tool_pages [--tools 500] [--path lint/]

Each page is requested twice in one process, through all of the middleware: first when nothing of it
is cached in memory, and again. Fill the folder with `load_specs` beforehand.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import statistics
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.test import Client  # noqa: E402 - Django must be set up first

from bench.timing import get_p95  # noqa: E402
from catalog.tools.models import Tool  # noqa: E402
from config.static_files import collect_static  # noqa: E402

WARM_UP = 30  # pages, so that templates are compiled and modules imported


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tools", type=int, default=500, help="chosen at random, the same in each run; 0: all"
    )
    parser.add_argument("--path", default="", help="below a tool's page, such as lint/")
    parser.add_argument("--slug", action="append", default=[], help="measure these tools only")
    options = parser.parse_args()
    collect_static()
    slugs = list(Tool.objects.available().order_by("slug").values_list("slug", flat=True))
    random.Random(1).shuffle(slugs)
    sample = options.slug or slugs[WARM_UP:]
    if options.tools:
        sample = sample[: options.tools]
    client = Client(headers={"accept-encoding": "gzip", "host": "localhost"})
    for slug in slugs[:WARM_UP]:
        fetch(client, slug, options.path)
    first, again, html, transfer = {}, {}, {}, {}
    for slug in sample:
        first[slug], html[slug], transfer[slug] = fetch(client, slug, options.path)
        again[slug], _, _ = fetch(client, slug, options.path)
    print(f"{len(sample)} pages{'':20}{'p50':>9}{'p95':>9}{'max':>9}  largest")
    for label, figures, unit in (
        ("CPU, first request", first, 1e3),
        ("CPU, again", again, 1e3),
        ("KB of HTML", html, 1e-3),
        ("KB transferred", transfer, 1e-3),
    ):
        largest = max(figures, key=figures.__getitem__)
        values = [value * unit for value in figures.values()]
        median, p95 = statistics.median(values), get_p95(values)
        print(f"{label:28}{median:>9.1f}{p95:>9.1f}{max(values):>9.1f}  {largest}")


def fetch(client: Client, slug: str, path: str) -> tuple[float, float, float]:
    """CPU seconds, bytes of HTML and bytes transferred."""
    began = time.thread_time()
    response = client.get(f"/tools/{slug}/{path}")
    used_s = time.thread_time() - began
    assert response.status_code == 200, (slug, response.status_code)
    body = html = response.content
    if response.headers.get("Content-Encoding") == "gzip":
        html = gzip.decompress(body)
    return used_s, len(html), len(body)


if __name__ == "__main__":
    main()
