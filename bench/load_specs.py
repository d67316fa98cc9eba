"""Measure how many specs a second `load_specs` stores, and a bulk upload of 2,000 by the API.

    .venv/bin/python -m bench.load_specs [--specs 20000]

Each gets its own empty data directory; the figures cover everything from the file to the committed
row.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench.specs import make_specs
from tests.site import ROOT, Site

# For the site that is measured: requests are counted as usual, but these clients exceed no limit.
HIGH_RATES = dict.fromkeys(
    ("TOOLSHELF_API_RATE", "TOOLSHELF_UPLOAD_RATE", "TOOLSHELF_RUN_RATE"), "100000000/s"
)
MAX_UPLOAD = 2_000  # the most specs that an upload can have


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=20_000)
    count = parser.parse_args().specs
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ.setdefault("TOOLSHELF_PREPARED_SITE", str(folder / "prepared"))
        file = folder / "specs.ndjson"
        file.write_text("\n".join(make_specs(count)))
        upload = "\n".join(make_specs(MAX_UPLOAD)).encode()
        print(f"{count:,} specs, {file.stat().st_size / count:,.0f} bytes each")
        print(f"{'load_specs, new':28}{load(folder / 'a', file):>10,.0f} specs/s")
        print(f"{'load_specs, unchanged':28}{load(folder / 'a', file):>10,.0f} specs/s")
        rate = MAX_UPLOAD / post(upload, folder / "b")
        print(f"{'POST /api/v1/uploads, new':28}{rate:>10,.0f} specs/s")
        size = (folder / "a" / "toolshelf.sqlite3").stat().st_size
        print(f"{'database':28}{size / count:>10,.0f} bytes/spec")


def load(data_dir: Path, *files: Path) -> float:
    """Load files into the data directory; return the specs stored or compared per second."""
    environment = {**os.environ, "TOOLSHELF_DATA_DIR": str(data_dir)}
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity=0"], cwd=ROOT, env=environment, check=True)
    words = [*manage, "load_specs", "--quiet", *map(str, files)]
    # It exits with 1 if some were rejected: a few generated names have the slug of another tool.
    run = subprocess.run(
        words, cwd=ROOT, env=environment, check=False, stderr=subprocess.PIPE, text=True
    )
    rate = re.search(r"\(([\d,]+)/s\)", run.stderr)
    assert rate, run.stderr
    return float(rate[1].replace(",", ""))


def post(content: bytes, data_dir: Path) -> float:
    """Upload specs to a new site; return the seconds."""
    data_dir.mkdir()
    site = Site(data_dir)
    try:
        request = urllib.request.Request(
            f"{site.url}/api/v1/uploads",
            data=content,
            headers={
                "Authorization": f"Bearer {site.token('bench', 'publish')}",
                "Content-Type": "application/x-ndjson",
            },
        )
        began = time.perf_counter()
        with urllib.request.urlopen(request, timeout=600) as answer:
            answer.read()
        return time.perf_counter() - began
    finally:
        site.stop()


if __name__ == "__main__":
    main()
