"""Choose, from the full corpora, the selection that is committed in `tests/data/corpora/`.

    python -m tests.select_corpora ../shared/data

Of a file of `EVERY`: every n-th line, beginning with the first, and the lines that a test needs by name (`is_needed`).
Of the other files: those in `FILES`, unchanged. `tests/data/corpora/README.md` explains it to readers of the data.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

SELECTION = Path(__file__).resolve().parent / "data" / "corpora"
MAX_BYTES = 3_000_000

# name: every n-th line
EVERY = {
    "attacks/attacks": 1,
    "bfcl_pairs": 2,
    "bfcl_raw_openai": 4,
    "configurations": 1,
    "form_pairs": 5,
    "queries": 4,
    "specs_bfcl": 1,
    "specs_mcp": 5,
    "specs_mcp_invalid": 1,
    "specs_metatool": 1,
    "specs_taubench": 1,
    "taubench_raw_openai": 1,
    "toolcall_pairs": 4,
}

FILES = (
    "LICENSES/Apache-2.0.txt",
    "LICENSES/MIT.txt",
    "NOTICE",
    "get-weather.json",
    "mcp_lists/0xkoda-eth-mcp.json",
    "mcp_lists/anirbanbasu-frankfurtermcp.json",
    "mcp_lists/baryhuang-mcp-headless-gmail.json",
    "mcp_lists/cloudflare-radar-mcp.json",
    "mcp_lists/github-mcp-server.json",
    "mcp_lists/redis-mcp.json",
    "mcp_lists/server-everything.json",
    "openapi.index.jsonl",
    "openapi/elt-nytimes-top_stories.json",
    "openapi/fabric-warehouse.swagger.json",
    "openapi/oad-6-dot-authentiqio-appspot-com.json",
    "openapi/oad-eos-local.json",
    "openapi/oad-groundhog-day-com.json",
    "openapi/oad-mtaa-api-herokuapp-com.json",
    "openapi/oad-nexmo-com-conversion.json",
    "openapi/oad-patrowl-local.json",
    "openapi/oad-quarantine-country.json",
    "openapi/oad-traccar-org.json",
)


def is_needed(name: str, row: dict[str, Any], wanted_tools: set[str]) -> bool:
    """Whether a test needs this line by name."""
    if name == "queries":
        return row["pool"] != "metatool"
    if name == "specs_mcp":
        return row["definition"]["id"] in wanted_tools
    if (
        name == "form_pairs"
    ):  # samples of form libraries; the others are the official suite, which is run as a whole
        return not row["source"].startswith("JSON-Schema-Test-Suite")
    return False


def main() -> None:
    corpora = Path(sys.argv[1])
    questions = map(
        json.loads, (corpora / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    )
    wanted_tools = {
        tool for row in questions if row["pool"] == "mcp-evals" for tool in row["relevant"]
    }
    for name, every in EVERY.items():
        lines = (corpora / f"{name}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        chosen = [
            line
            for index, line in enumerate(lines)
            if index % every == 0 or is_needed(name, json.loads(line), wanted_tools)
        ]
        target = SELECTION / f"{name}.jsonl"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(chosen), encoding="utf-8", newline="")
    for name in FILES:
        target = SELECTION / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpora / name, target)
    total = sum(path.stat().st_size for path in SELECTION.rglob("*") if path.is_file())
    if total > MAX_BYTES:
        sys.exit(f"The selection takes {total:,} bytes, and may take {MAX_BYTES:,}.")


if __name__ == "__main__":
    main()
