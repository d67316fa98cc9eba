"""Measure how many specs `load_specs` and, with 2,000 of them, the API's bulk upload store per second.

    .venv/bin/python -m bench.load_specs [--specs 20000]

Each gets its own empty data directory; the figures cover everything from the file to the committed row.
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

from bench.specs import specs
from tests.site import ROOT, Site

# For the site that is measured: requests are counted as usual, but these clients exceed no limit.
HIGH_RATES = dict.fromkeys(
    (
        "TOOLSHELF_API_RATE",
        "TOOLSHELF_UPLOAD_RATE",
        "TOOLSHELF_RUN_RATE",
    ),
    "100000000/s",
)

UPLOADED = 2_000  # the most that an upload can have


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=20_000)
    count = parser.parse_args().specs
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("TOOLSHELF_PREPARED_SITE", str(Path(folder) / "prepared"))
        file = Path(folder) / "specs.ndjson"
        file.write_text("\n".join(specs(count)))
        few = Path(folder) / "few.ndjson"
        few.write_text("\n".join(specs(UPLOADED)))
        size = file.stat().st_size
        print(f"{count:,} specs, {size / count:,.0f} bytes each")
        print(f"{'load_specs, new':28}{load(Path(folder) / 'a', file):>10,.0f} specs/s")
        print(f"{'load_specs, unchanged':28}{load(Path(folder) / 'a', file):>10,.0f} specs/s")
        print(
            f"{'POST /api/v1/uploads, new':28}{post(few, UPLOADED, Path(folder) / 'b'):>10,.0f} "
            "specs/s"
        )
        print(
            f"{'database':28}{(Path(folder) / 'a' / 'toolshelf.sqlite3').stat().st_size / count:>10,.0f} "
            "bytes/spec"
        )


def load(data_dir: Path, *files: Path) -> float:
    """Load files into the data directory; returns how many specs were stored or compared per second."""
    environment = {**os.environ, "TOOLSHELF_DATA_DIR": str(data_dir)}
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity=0"], cwd=ROOT, env=environment, check=True)
    words = [*manage, "load_specs", "--quiet", *map(str, files)]
    # It exits with 1 if some were rejected: a few generated names have the slug of another tool.
    run = subprocess.run(
        words, cwd=ROOT, env=environment, check=False, stderr=subprocess.PIPE, text=True
    )
    found = re.search(r"\(([\d,]+)/s\)", run.stderr)
    assert found, run.stderr
    return float(found[1].replace(",", ""))


def post(file: Path, count: int, data_dir: Path) -> float:
    data_dir.mkdir()
    site = Site(data_dir)
    try:
        request = urllib.request.Request(
            f"{site.url}/api/v1/uploads",
            data=file.read_bytes(),
            headers={
                "Authorization": f"Bearer {site.token('bench', 'publish')}",
                "Content-Type": "application/x-ndjson",
            },
        )
        started = time.perf_counter()
        with urllib.request.urlopen(request, timeout=600) as answer:
            answer.read()
        return count / (time.perf_counter() - started)
    finally:
        site.stop()


if __name__ == "__main__":
    main()
