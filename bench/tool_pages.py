"""Measure the page of each tool in a catalog: CPU time, HTML, and bytes transferred to a browser that takes gzip.

    TOOLSHELF_DATA_DIR=<folder> .venv/bin/python -m bench.tool_pages [--tools 500] [--path lint/]

Each page is requested twice in one process, through all of the middleware: first when nothing of it is cached in
memory, and again. Fill the folder with `load_specs` beforehand.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.test import Client  # noqa: E402 - Django must be set up first

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
    chosen = options.slug or slugs[WARM_UP : WARM_UP + options.tools if options.tools else None]
    client = Client(headers={"accept-encoding": "gzip", "host": "localhost"})
    for slug in slugs[:WARM_UP]:
        fetch(client, slug, options.path)
    first, again, whole, sent = {}, {}, {}, {}
    for slug in chosen:
        first[slug], whole[slug], sent[slug] = fetch(client, slug, options.path)
        again[slug], _, _ = fetch(client, slug, options.path)
    print(f"{len(chosen)} pages{'':20}{'p50':>9}{'p95':>9}{'max':>9}  largest")
    for label, figures, unit in (
        ("CPU, first request", first, 1e3),
        ("CPU, again", again, 1e3),
        ("KB of HTML", whole, 1e-3),
        ("KB transferred", sent, 1e-3),
    ):
        largest = max(figures, key=figures.__getitem__)
        values = sorted(value * unit for value in figures.values())
        p95 = values[int(0.95 * (len(values) - 1))]
        print(
            f"{label:28}{statistics.median(values):>9.1f}{p95:>9.1f}{values[-1]:>9.1f}  {largest}"
        )


def fetch(client: Client, slug: str, path: str) -> tuple[float, float, float]:
    """CPU seconds, bytes of HTML and bytes transferred."""
    started = time.thread_time()
    response = client.get(f"/tools/{slug}/{path}")
    used = time.thread_time() - started
    assert response.status_code == 200, (slug, response.status_code)
    body = response.content
    if response.headers.get("Content-Encoding") == "gzip":
        import gzip

        return used, len(gzip.decompress(body)), len(body)
    return used, len(body), len(body)


if __name__ == "__main__":
    main()
